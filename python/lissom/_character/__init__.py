# SPDX-License-Identifier: MIT
"""Characters: a skeleton, a mesh, a skin and clips, under one name."""
