# SPDX-License-Identifier: MIT
"""Making bakes: clips become pose textures whose error is measured."""
