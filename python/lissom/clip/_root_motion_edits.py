# SPDX-License-Identifier: MIT
"""Extracting root motion from a clip, and restoring it.

The root R(t) is the rigid transform of the character in model space, a rotation about y and a position. With
M(t) the model matrix of a joint in the clip, the clip in place has R(t)^-1 M(t), so that R(t) restores M(t).
Under a parent P(t) the local matrix L becomes (P^-1 R^-1 P) L.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import quat, trs
from lissom._base.numbers import check_number
from lissom.clip._error import SUBFRAMES
from lissom.clip._moving import SAME_SCALE, Moving
from lissom.clip._root_path import RootPath
from lissom.clip._tracks import LINEAR, ROTATION, TRANSLATION, Track, all_tracks, unpacked

if TYPE_CHECKING:
    from lissom._rig.skeleton_arrays import Joint
    from lissom.clip import Clip
    from lissom.clip._root_motion import RootMotion

Floats = NDArray[np.float64]

NO_ROTATION = 1e-12  # largest entry of a rotation matrix minus the identity
PROBES = np.array(SUBFRAMES)  # of an interval between keys: where errors are measured
FLESH = 0.1  # of the skeleton's size: errors are measured this far around the joints
MAX_HALVINGS = 12  # of intervals
NEAR = 1e-5  # seconds: key times that differ by less, from rounding, are equal
SHORTEST = 1e-4  # seconds: shorter intervals are not halved; the two keys of a STEP are far closer


def extract_root_motion(
    self: Clip,
    joint: Joint | None = None,
    *,
    translation: bool = True,
    yaw: bool = True,
    height: bool = False,
    steady: bool = False,
    reference: Literal["start", "rest"] = "start",
    max_error: float = 1e-4,
) -> Clip:
    """Extract the movement of the character over the ground, so that the clip stays in place.

    The movement is that of one joint in model space, whatever its ancestors: its position on the ground (x,
    z), and its rotation about model y, the twist of its model rotation relative to that of the rest pose. It
    is removed from that joint and from others that move without being its descendants (feet of a rig whose
    feet are not children of the hips); joints that stand still stay with the character.

    Parameters
    ----------
    joint : str or int, optional
        The joint whose movement is extracted. If omitted: of the joints whose translation is animated the one
        with the most descendants; of those whose rotation is, where that has less than half as many.
    translation, yaw, height : bool
        What to extract: the position on the ground, the rotation about y, and the height of the joint above
        its start. All else stays in the clip: rise and fall, lean, and parts that are False here.
    steady : bool
        Whether to extract only an even movement from the first pose to the last, straight or on an arc. Sway
        and changes of speed then stay in the clip. By default all movement is extracted.
    reference : {"start", "rest"}
        Position and direction of the character in place: those of the clip's first pose, or those of the rest
        pose, which faces forward at the origin. Use "rest" for clips that begin elsewhere: a character
        rotates about its origin.
    max_error : float
        Largest distance of clip in place and root motion together from this clip between keys, as a fraction
        of the skeleton's size. Where it is larger, keys are added. At keys they agree to rounding.

    Returns
    -------
    Clip
        In place. Its `root_motion` is the extracted movement, and ``root_motion.error`` the measured error,
        in model units. Tracks of other joints are unchanged. Whether it loops is inferred again where it was
        not set: a walk that travels does not loop, in place it may.

    Raises
    ------
    TypeError
        If `joint` is neither a name nor an index.
    ValueError
        If the joint does not exist, the clip is additive or has root motion, nothing is to be extracted, an
        ancestor of the joint is scaled by zero or, for the rotation, unevenly.

    Notes
    -----
    The tracks of a joint become LINEAR on the times of its keys, those of its ancestors, and those of the
    root motion. STEP keys become two neighbouring keys, so that jumps remain jumps. CUBICSPLINE keys get as
    many keys between them as `max_error` requires. A uniform clip keeps its grid, and only states its error.

    Where the joint is within 23 degrees of upside down its rotation about y is not defined; it is
    interpolated, so a roll or a cartwheel does not spin the character.

    References
    ----------
    .. [1] ozz-animation, motion extractor (0.15): reference poses, what is extracted along which axes.
    .. [2] Unity manual, Root Motion, how it works: what is baked into the pose and what moves the character.

    Examples
    --------
    >>> stroll = lissom.samples.humanoid().clips["walk"].restore_root_motion()
    >>> walk = stroll.extract_root_motion(steady=True)
    >>> walk.root_motion
    <RootMotion: 1.419 over the ground in 1.100 s, 1.29 a second, loops>
    """
    from lissom.clip._root_motion import RootMotion

    if self.additive:
        raise ValueError("Clip.extract_root_motion: the clip is additive; extract before make_additive")
    if self._root_motion is not None:
        raise ValueError(
            f"Clip.extract_root_motion: clip {self.name!r} has root motion already; put it back first "
            "(restore_root_motion)"
        )
    if not (translation or yaw or height):
        raise ValueError("Clip.extract_root_motion: at least one of translation, yaw and height must be True")
    if reference not in ("start", "rest"):
        raise ValueError(f"Clip.extract_root_motion: reference must be 'start' or 'rest', got {reference!r}")
    _check_error("extract_root_motion", max_error)
    moving = Moving("extract_root_motion", self)
    index = moving.topmost() if joint is None else self.skeleton._index_of(joint, "Clip.extract_root_motion")
    if index is None:  # nothing moves
        root = RootMotion.from_moves(*_ends(self))
        return self._edited(root_motion=root)

    tolerance = max_error * moving.size
    path = RootPath(moving, index, translation, yaw, height, steady, reference)

    def error(times: Floats, moves: Floats) -> Floats:
        return _largest_distance(
            trs.to_matrix(path.moves(times)), trs.to_matrix(moves), moving.size, path.origin
        )

    times, moves, root_error = _refined_keys(self, moving.times(index), path.moves, error, tolerance)
    root = RootMotion.from_moves(times, moves)
    branches = moving.branches(index)
    tracks, branch_error, on_grid = _transform_branches(moving, branches, root.track, True, tolerance)
    names = [self.skeleton.names[branch] for branch in branches]
    root = RootMotion(root.track, names, max(root_error, branch_error))
    return self._edited(tracks, uniform=self.uniform and on_grid, root_motion=root)


def restore_root_motion(self: Clip, *, max_error: float = 1e-4) -> Clip:
    """Put root motion back into the tracks: the character travels in model space again.

    It goes to the joints that `extract_root_motion` removed it from; root motion made by hand goes to the
    whole character.

    Parameters
    ----------
    max_error : float
        As for `extract_root_motion`.

    Returns
    -------
    Clip
        Without `root_motion`; whether it loops is inferred again. Equal to the clip before root motion was
        extracted: exactly at keys, except for rounding, and nearly between them.

    Raises
    ------
    ValueError
        If the clip has no root motion, it is of joints that the skeleton does not have, or an ancestor of
        theirs is scaled by zero or, for a rotation, unevenly.

    Examples
    --------
    >>> stroll = lissom.samples.humanoid().clips["walk"].restore_root_motion()
    >>> print(stroll.sample(stroll.end)[0, 2].round(2))  # the pelvis, in metres ahead
    1.41
    """
    motion = self.root_motion
    if motion is None:
        raise ValueError(f"Clip.restore_root_motion: clip {self.name!r} has no root motion to put back")
    _check_error("restore_root_motion", max_error)
    if motion.joints:
        branches = [self.skeleton.index(name) for name in motion.joints]
    else:
        branches = np.flatnonzero(self.skeleton.parents < 0).tolist()
    moving = Moving("restore_root_motion", self)
    tolerance = max_error * moving.size
    tracks, _, on_grid = _transform_branches(moving, branches, motion.track, False, tolerance)
    return self._edited(tracks, uniform=self.uniform and on_grid, root_motion=None, loop=None)


def with_root_motion(self: Clip, motion: RootMotion | None) -> Clip:
    """Set the root motion of a clip that stays in place.

    Parameters
    ----------
    motion : RootMotion or None
        Over the seconds of this clip. None removes it.

    Returns
    -------
    Clip
        With the same keys. The root motion loops as the clip does.

    Raises
    ------
    TypeError
        If `motion` is not a RootMotion.
    ValueError
        If it does not start and end with the clip, or the clip is additive.

    Examples
    --------
    >>> clip = lissom.samples.humanoid().clips["idle"]
    >>> slide = lissom.trs.from_parts(translation=[[0, 0, 0], [0, 0, 2.0]])
    >>> skating = clip.with_root_motion(lissom.RootMotion.from_moves([clip.start, clip.end], slide))
    >>> skating.root_motion.speed
    0.5
    """
    from lissom.clip._root_motion import RootMotion

    if motion is None:
        return self._edited(root_motion=None)
    if not isinstance(motion, RootMotion):
        raise TypeError(
            f"Clip.with_root_motion: motion must be a RootMotion or None, got {type(motion).__name__}"
        )
    if self.additive:
        raise ValueError(
            f"Clip.with_root_motion: the clip must hold poses, got {self.name!r}, which is additive: "
            "differences do not travel"
        )
    if max(abs(motion.start - self.start), abs(motion.end - self.end)) > NEAR:
        raise ValueError(
            f"Clip.with_root_motion: motion must last from {self.start:.6g} s to {self.end:.6g} s like the "
            f"clip, got {motion.start:.6g} s to {motion.end:.6g} s"
        )
    return self._edited(root_motion=motion)


def _transform_branches(
    moving: Moving, branches: list[int], root: Clip, undone: bool, tolerance: float
) -> tuple[list[Track], float, bool]:
    """Transform the clip's branches by the root, or by its inverse where `undone`.

    Returns
    -------
    tracks : list of Track
        All tracks of the clip.
    error : float
        The largest error between keys, in model space.
    on_grid : bool
        Whether the new tracks have the times of all the others, if these are one grid.
    """
    clip = moving.clip
    tracks, worst, on_grid = all_tracks(clip), 0.0, True
    timelines: list[NDArray[Any]] = [track.times for track in tracks]
    root_times = np.concatenate([track.times for track in unpacked(root.keys, root.tracks)])
    root_times = np.clip(root_times, clip.start, clip.end)
    for joint in branches:
        branch = _Branch(moving, joint, root, undone)
        own = moving.times(joint)
        neighbours = np.searchsorted(own, root_times)[:, None] - [0, 1]
        gaps = np.abs(root_times[:, None] - own[np.clip(neighbours, 0, len(own) - 1)]).min(axis=1)
        start = np.concatenate([own, root_times[gaps > NEAR]])
        times, rows, error = _refined_keys(clip, start, branch.rows, branch.error, tolerance)
        worst = max(worst, error)
        keys = next((t for t in timelines if np.array_equal(t, times)), None)
        if keys is None:
            on_grid = False
            keys = times.astype(clip.keys.dtype)
            timelines.append(keys)
        paths = {TRANSLATION: rows[:, :3]}
        if branch.rotates:
            paths[ROTATION] = quat.align(rows[:, 3:7])
        tracks = [t for t in tracks if t.joint != joint or t.path not in paths]
        tracks += [Track(joint, path, LINEAR, keys, values) for path, values in paths.items()]
    return tracks, worst, on_grid


class _Branch:
    """A joint that is transformed by a root, or by its inverse, with all its descendants."""

    def __init__(self, moving: Moving, joint: int, root: Clip, undone: bool) -> None:
        self._moving, self._joint, self._root, self._undone = moving, joint, root, undone
        skeleton = moving.skeleton
        positions = skeleton.positions(skeleton.rest.astype(np.float64))
        subtree = [j for j in range(joint, len(skeleton)) if skeleton.is_in_hierarchy(j, joint)]
        farthest = np.linalg.norm(positions[subtree] - positions[joint], axis=1).max()
        self._radius = float(farthest) + FLESH * moving.size
        self.rotates = False
        """Whether any of its rows so far was rotated."""

    def rows(self, times: Floats) -> Floats:
        """Return the local trs of the joint at times, (N, 10)."""
        parents, local, root = self._at(times)
        move = np.linalg.solve(parents, root @ parents)
        result = local.copy()
        result[:, :3] = (move[:, :3, :3] @ local[:, :3, None])[..., 0] + move[:, :3, 3]
        if np.abs(root[:, :3, :3] - np.eye(3)).max() > NO_ROTATION:
            self._check_uniform_scale(parents)
            self.rotates = True
            result[:, 3:7] = quat.normalize(quat.multiply(trs.from_matrix(move)[:, 3:7], local[:, 3:7]))
        return result

    def error(self, times: Floats, rows: Floats) -> Floats:
        """Return the largest distance in model space of the branch with `rows` from the exact one, (N,)."""
        parents, local, root = self._at(times)
        return _largest_distance(root @ parents @ _rigid(local), parents @ _rigid(rows), self._radius)

    def _at(self, times: Floats) -> tuple[Floats, Floats, Floats]:
        poses = self._moving.poses(times)
        root = trs.to_matrix(self._root.sample(times, loop=False)[:, 0])
        root = np.linalg.inv(root) if self._undone else root
        return self._moving.parent_matrices(poses, self._joint), poses[:, self._joint], root

    def _check_uniform_scale(self, parents: Floats) -> None:
        linear = parents[:, :3, :3]
        squares = np.swapaxes(linear, 1, 2) @ linear
        size = np.trace(squares, axis1=1, axis2=2)[:, None, None] / 3
        if not (np.abs(squares - size * np.eye(3)) <= SAME_SCALE * size).all():
            name = self._moving.skeleton.names[self._joint]
            raise ValueError(
                f"Clip.{self._moving.function}: to rotate, joint must have joints above {name!r} whose scale "
                "is the same along all axes; pass yaw=False, or choose a joint further up"
            )


def _refined_keys(
    clip: Clip,
    times: Floats,
    rows_at: Callable[[Floats], Floats],
    error_at: Callable[[Floats, Floats], Floats],
    tolerance: float,
) -> tuple[Floats, Floats, float]:
    """Add key times where the error of LINEAR keys at `times` is above the tolerance.

    Returns
    -------
    times : ndarray, shape (N,)
    rows : ndarray, shape (N, 10)
    error : float
        The largest error between keys.
    """
    times = _stored(clip, times)
    for halvings in range(MAX_HALVINGS + 1):
        rows = rows_at(times)
        if len(times) < 2:
            return times, rows, 0.0
        gaps = np.diff(times)
        probes = times[:-1, None] + PROBES * gaps[:, None]
        between = np.empty((*probes.shape, 10))
        first, second, share = rows[:-1, None], rows[1:, None], PROBES[:, None]
        between[..., :3] = first[..., :3] + share * (second[..., :3] - first[..., :3])
        mix = quat.nlerp if clip.uniform else quat.slerp
        between[..., 3:7] = mix(first[..., 3:7], second[..., 3:7], PROBES)
        between[..., 7:] = 1
        errors = error_at(probes.ravel(), between.reshape(-1, 10)).reshape(probes.shape).max(axis=1)
        wide = gaps > SHORTEST
        poor = wide & (errors > tolerance)
        if clip.uniform or halvings == MAX_HALVINGS or not poor.any():
            break
        times = _stored(clip, np.concatenate([times, times[:-1][poor] + gaps[poor] / 2]))
    return times, rows, float(errors[wide].max(initial=0.0))


def _stored(clip: Clip, times: Floats) -> Floats:
    """Return times sorted, each once, in the type of the clip's keys; of a uniform clip those of its grid."""
    if clip.uniform and len(clip._table):
        return all_tracks(clip)[0].times.astype(np.float64)
    return np.unique(times.astype(clip.keys.dtype)).astype(np.float64)


