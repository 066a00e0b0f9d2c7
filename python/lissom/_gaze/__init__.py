# SPDX-License-Identifier: MIT
"""Eyes and heads that look at a point, as VRM says."""
