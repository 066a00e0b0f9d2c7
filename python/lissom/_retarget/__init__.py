# SPDX-License-Identifier: MIT
"""Motion of one skeleton on another."""
