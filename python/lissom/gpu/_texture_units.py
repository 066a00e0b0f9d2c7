# SPDX-License-Identifier: MIT
"""The texture unit of each sampler."""

__all__ = ["TEXTURE_UNITS"]

# Every sampler has a unit of its own, so that no draw depends on what an earlier one bound.
TEXTURE_UNITS = {
    "palette": 0,
    "poses": 1,
    "instances": 2,
    "base_color_map": 3,
    "heat_map": 4,
    "shadow": 5,
    "source": 6,
    "ground_heights": 7,
    "key_depth": 8,
    "ranges": 9,
    "rig": 10,
    "morph_masks": 11,
    "morph_rows": 12,
    "morph_weights": 13,
    "emissive_map": 14,
}
