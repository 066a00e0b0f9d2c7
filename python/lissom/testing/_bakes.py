# SPDX-License-Identifier: MIT
"""The assert for bakes: their tables, and their palettes at frames and between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

import numpy as np

from lissom._base.numbers import check_number
from lissom.pose_texture._pose_texture import PoseTexture
from lissom.skinning._deform import deform
from lissom.testing import _tolerances
from lissom.testing._bake_tables import byte_differences, shown_differences, table_differences
from lissom.testing._mismatch import Mismatch, find_mismatch
from lissom.testing._pair import require_comparable
from lissom.testing._palettes import palette_measures
from lissom.testing._subject import rows_of

if TYPE_CHECKING:
    from lissom.skinning._deform import PaletteLike
    from lissom.testing._pair import Floats
    from lissom.testing._subject import Rows
    from lissom.testing._tolerances import Lengths

__all__ = ["assert_bakes_close"]

FUNCTION = "assert_bakes_close"

Level = Literal["shown", "tables", "bytes"]

LINES_SHOWN = 8


class Tolerances(NamedTuple):
    """Rotation in radians, translation as a fraction of the size, scale as a fraction of the largest."""

    rotation: float
    share: float
    scale: float


# Twice the error from moving every texel of the sample's clips by one step of the type, up or down at random;
# a number that is rounded up instead of down is one such step.
STEPS = {
    "float32": Tolerances(_tolerances.ROTATION, _tolerances.SHARE, _tolerances.SCALE),
    "float16": Tolerances(4e-3, 3e-3, 2e-3),
    "uint8": Tolerances(3e-2, 3e-2, 3e-2),
}


WEIGHT_STEPS = {"float32": 1e-5, "float16": 2e-3}
"""Tolerance of weights by their type: two steps of float16 at 1."""


def assert_bakes_close(
    actual: PoseTexture,
    desired: PoseTexture,
    *,
    level: Level = "tables",
    rotation: float | None = None,
    share: float | None = None,
    length: float | None = None,
    scale: float | None = None,
    weight: float | None = None,
    err_msg: str = "",
) -> None:
    """Raise an AssertionError where bakes differ in their tables, or in the palettes or weights they show.

    Palettes, and weights of morph targets, are compared at all frames of both bakes and midway between them,
    without wrapping.

    Parameters
    ----------
    actual, desired : PoseTexture
    level : {"shown", "tables", "bytes"}
        How much must agree. ``"shown"``: the joints of the palette rows, the names of the morph targets, the
        clips with their seconds, the palettes and the weights; layout, type and frame rate may differ.
        ``"tables"``: also layout, type, method, frames, bounds, markers, root motion, and the mesh; not the
        report's figures. ``"bytes"``: the files that `PoseTexture.save` writes, to the byte.
    rotation : float, optional
        Tolerance of rotations, radians. Defaults allow for one step of the texels' type, the coarser of the
        two bakes': 1e-4 for float32, 0.004 for float16, 0.03 for uint8.
    share : float, optional
        Tolerance of translations of the joints, as a fraction of ``desired.size``: 1e-5, 0.003, 0.03 by type.
    length : float, optional
        Tolerance of translations in model units, instead of `share`.
    scale : float, optional
        Tolerance of scales, as a fraction of the row's largest: 1e-5, 0.002, 0.03 by type.
    weight : float, optional
        Tolerance of weights of morph targets: 1e-5 for float32, 0.002 where one of the bakes has float16.
    err_msg : str
        Text to include in the message.

    Raises
    ------
    AssertionError
        If something differs. The message lists tables that differ, or names the clip, the moment and the
        joint of the worst row, and how far the vertices are apart there.
    TypeError, ValueError
        If an argument is wrong.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> bake = lissom.bake(hero, ["walk"], rate=30)
    >>> lissom.testing.assert_bakes_close(lissom.bake(hero, ["walk"], rate=30), bake, level="bytes")
    >>> fine = lissom.bake(hero, ["walk"], rate=60, dtype="float32")
    >>> lissom.testing.assert_bakes_close(bake, fine, level="shown", rotation=0.02, share=0.002)
    >>> lissom.testing.assert_bakes_close(bake, fine)
    Traceback (most recent call last):
    AssertionError: assert_bakes_close: the tables differ
      texels.dtype: actual float16, desired float32
      ...
    """
    __tracebackhide__ = True
    for name, bake in (("actual", actual), ("desired", desired)):
        if not isinstance(bake, PoseTexture):
            raise TypeError(f"{FUNCTION}: {name} must be a PoseTexture, got {type(bake).__name__}")
    if level not in ("shown", "tables", "bytes"):
        raise ValueError(f"{FUNCTION}: level must be 'shown', 'tables' or 'bytes', got {level!r}")
    steps = max(STEPS[str(bake.texels.dtype)] for bake in (actual, desired))
    limit = _tolerances.lengths(
        FUNCTION, length, steps.share if share is length is None else share, None, desired.size
    )
    largest_angle = steps.rotation if rotation is None else _tolerances.angle(FUNCTION, rotation)
    largest_ratio = steps.scale if scale is None else _tolerances.ratio(FUNCTION, scale)
    differences = shown_differences(actual, desired)
    if level != "shown":
        differences += table_differences(actual, desired, limit, largest_angle)
    if differences:
        raise AssertionError(_listed("the tables differ", differences, err_msg))
    _compare_palettes(actual, desired, limit, largest_angle, largest_ratio, err_msg)
    _compare_weights(actual, desired, weight, err_msg)
    if level == "bytes" and (differences := byte_differences(actual, desired)):
        raise AssertionError(_listed("the files differ", differences, err_msg))


def _listed(what: str, differences: list[str], err_msg: str) -> str:
    shown = [f"  {line}" for line in differences[:LINES_SHOWN]]
    rest = len(differences) - len(shown)
    more = [f"  and {rest} more"] if rest > 0 else []
    return "\n".join([f"{FUNCTION}: {what}", *([err_msg] if err_msg else []), *shown, *more])


def _compare_palettes(
    actual: PoseTexture,
    desired: PoseTexture,
    limit: Lengths,
    rotation: float,
    scale: float,
    err_msg: str,
) -> None:
    __tracebackhide__ = True
    rows = rows_of(FUNCTION, desired)
    worst: tuple[Mismatch, str, Floats] | None = None
    counts = []
    for name in desired.clips:
        times = _sample_times(actual, desired, name)
        a, b = (
            np.asarray(bake.sample(name, times, loop=False).matrices, np.float64)
            for bake in (actual, desired)
        )
        label = _RowLabel(rows, desired, name, times)
        require_comparable(FUNCTION, a, b, 2, label)
        mismatch = find_mismatch("palette rows", palette_measures(a, b, rows, limit, rotation, scale), label)
        if mismatch is None:
            continue
        poses = mismatch.beyond.any(axis=-1)
        counts.append(f"{name!r} at {poses.sum()} of {poses.size} times")
        if worst is None or mismatch.excess > worst[0].excess:
            worst = mismatch, name, times
    if worst is not None:
        mismatch, name, times = worst
        head = f"{FUNCTION}: the palettes differ by more than the tolerance: clip {', '.join(counts)}"
        more = _vertices_apart(actual, desired, name, float(times[mismatch.worst[0]]), limit)
        raise AssertionError("\n".join([head, *([err_msg] if err_msg else []), *mismatch.lines, *more]))


def _compare_weights(actual: PoseTexture, desired: PoseTexture, weight: float | None, err_msg: str) -> None:
    __tracebackhide__ = True
    limit = None if weight is None else check_number(weight, f"{FUNCTION}: weight", least=0)
    if actual.weights is None or desired.weights is None:  # their names are the same: both are None
        return
    if limit is None:
        limit = max(WEIGHT_STEPS[str(weights.dtype)] for weights in (actual.weights, desired.weights))
    largest, line = limit, ""
    for name in desired.clips:
        times = _sample_times(actual, desired, name)
        a, b = (bake.sample_morphs(name, times, loop=False).astype(np.float64) for bake in (actual, desired))
        gaps = np.abs(a - b)
        at = pose, target = np.unravel_index(int(np.argmax(gaps)), gaps.shape)
        if not gaps[at] <= largest:
            largest = float(gaps[at])
            line = (
                f"  {desired.morph_names[target]!r} of clip {name!r} at {times[pose]:.4g} s: actual "
                f"{a[at]:.6g}, desired {b[at]:.6g}; tolerance {limit:g}"
            )
    if line:
        head = f"{FUNCTION}: the weights of morph targets differ by more than the tolerance"
        raise AssertionError("\n".join([head, *([err_msg] if err_msg else []), line]))


@dataclass(frozen=True)
class _RowLabel:
    """Names a palette row of a clip at one of its times."""

    rows: Rows
    bake: PoseTexture
    clip: str
    times: Floats

    def __call__(self, index: tuple[int, ...]) -> str:
        pose, row = index
        time = float(self.times[pose])
        clip = self.bake.clips[self.clip]
        frame = (time - clip.start) * clip.rate
        return f"{self.rows.label(row)} of clip {self.clip!r} at {time:.4g} s (frame {frame:.4g})"


def _sample_times(actual: PoseTexture, desired: PoseTexture, name: str) -> Floats:
    """Return the times of all frames of both bakes, and those midway between them, in seconds."""
    clips = [bake.clips[name] for bake in (actual, desired)]
    frames = [np.linspace(clip.start, clip.end, clip.frame_count) for clip in clips]
    times = frames[0] if len(frames[0]) == len(frames[1]) else np.union1d(*frames)
    return np.sort(np.concatenate([times, (times[1:] + times[:-1]) / 2]))


def _vertices_apart(
    actual: PoseTexture, desired: PoseTexture, name: str, time: float, limit: Lengths
) -> list[str]:
    """Return a line with the largest distance of the skinned vertices at a time."""
    mesh = desired.mesh
    if mesh is None or desired.method not in actual.methods:
        return []
    a, b = (
        deform(
            mesh,
            cast("PaletteLike", bake.sample(name, time, loop=False)),
            desired.method,
            morphs=bake.sample_morphs(name, time, loop=False) if mesh.morphs else None,
        )
        for bake in (actual, desired)
    )
    distance = float(np.linalg.norm(a.astype(np.float64) - b, axis=-1).max())
    return [f"  the skinned vertices are up to {limit.text(distance)} apart there"]
