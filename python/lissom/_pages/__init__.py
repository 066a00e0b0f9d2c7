# SPDX-License-Identifier: MIT
"""Clips of many bakes in pages of texels, which a crowd loads as it plays them."""