def _largest_distance(a: Floats, b: Floats, radius: float, center: ArrayLike = (0, 0, 0)) -> Floats:
    """Return how far matrices (N, 4, 4) move any point within `radius` of `center` apart, at most, (N,)."""
    rotations = [m[:, :3, :3] / np.linalg.norm(m[:, :3, :3], axis=1, keepdims=True) for m in (a, b)]
    # The Frobenius norm of a difference of rotations is sqrt(2) times its spectral norm.
    spectral = np.linalg.norm(rotations[0] - rotations[1], axis=(1, 2)) / np.sqrt(2)
    shift = np.linalg.norm((a - b) @ np.append(center, 1.0), axis=1)
    return np.asarray(shift + radius * spectral)


def _rigid(rows: Floats) -> Floats:
    """Return the matrices of trs without their scale, which may be zero."""
    rows = rows.copy()
    rows[:, 7:] = 1
    return trs.to_matrix(rows)


def _ends(clip: Clip) -> tuple[Floats, Floats]:
    """Return the times of start and end, and the identity at both."""
    times = np.unique([clip.start, clip.end])
    return times, trs.identity(len(times), np.float64)


def _check_error(function: str, max_error: float) -> None:
    check_number(max_error, f"Clip.{function}: max_error", above_zero=True)
