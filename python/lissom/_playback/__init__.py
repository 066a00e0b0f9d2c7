# SPDX-License-Identifier: MIT
"""Playing and blending poses."""
