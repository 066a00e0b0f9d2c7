# SPDX-License-Identifier: MIT
"""Levels of detail."""
