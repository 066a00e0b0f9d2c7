# SPDX-License-Identifier: MIT
"""A clip written as BVH."""

from __future__ import annotations

import itertools
import math
import os
import re
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom._base.numbers import check_number
from lissom.quat import to_euler

if TYPE_CHECKING:
    from lissom._formats.bvh import BvhNode
    from lissom._rig.skeleton import Skeleton
    from lissom.clip import Clip

    Floats = NDArray[np.float64]

DEFAULT_RATE = 60.0  # of a clip whose keys have none
GRID_SLACK = 1e-3  # of an interval: what float32 times may exceed a whole number of them by
SAME_PLACE = 1e-7  # of the size: a joint this close to its offset in all frames needs no position channels
SAME_SCALE = 1e-4  # relative: axes that differ less are scaled alike
_SEQUENCES = ["".join(letters) for letters in itertools.permutations("XYZ")]


def to_bvh(
    self: Clip,
    path: str | os.PathLike[str] | None = None,
    *,
    rate: float | None = None,
    units: float | str = 1.0,
    sequence: str = "ZXY",
) -> str | None:
    """Write skeleton and clip as BVH, for programs that read motion capture.

    Parameters
    ----------
    path : str or path, optional
        Where to write; the text is returned if omitted. Written whole or not at all.
    rate : float, optional
        Frames per second, about: a whole number of frames fits the duration. ``key_rate`` if omitted, 60 for
        clips without.
    units : float or str
        Metres in one unit of the file, as for `load_bvh`: "cm" writes a clip in metres as centimetres.
    sequence : str
        Order of the rotation channels, three different letters: "ZXY" turns about z, then about the x that
        turned along, then about the y.

    Returns
    -------
    str or None
        The text, or None where it went to `path`.

    Raises
    ------
    ValueError
        If the clip is additive, a joint above others is scaled differently along its axes or by zero, `rate`
        is not above zero, the skeleton has no joint, or an argument is none of the above.
    OSError
        If the file cannot be written; an old one is still there.

    See Also
    --------
    lissom.load_bvh : the way back.
    restore_root_motion : what was taken out is not written; this puts it back first.

    Notes
    -----
    BVH knows offsets, no rotation at rest. An offset is the rest translation, in the frame of the parent, and
    the channels hold the whole local transform: in every frame position and orientation of each joint in
    model space are those of the clip, while the pose without rotations may look odd. Roots have position
    channels, and so have joints whose translation leaves the rest. Scale that is the same along all axes goes
    into the lengths below it. Loop and markers are lost, and frames begin at time zero. Angles go on from
    frame to frame, beyond 180 degrees where they must, so that programs may interpolate them.

    A joint at the end of its branch that nothing moves and that is named after its parent with "_end" is
    written as an End Site. White space and braces in names become "_", with a warning.

    Examples
    --------
    >>> print(lissom.samples.humanoid().clips["walk"].to_bvh(units="cm")[:21])
    HIERARCHY
    ROOT Pelvis
    """
    from lissom._formats.atomic import write_atomically
    from lissom._formats.bvh import Bvh, format_bvh, unit_length

    metres = unit_length("Clip.to_bvh", units)
    if sequence not in _SEQUENCES:
        raise ValueError(f"Clip.to_bvh: sequence must be one of {', '.join(_SEQUENCES)}, got {sequence!r}")
    if self.additive:
        raise ValueError("Clip.to_bvh: an additive clip holds differences, no poses; put it on a pose first")
    if not len(self.skeleton):
        raise ValueError("Clip.to_bvh: the skeleton has no joint")
    times, interval = _frame_times(self, rate)
    poses = self.sample(times, loop=False).astype(np.float64)
    nodes, frames = _described(self, poses, metres, sequence)
    chunks = format_bvh(Bvh(nodes, interval, frames))
    if path is None:
        return "".join(chunks)
    write_atomically(path, (chunk.encode() for chunk in chunks))
    return None


def _frame_times(clip: Clip, rate: float | None) -> tuple[Floats, float]:
    """Give the times of frames and the seconds between them."""
    if rate is None:
        rate = clip.key_rate or DEFAULT_RATE
    else:
        check_number(rate, "Clip.to_bvh: rate", above_zero=True)
    if clip.duration == 0:
        return np.array([clip.start]), 1 / rate
    count = max(1, math.ceil(clip.duration * rate - GRID_SLACK))
    fractions = np.arange(count + 1) / count
    return clip.start + fractions * clip.duration, clip.duration / count


