# SPDX-License-Identifier: MIT
"""The instances of a crowd, without OpenGL."""
