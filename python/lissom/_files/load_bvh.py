# SPDX-License-Identifier: MIT
"""``lissom.load_bvh``: from motion capture to a character with one clip."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, NoReturn

import numpy as np

from lissom._base.arrays import float_dtype
from lissom._base.numbers import check_flag
from lissom._base.set_module import set_module
from lissom._character.character import Character
from lissom._character.repair import Repair
from lissom._files.frame_times import key_dtype
from lissom._files.gltf.source import Source, open_source
from lissom._files.recorded_body import MOST_JOINTS, RecordedBody, recorded_body
from lissom._files.unit_guess import UNIT_NAMES, body_length, guess_unit
from lissom._files.up_axis import TURNS, Turn, checked_up, guess_up
from lissom._formats.budget import Budget
from lissom._formats.bvh import TOO_MANY, UNITS, Bvh, BvhNode, parse_bvh, unit_length
from lissom._rig.skeleton import Skeleton
from lissom.clip import LINEAR, ROTATION, TRACK_DTYPE, TRANSLATION, Clip
from lissom.clip._tracks import COLUMNS
from lissom.errors import BvhError
from lissom.quat import align, from_euler

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

__all__ = ["load_bvh", "read_bvh"]


_MOST_REPAIRS = 100  # a hostile file can hold a million faults of one kind
LEAST_ADDED = 3  # joints more whose positions are zero than joints whose are not
ZERO = 1e-3  # of the offset
ALONG = 0.999  # cosine: positions that are offsets in another unit
_BYTES_PER_TRACK = 500  # of a plan, and of what lists it
_BLOCK = 1 << 19  # bytes of keys that are computed at a time, in float64; of a longer track all


@set_module("lissom")
def load_bvh(
    source: str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO,
    *,
    units: float | str | None = None,
    up: str | None = None,
    name: str | None = None,
    dtype: DTypeLike | None = None,
    strict: bool = False,
) -> Character:
    """Load motion capture from a BVH file.

    Parameters
    ----------
    source : path, bytes or open binary file
    units : float or str, optional
        Metres in one unit of the file: a number, or "m", "cm", "mm", "inch", or "cmu" for the database of
        Carnegie Mellon University (0.0254 / 0.45). The format does not say; when omitted it is the one of
        these in which the body is as long as a person, where `roles` finds head and feet by name and rest
        pose and first frame agree, and 1 otherwise, which keeps the file's lengths. Another than 1 is said in
        ``repairs``.
    up : {"y", "z", "x", "-y", "-z", "-x"}, optional
        The file's axis that points up, which becomes y. The format does not say; when omitted it is the way
        from the feet to the head, where `roles` finds these by name and rest pose and first frame agree, and
        y otherwise. Another axis than y is said in ``repairs``.
    name : str, optional
        Name of the character and its clip; the file's name without its suffix if omitted.
    dtype : {float32, float64}, optional
        Type of the clip's keys, and so of the poses sampled from it. When omitted float32, which plays
        fastest, unless the recording is so long (34 minutes at 120 frames a second) that float32 would shift
        a frame by more than a hundredth of the time between two. float64 holds the numbers of the file
        exactly.
    strict : bool
        Refuse faults that are repaired otherwise.

    Returns
    -------
    Character
        Without mesh. ``clips[name]`` starts at 0 and has a key per frame. ``repairs`` lists what was
        repaired: a wrong number of frames (the frames in the file are used), an incomplete last frame (left
        out), names that repeat, are missing or are not UTF-8; a unit that was guessed not to be the metre,
        and an up axis that was guessed not to be y.

    Raises
    ------
    BvhError
        If the text is not BVH; ``line`` says where.
    OSError
        If the path cannot be read.
    TypeError
        If `source` or an option is of another type, or a file is opened in text mode.
    ValueError
        If `units` is not above zero, or an unknown unit, or `up` no axis.

    See Also
    --------
    Clip.to_bvh : write a clip as BVH.
    Clip.bind : play the clip on another skeleton.

    Notes
    -----
    The rest pose has the offsets and no rotation, as BVH defines it. Rotation channels rotate about the
    joint's own axes in their order: "Zrotation Xrotation Yrotation" is ``quat.from_euler("ZXY", ...)``.
    Position channels, of whatever joint, *replace* its offset, axis by axis, as in Blender, bvhio and
    pymotion; where those of most joints are zero and their offsets are not, as MakeHuman writes them, they
    are added, which `repairs` says. An End Site becomes a joint named after its parent, with "_end". All is
    computed in float64 and rounded once: in float32 times to 1e-6 s in the first half minute and to 3e-5 s
    in the first quarter of an hour, rotations to 6e-8. Rotations are LINEAR tracks, with signs aligned from
    key to key; a track that does not change has one key. Several ROOTs, any line ends and any case of the
    keywords are accepted; scale channels, which the format does not have, are refused. A turn to y up moves
    numbers to other axes, with their sign, and rounds nothing. Memory grows by at most 8 times the size of
    the file plus 64 MiB, whatever counts the file declares.

    References
    ----------
    .. [1] M. Meredith and S. Maddock, Motion capture file formats explained, University of Sheffield
       CS-01-11, 2001, section 4.

    Examples
    --------
    >>> walk = lissom.load_bvh("01_01.bvh", units="cmu")  # doctest: +SKIP
    >>> walk.clips["01_01"].sample(0.5).shape  # doctest: +SKIP
    (38, 10)
    """
    strict = check_flag(strict, "load_bvh: strict")
    metres = None if units is None else unit_length("load_bvh", units)
    axis = checked_up(up, "load_bvh")
    precision = None if dtype is None else float_dtype("load_bvh", dtype)
    return read_bvh(open_source(source, "load_bvh"), strict, metres, name, precision, axis)


def read_bvh(
    opened: Source,
    strict: bool,
    metres: float | None = None,
    name: str | None = None,
    dtype: np.dtype[Any] | None = None,
    up: str | None = None,
) -> Character:
    """Return the character of a file; errors carry its path."""
    repairs: list[Repair] = []

    def mend(code: str, line: int, message: str) -> None:
        if strict:
            raise BvhError(message, line=line)
        if len(repairs) < _MOST_REPAIRS:
            repairs.append(Repair(code, f"line {line}", message))

    title = opened.name if name is None else name

    def refuse(place: str, sentence: str) -> NoReturn:
        raise BvhError(sentence, line=int(place) if place else None)

    budget = Budget(len(opened.data), refuse)
    try:
        file = parse_bvh(opened.data, mend, budget)
        if not len(file.frames):
            mend("BVH_NO_FRAMES", 1, "there are no frames: the character has no clip")
        file = _with_whole_positions(file, budget, repairs)
        body = _body(file) if metres is None or up is None else None
        if metres is None:
            metres = _guessed_unit(body, repairs)
        if up is None:
            up = _guessed_up(body, repairs)
        skeleton = _skeleton(file, metres, TURNS[up])
        clips = [_clip(title, skeleton, file, metres, dtype, budget, TURNS[up])] if file.frames.size else []
    except BvhError as error:
        error.path = opened.path
        raise
    return Character(title, skeleton, None, None, clips, repairs)


def _with_whole_positions(file: Bvh, budget: Budget, repairs: list[Repair]) -> Bvh:
    """Return the file with positions that replace offsets; some tools, as MakeHuman, write what is added.

    Told by the joints below others whose offset is not zero: of most of them, three at least, the position in
    the first frame is zero.
    """
    added, columns, offsets = 0, [], []
    for node in file.nodes:
        own = [index for index, channel in enumerate(node.channels) if channel.endswith("position")]
        if node.parent < 0 or not own or not file.frames.size:
            continue
        offset = np.array([node.offset["XYZ".index(node.channels[index][0])] for index in own], np.float64)
        columns += [node.first_channel + index for index in own]
        offsets.append(offset)
        if offset.any():
            first = file.frames[0, columns[-len(own) :]]
            is_zero = np.abs(first).max() < ZERO * np.abs(offset).max()
            is_offset = first @ offset > ALONG * np.linalg.norm(first) * np.linalg.norm(offset)
            added += 1 if is_zero and not is_offset else -1
    if added < LEAST_ADDED:
        return file
    budget.spend(file.frames.nbytes, "", TOO_MANY)
    frames = file.frames.copy()
    with np.errstate(over="ignore"):  # infinite ones are refused when the clip is made
        frames[:, columns] += np.concatenate(offsets)
    message = "positions of joints are zero where their offsets are not: they were added to the offsets"
    repairs.append(Repair("BVH_POSITIONS_ADDED", "", message))
    return replace(file, frames=frames)


def _body(file: Bvh) -> RecordedBody | None:
    """Return the body of a file as it is stored, at rest and in the first frame."""
    if len(file.nodes) > MOST_JOINTS:
        return None
    turn = TURNS["y"]
    skeleton, pose = _skeleton(file, 1.0, turn), None
    if file.frames.size:
        first = replace(file, frames=file.frames[:1])
        pose = skeleton.rest.copy()
        for plan in _plan_tracks(file.nodes, np.zeros(file.frames.shape[1], np.bool_), 1):
            (value,) = _values(first, plan.path, plan.axes, [plan], 1.0, turn)[0]
            with np.errstate(over="ignore"):  # infinite ones are refused when the clip is made
                pose[plan.joint, COLUMNS[plan.path]] = value
        if not np.isfinite(pose).all():
            return None
    return recorded_body(skeleton, pose)


def _guessed_unit(body: RecordedBody | None, repairs: list[Repair]) -> float:
    """Return the metres in the unit in which the body is a person, and say so; 1 where in doubt."""
    unit = None if body is None else guess_unit(body)
    if body is None or unit is None:
        return 1.0
    length = body_length(body, body.poses[0])
    message = (
        f"lengths are read as {UNIT_NAMES[unit]}: from the feet to the head the body has {length:.3g} of "
        "them; units=1 keeps them"
    )
    repairs.append(Repair("BVH_UNITS", "", message))
    return UNITS[unit]


def _guessed_up(body: RecordedBody | None, repairs: list[Repair]) -> str:
    """Return the axis that points up in the body, and say so where it is not y."""
    up = "y" if body is None else guess_up(body)
    if up != "y":
        message = f"{up} is up, from the feet to the head: turned to y up; pass up= for another axis"
        repairs.append(Repair("BVH_UP_AXIS", "", message))
    return up


def _skeleton(file: Bvh, metres: float, turn: Turn) -> Skeleton:
    rest = np.zeros((len(file.nodes), 10))
    rest[:, :3] = turn.of(np.array([node.offset for node in file.nodes], np.float64).reshape(-1, 3))
    rest[:, :3] *= metres
    rest[:, 6:] = 1
    if np.abs(rest).max() > np.finfo(np.float32).max:
        raise BvhError("offsets must fit float32 in metres, got longer ones; pass smaller units")
    return Skeleton(
        [node.name for node in file.nodes],
        [node.parent for node in file.nodes],
        rest,
        np.arange(len(file.nodes)),
    )


def _clip(
    name: str,
    skeleton: Skeleton,
    file: Bvh,
    metres: float,
    dtype: np.dtype[Any] | None,
    budget: Budget,
    turn: Turn,
) -> Clip:
    """Make the clip; tracks with the same axes are converted together, some at a time."""
    frames = file.frames
    count = len(frames)
    budget.spend(_BYTES_PER_TRACK * 2 * len(file.nodes), "", TOO_MANY)
    plans = _plan_tracks(file.nodes, frames.min(axis=0) != frames.max(axis=0), count)
    groups: dict[tuple[int, str, int], list[int]] = {}
    for row, plan in enumerate(plans):
        groups.setdefault((plan.path, plan.axes, plan.key_count), []).append(row)
    tracks = np.zeros(len(plans), TRACK_DTYPE)
    tracks["joint"] = [plan.joint for plan in plans]
    tracks["path"] = [plan.path for plan in plans]
    tracks["interpolation"] = LINEAR
    tracks["key_count"] = [plan.key_count for plan in plans]
    # A value has 3 + path numbers: TRANSLATION is 0, ROTATION 1.
    times: NDArray[np.float64] = np.arange(count) * np.float64(file.frame_time)
    dtype = key_dtype(times) if dtype is None else dtype
    sizes = tracks["key_count"] * (3 + tracks["path"])
    # A block has its numbers and its keys, both in float64.
    block_bytes = 2 * 8 * max(int(sizes.max()), _BLOCK // 8)
    budget.spend(dtype.itemsize * int(sizes.sum()) + 16 * count + block_bytes, "", TOO_MANY)
    keys = np.empty(count + int(sizes.sum()), dtype)
    keys[:count] = times
    end = count
    for (path, axes, key_count), rows in groups.items():
        begin, size = end, key_count * (3 + path)
        end += len(rows) * size
        tracks["values"][rows] = np.arange(begin, end, size)
        values = keys[begin:end].reshape(len(rows), key_count, 3 + path)
        step = max(1, _BLOCK // (8 * size))
        for first in range(0, len(rows), step):
            block = [plans[row] for row in rows[first : first + step]]
            with np.errstate(over="ignore"):  # infinite ones are refused below
                values[first : first + step] = _values(file, path, axes, block, metres, turn)
    if not np.isfinite(keys).all():
        raise BvhError(f"numbers of frames must fit {dtype}, got larger ones")
    if not (keys[1:count] > keys[: count - 1]).all():
        raise BvhError(
            f"frame times must differ in {dtype}, got {file.frame_time:g} s between them; load as float64"
        )
    return Clip(name, skeleton, keys, tracks)


def _values(
    file: Bvh, path: int, axes: str, plans: list[_TrackPlan], metres: float, turn: Turn
) -> NDArray[np.float64]:
    """Return the keys of tracks with the same path, axes and number of keys, shape (track, key, 3 or 4)."""
    key_count = plans[0].key_count
    numbers = file.frames[:key_count, [plan.columns for plan in plans]].transpose(1, 0, 2)
    values = np.empty((len(plans), key_count, 3 + path))
    if path == ROTATION:
        from_euler(axes, np.ascontiguousarray(numbers), degrees=True, out=values)
        align(values, axis=1, out=values)
    else:
        values[:] = [[file.nodes[plan.joint].offset] for plan in plans]
        values[..., ["XYZ".index(axis) for axis in axes]] = numbers
        with np.errstate(over="ignore"):
            values *= metres
    if turn is not TURNS["y"]:
        values[..., :3] = turn.of(values[..., :3])
    return values


class _TrackPlan(NamedTuple):
    """A track: its joint and path, axes in the order of the file, columns of the frames, number of keys."""

    joint: int
    path: int
    axes: str
    columns: list[int]
    key_count: int


def _plan_tracks(nodes: list[BvhNode], changes: NDArray[np.bool_], frame_count: int) -> list[_TrackPlan]:
    """Plan the tracks of all nodes; `changes` says which columns of the frames change."""
    plans = []
    for joint, node in enumerate(nodes):
        for path, kind in ((TRANSLATION, "position"), (ROTATION, "rotation")):
            channels = [index for index, channel in enumerate(node.channels) if channel.endswith(kind)]
            if channels:
                axes = "".join(node.channels[index][0] for index in channels)
                columns = [node.first_channel + index for index in channels]
                key_count = frame_count if changes[columns].any() else 1
                plans.append(_TrackPlan(joint, path, axes, columns, key_count))
    if not changes.any():  # one track keeps the times of a clip in which nothing moves
        plans[0] = plans[0]._replace(key_count=frame_count)
    return plans