def _described(clip: Clip, poses: Floats, metres: float, sequence: str) -> tuple[list[BvhNode], Floats]:
    """Give the nodes in the order of the tree, and their frames."""
    from lissom._formats.bvh import BvhNode

    skeleton = clip.skeleton
    rest = skeleton.rest.astype(np.float64)
    offsets = _lengths(skeleton, rest) / metres
    positions = _lengths(skeleton, poses) / metres
    slack = SAME_PLACE * max(skeleton.size / metres, float(np.abs(offsets).max()))
    leaves_rest = np.abs(positions - offsets).max(axis=(0, 2)) > slack
    angles = _steady(to_euler(poses[..., 3:7], sequence, degrees=True))
    ends = _end_sites(clip)
    names = _written_names(skeleton)

    nodes: list[BvhNode] = []
    columns: list[Floats] = []
    places: dict[int, int] = {-1: -1}
    width = 0
    for joint in _tree_order(skeleton):
        parent = int(skeleton.parents[joint])
        node = BvhNode(names[joint], places[parent], tuple(offsets[joint].tolist()), is_end=ends[joint])
        node.first_channel = width
        if not ends[joint]:
            if parent < 0 or leaves_rest[joint]:
                node.channels += [f"{axis}position" for axis in "XYZ"]
                columns.append(positions[:, joint])
            node.channels += [f"{axis}rotation" for axis in sequence]
            columns.append(angles[:, joint])
        width += len(node.channels)
        places[joint] = len(nodes)
        nodes.append(node)
    return nodes, np.concatenate(columns, axis=1)


def _lengths(skeleton: Skeleton, poses: Floats) -> Floats:
    """Give translations times the scale of all that is above, (..., J, 3); ValueError where none fits."""
    result = poses[..., :3].copy()
    scales = poses[..., 7:]
    size = np.ones(poses.shape[:-1])  # of each joint's frame in model space
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            above = scales[..., parent, :]
            least, most = above.min(axis=-1), above.max(axis=-1)
            spread = np.where(least > 0, (most - least) / np.where(most > 0, most, 1), np.inf)
            if not (spread <= SAME_SCALE).all():
                worst = above.reshape(-1, 3)[np.argmax(spread)]
                shown = ", ".join(f"{value:.4g}" for value in worst)
                raise ValueError(
                    "Clip.to_bvh: BVH has no scale, which can go into lengths where it is above zero and the "
                    f"same along all axes; {skeleton.names[parent]!r} is scaled by {shown}"
                )
            size[..., joint] = size[..., parent] * above.mean(axis=-1)
            result[..., joint, :] *= size[..., joint, None]
    return result


def _steady(angles: Floats) -> Floats:
    """Give of all angles that mean the same rotation those nearest to the frame before, (F, J, 3)."""
    result = angles.copy()
    # a, b, c and a + 180, 180 - b, c + 180 are one rotation where the three axes differ.
    others = angles * [1, -1, 1] + 180
    for frame in range(1, len(angles)):
        before = result[frame - 1]
        one, other = (a + 360 * np.rint((before - a) / 360) for a in (angles[frame], others[frame]))
        is_nearer = np.abs(other - before).sum(axis=-1) < np.abs(one - before).sum(axis=-1)
        result[frame] = np.where(is_nearer[:, None], other, one)
    return result


def _tree_order(skeleton: Skeleton) -> list[int]:
    """Joints as BVH nests them: each branch whole, before the next."""
    children: list[list[int]] = [[] for _ in skeleton.names]
    waiting: list[int] = []
    for joint in reversed(range(len(skeleton))):
        parent = int(skeleton.parents[joint])
        (children[parent] if parent >= 0 else waiting).append(joint)
    order = []
    while waiting:  # holds the next joint last
        order.append(waiting.pop())
        waiting += children[order[-1]]
    return order


def _end_sites(clip: Clip) -> list[bool]:
    skeleton = clip.skeleton
    is_leaf = np.ones(len(skeleton), bool)
    is_leaf[skeleton.parents[skeleton.parents >= 0]] = False
    is_leaf[clip.tracks["joint"]] = False
    turned = np.abs(skeleton.rest[:, 3:6]).max(axis=1) > 0
    return [
        bool(is_leaf[joint] and not turned[joint] and parent >= 0)
        and skeleton.names[joint] == f"{skeleton.names[parent]}_end"
        for joint, parent in enumerate(skeleton.parents.tolist())
    ]


def _written_names(skeleton: Skeleton) -> list[str]:
    """Names as one word each, still unique."""
    written: list[str] = []
    taken = set(skeleton.names)
    for name in skeleton.names:
        word = re.sub(r"[\s{}]", "_", name) or "joint"
        plain = word
        for copy in itertools.count(2):
            if word == name or word not in taken:
                break
            word = f"{plain}_{copy}"
        taken.add(word)
        written.append(word)
    changed: dict[str, Any] = {a: b for a, b in zip(skeleton.names, written, strict=True) if a != b}
    if changed:
        some = ", ".join(f"{a!r} as {b!r}" for a, b in list(changed.items())[:3])
        warnings.warn(f"Clip.to_bvh: names of one word only are written: {some}", stacklevel=4)
    return written
