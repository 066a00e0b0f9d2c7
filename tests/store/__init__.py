# SPDX-License-Identifier: MIT
"""Stores of bakes."""
