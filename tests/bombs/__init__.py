# SPDX-License-Identifier: MIT
"""Files that ask for far more memory than they have bytes, each made in code at any size.

A bomb writes its files into a folder and returns the one to read. At size 1 most are small, and take more
than 8 times their bytes and 64 MiB where what they multiply is not charged, or is decoded as it comes; at
size 8 they are what an attacker would send.
"""

from bombs import bakes, bvh, draco, gltf_arrays, gltf_texts, hints, jobs, meshopt, npz, pictures  # noqa: F401  they enter themselves
from bombs.bomb import BOMBS, SLOW, Bomb

__all__ = ["BOMBS", "SLOW", "Bomb"]
