# SPDX-License-Identifier: MIT
"""The GLB writer: a character as glTF 2.0, one file per noun.

Our own, as the reader is: no library goes from arrays to skins and animations. What a file says beyond glTF,
so that loading it gives what was saved, is in `lissom._files.gltf.extras`.
"""
