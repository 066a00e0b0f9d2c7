# SPDX-License-Identifier: MIT
"""Tests that need OpenGL; software rendering is enough."""
