# SPDX-License-Identifier: MIT
"""lissom moves characters: rigs and clips as NumPy arrays, skinned, baked and drawn."""

from lissom._core import __version__

__all__ = ["__version__"]
