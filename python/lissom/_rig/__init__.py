# SPDX-License-Identifier: MIT
"""Skeletons, meshes and skins."""
