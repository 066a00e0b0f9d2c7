# SPDX-License-Identifier: MIT
"""Writing clips as BVH."""

from __future__ import annotations

import itertools
import os
import re
import warnings
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from lissom._base.names import counted
from lissom._base.numbers import check_number
from lissom.clip._frames import DEFAULT_RATE, checked_interval_count
from lissom.clip._moving import SAME_SCALE
from lissom.quat import to_euler

if TYPE_CHECKING:
    from pathlib import Path

    from lissom._formats.bvh import BvhNode
    from lissom._rig.skeleton import Skeleton
    from lissom.clip import Clip

    Floats = NDArray[np.float64]

SAME_POSITION = 1e-7  # of the size: a joint this close to its offset in all frames needs no position channels
_SEQUENCES = ["".join(letters) for letters in itertools.permutations("XYZ")]


@overload
def to_bvh(
    self: Clip, path: None = ..., *, rate: float | None = ..., units: float | str = ..., sequence: str = ...
) -> str: ...
@overload
def to_bvh(
    self: Clip,
    path: str | os.PathLike[str],
    *,
    rate: float | None = ...,
    units: float | str = ...,
    sequence: str = ...,
) -> Path: ...
def to_bvh(
    self: Clip,
    path: str | os.PathLike[str] | None = None,
    *,
    rate: float | None = None,
    units: float | str = 1.0,
    sequence: str = "ZXY",
) -> str | Path:
    """Write skeleton and clip as BVH, for programs that read motion capture.

    Parameters
    ----------
    path : str or path, optional
        Where to write; the text is returned if omitted. Written whole or not at all.
    rate : float, optional
        Frames per second, rounded up so that a whole number of intervals fits. ``key_rate`` if omitted, 60
        for clips without one.
    units : float or str
        Metres in one unit of the file, as for `load_bvh`: "cm" writes a clip in metres as centimetres. The
        file does not say it, and `load_bvh` guesses it of people alone: read others with the same units.
    sequence : str
        Order of the rotation channels, three different letters: "ZXY" rotates about z, then about the rotated
        x, then about the rotated y.

    Returns
    -------
    str or Path
        The text, or the file where it was written to `path`.

    Raises
    ------
    ValueError
        If the clip is additive, a parent is scaled differently along its axes or by zero, `rate` is not above
        zero or would give 2^24 frames or more, a length of the file would not fit float32, the skeleton has
        no joint, or another argument is not one of the above.
    OSError
        If the file cannot be written; a file that existed before is unchanged.

    See Also
    --------
    lissom.load_bvh : read BVH.
    restore_root_motion : put root motion back first; it is not written.

    Notes
    -----
    BVH has offsets, but no rotation at rest. An offset is the rest translation, in the frame of the
    parent, and the channels hold the whole local transform: in every frame position and orientation of
    each joint in model space are those of the clip, while the pose without rotations may look odd. Roots
    have position channels, and so have joints whose translation leaves the rest. Uniform scale is
    multiplied into the lengths of descendants. Loop and markers are lost, weights of morph targets with
    a warning, and frames begin at time zero. Angles are continuous from frame to frame, beyond 180
    degrees where necessary, so that programs may interpolate them.

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
        raise ValueError(
            f"Clip.to_bvh: the clip must hold poses, got {self.name!r}, which is additive; put it on a pose "
            "first"
        )
    if not len(self.skeleton):
        raise ValueError("Clip.to_bvh: the skeleton must have a joint, got none")
    if len(self.weight_tracks):
        warnings.warn(
            f"Clip.to_bvh: weights of {counted(len(self.weight_tracks), 'morph target')} of {self.name!r} "
            "are left out: BVH has none",
            stacklevel=2,
        )
    times, interval = _frame_times(self, rate)
    poses = self.sample(times, loop=False).astype(np.float64)
    nodes, frames = _described(self, poses, metres, sequence)
    chunks = format_bvh(Bvh(nodes, interval, frames))
    if path is None:
        return "".join(chunks)
    from pathlib import Path

    write_atomically(path, (chunk.encode() for chunk in chunks))
    return Path(path)


def _frame_times(clip: Clip, rate: float | None) -> tuple[Floats, float]:
    """Return the times of frames and the seconds between them."""
    if rate is None:
        rate = clip.key_rate or DEFAULT_RATE
    else:
        check_number(rate, "Clip.to_bvh: rate", above_zero=True)
    if clip.duration == 0:
        return np.array([clip.start]), 1 / rate
    count = checked_interval_count("Clip.to_bvh", clip, rate)
    fractions = np.arange(count + 1) / count
    return clip.start + fractions * clip.duration, clip.duration / count


def _described(clip: Clip, poses: Floats, metres: float, sequence: str) -> tuple[list[BvhNode], Floats]:
    """Return the nodes in the order of the tree, and their frames."""
    from lissom._formats.bvh import BvhNode

    skeleton = clip.skeleton
    rest = skeleton.rest.astype(np.float64)
    with np.errstate(over="ignore"):  # refused
        offsets = _scaled_translations(skeleton, rest) / metres
        positions = _scaled_translations(skeleton, poses) / metres
    longest = max(float(np.abs(lengths).max(initial=0)) for lengths in (offsets, positions))
    if longest > float(np.finfo(np.float32).max):
        raise ValueError(
            f"Clip.to_bvh: units must leave lengths that fit float32, got {metres:g} m, in which a length of "
            f"the clip is {longest:g}"
        )
    slack = SAME_POSITION * max(skeleton.size / metres, float(np.abs(offsets).max()))
    leaves_rest = np.abs(positions - offsets).max(axis=(0, 2)) > slack
    angles = _continuous(to_euler(poses[..., 3:7], sequence, degrees=True))
    ends = _end_sites(clip)
    names = _written_names(skeleton)

    nodes: list[BvhNode] = []
    columns: list[Floats] = []
    node_of_joint: dict[int, int] = {-1: -1}
    width = 0
    for joint in _tree_order(skeleton):
        parent = int(skeleton.parents[joint])
        offset = tuple(offsets[joint].tolist())
        node = BvhNode(names[joint], node_of_joint[parent], offset, is_end=ends[joint])
        node.first_channel = width
        if not ends[joint]:
            if parent < 0 or leaves_rest[joint]:
                node.channels += [f"{axis}position" for axis in "XYZ"]
                columns.append(positions[:, joint])
            node.channels += [f"{axis}rotation" for axis in sequence]
            columns.append(angles[:, joint])
        width += len(node.channels)
        node_of_joint[joint] = len(nodes)
        nodes.append(node)
    return nodes, np.concatenate(columns, axis=1)


def _scaled_translations(skeleton: Skeleton, poses: Floats) -> Floats:
    """Return translations times the scales of ancestors, (..., J, 3); refuse scales that BVH cannot hold."""
    result = poses[..., :3].copy()
    scales = poses[..., 7:]
    ancestor_scales = np.ones(poses.shape[:-1])
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            parent_scale = scales[..., parent, :]
            least, most = parent_scale.min(axis=-1), parent_scale.max(axis=-1)
            spread = np.where(least > 0, (most - least) / np.where(most > 0, most, 1), np.inf)
            if not (spread <= SAME_SCALE).all():
                worst = parent_scale.reshape(-1, 3)[np.argmax(spread)]
                shown = ", ".join(f"{value:.4g}" for value in worst)
                raise ValueError(
                    "Clip.to_bvh: scales must be above zero and the same along all axes, since BVH holds "
                    f"scale in lengths alone; {skeleton.names[parent]!r} is scaled by {shown}"
                )
            ancestor_scales[..., joint] = ancestor_scales[..., parent] * parent_scale.mean(axis=-1)
            result[..., joint, :] *= ancestor_scales[..., joint, None]
    return result


def _continuous(angles: Floats) -> Floats:
    """Return, of all angles of the same rotation, those nearest to the frame before, (F, J, 3)."""
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
    """Return the joints depth first, the order in which BVH nests them."""
    children: list[list[int]] = [[] for _ in skeleton.names]
    stack: list[int] = []
    for joint in reversed(range(len(skeleton))):
        parent = int(skeleton.parents[joint])
        (children[parent] if parent >= 0 else stack).append(joint)
    order = []
    while stack:
        order.append(stack.pop())
        stack += children[order[-1]]
    return order


def _end_sites(clip: Clip) -> list[bool]:
    skeleton = clip.skeleton
    is_leaf = np.ones(len(skeleton), bool)
    is_leaf[skeleton.parents[skeleton.parents >= 0]] = False
    is_leaf[clip.tracks["joint"]] = False
    rotated = np.abs(skeleton.rest[:, 3:6]).max(axis=1) > 0
    return [
        bool(is_leaf[joint] and not rotated[joint] and parent >= 0)
        and skeleton.names[joint] == f"{skeleton.names[parent]}_end"
        for joint, parent in enumerate(skeleton.parents.tolist())
    ]


def _written_names(skeleton: Skeleton) -> list[str]:
    """Return the names as one word each, still unique."""
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
