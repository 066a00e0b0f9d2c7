# SPDX-License-Identifier: MIT
"""The GLB writer: from a character to glTF 2.0.

Written here, like the reader, since no library goes from arrays to skins and animations. What a file holds
beyond glTF, so that loading restores the character, is in `lissom._files.gltf.extras`.
"""
