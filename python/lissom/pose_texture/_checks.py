# SPDX-License-Identifier: MIT
"""Whether the parts of a pose texture fit together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lissom._base.arrays import read_only, refuse_masked
from lissom.pose_texture._layouts import DTYPES
from lissom.pose_texture._layouts.texels import ends_are_finite
from lissom.pose_texture._morph_weights import weight_fault

if TYPE_CHECKING:
    from lissom._rig.skin import Skin
    from lissom.pose_texture._layouts import Layout, Rig, TexelArray, TexelForm
    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["check_rig", "check_skin", "checked_form", "checked_parents", "checked_ranges", "texel_fault"]

QUATERNION_LENGTHS = 0.5, 2.0
"""Lengths that pass for a unit quaternion: bytes round each of its numbers by up to 1/255, and edits may
leave the lerp of two, which is at least 0.7 long where they are signed alike."""

_NUMBERS_AT_ONCE = 1 << 20  # that are decoded to be looked at: a few MB beside any bake


def checked_form(texels: TexelArray, layout: Layout) -> TexelForm:
    """Return the form of texels in a layout; refuse other arrays."""
    if not isinstance(texels, np.ndarray) or str(texels.dtype) not in DTYPES:
        got = texels.dtype if isinstance(texels, np.ndarray) else type(texels).__name__
        raise TypeError(f"PoseTexture: texels must be a float16, float32 or uint8 array, got {got}")
    if texels.ndim != 4 or texels.shape[3] != 4:
        raise ValueError(f"PoseTexture: texels must have shape (frames, rows, texels, 4), got {texels.shape}")
    try:
        return layout.form(texels.shape[2], texels.shape[1])
    except ValueError as error:
        raise ValueError(f"PoseTexture: texels of the layout {layout.name!r} must have {error}") from None


def check_rig(rig: Rig | None, layout: Layout, joints: Sequence[str], row_count: int) -> None:
    """Refuse a rig that the layout does not need or that does not fit joints and rows."""
    if (rig is not None) != layout.by_joint:
        expected, got = ("a Rig", "None") if layout.by_joint else ("None", "a Rig")
        raise ValueError(f"PoseTexture: rig of the layout {layout.name!r} must be {expected}, got {got}")
    named = row_count if rig is None else len(rig)
    if len(joints) != named:
        raise ValueError(f"PoseTexture: joints must name each of the {named} rows, got {len(joints)} names")
    if rig is not None and row_count != layout.row_count(len(rig)):
        raise ValueError(
            f"PoseTexture: texels of {len(rig)} joints in the layout {layout.name!r} must have "
            f"{layout.row_count(len(rig))} rows, got {row_count}"
        )


def check_skin(skin: Skin | None, layout: Layout, joints: Sequence[str]) -> None:
    """Refuse a skin that the layout misses or that does not fit the joints."""
    if skin is None:
        if layout.by_joint:
            raise ValueError(f"PoseTexture: skin of the layout {layout.name!r} must be a Skin, got None")
        return
    if len(skin) and not 0 <= int(skin.joints.min()) <= int(skin.joints.max()) < len(joints):
        raise ValueError(f"PoseTexture: skin must refer to the {len(joints)} joints, got {skin.joints.max()}")
    if not layout.by_joint and len(skin) != len(joints):
        raise ValueError(f"PoseTexture: skin must have the {len(joints)} rows of the texels, got {len(skin)}")


def checked_parents(
    parents: npt.ArrayLike | None, rig: Rig | None, count: int
) -> npt.NDArray[np.int32] | None:
    """Return the parents of joints, those of the rig where none are given."""
    if parents is None:
        return None if rig is None else rig.parents
    refuse_masked(parents, "PoseTexture: parents")
    above = np.array(parents, np.int32).reshape(-1)
    if len(above) != count:
        raise ValueError(f"PoseTexture: parents must have one for each of {count} joints, got {len(above)}")
    if count and not -1 <= int(above.min()) <= int(above.max()) < count:
        bad = above.min() if above.min() < -1 else above.max()
        raise ValueError(f"PoseTexture: parents must be -1 or one of {count} joints, got {bad}")
    ancestors = above
    for _ in range(count.bit_length()):  # twice as far up each time: all reach -1, except in a circle
        ancestors = np.where(ancestors < 0, -1, ancestors[ancestors])
    if (ancestors >= 0).any():
        raise ValueError(f"PoseTexture: parents must lead to roots, got a circle at joint {ancestors.max()}")
    return read_only(above)


def checked_ranges(
    ranges: npt.NDArray[np.float32] | None, texels: TexelArray, clip_count: int
) -> npt.NDArray[np.float32] | None:
    """Return the ranges of uint8 texels, read-only; None for other types, which have none."""
    refuse_masked(ranges, "PoseTexture: ranges")
    if texels.dtype != np.uint8:
        if ranges is not None:
            raise ValueError(f"PoseTexture: ranges must be None for texels of {texels.dtype}, got an array")
        return None
    shape = (clip_count, *texels.shape[1:3], 2, 4)
    if ranges is None or ranges.shape != shape or ranges.dtype != np.float32:
        got = "none" if ranges is None else f"{ranges.dtype} {ranges.shape}"
        raise ValueError(f"PoseTexture: ranges of uint8 texels must be float32 {shape}, got {got}")
    if not ends_are_finite(ranges) or (ranges[..., 1, :] < 0).any():
        raise ValueError("PoseTexture: ranges must be finite, with steps of at least 0")
    return read_only(np.ascontiguousarray(ranges))


def texel_fault(bake: PoseTexture) -> str | None:
    """Say where texels hold what cannot be drawn: those of an edited bake or of a file may be any numbers.

    That is a number that is not finite, or a quaternion that is no rotation.
    """
    fault = weight_fault(bake)
    if fault is not None:
        return fault
    form = bake._texels.form
    step = max(1, _NUMBERS_AT_ONCE // max(1, bake.texels[:1].size))
    for index, clip in enumerate(bake.clips.values()):
        end = clip.first_frame + clip.frame_count
        for first in range(clip.first_frame, end, step):
            frames = np.arange(first, min(first + step, end), dtype=np.int32)
            fractions = np.zeros(len(frames), np.float32)
            rows = bake._texels.sample(frames, frames, fractions, np.full_like(frames, index))
            if not np.isfinite(rows).all():
                frame, row, number = np.argwhere(~np.isfinite(rows))[0]
                got = rows[frame, row, number]
                return f"texels must be finite, got {got} at frame {first + frame}, row {row}"
            if form.quat < 0:
                continue
            quaternions = rows[:, : form.signed_rows, 4 * form.quat : 4 * form.quat + 4]
            lengths = np.linalg.norm(quaternions, axis=-1)
            shortest, longest = QUATERNION_LENGTHS
            wrong = ~((lengths >= shortest) & (lengths <= longest))
            if wrong.any():
                frame, row = np.argwhere(wrong)[0]
                return (
                    "texels must hold unit quaternions as rotations, got one of length "
                    f"{lengths[frame, row]:.4g} at frame {first + frame}, row {row}"
                )
    return None
