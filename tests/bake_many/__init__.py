# SPDX-License-Identifier: MIT
"""Baking many files."""
