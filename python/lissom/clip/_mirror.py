# SPDX-License-Identifier: MIT
"""Mirroring clips, left to right.

The formula, in column vectors. S reflects across the plane through the model's origin. M_j is the model-space
matrix of joint j in a pose, R_j the one at rest, and p(j) the joint on the other side. The motion of j
relative to its rest, M_j R_j^-1, is reflected and applied to its partner::

    M'_p(j) = S (M_j R_j^-1) S R_p(j)

With local matrices L_j (pose) and r_j (rest), a the parent of j and b the parent of p(j), where b = p(a)::

    L'_p(j) = C (L_j r_j^-1) C^-1 r_p(j),    C = R_b^-1 S R_a

C depends on the rest pose only. Its linear part is Q, improper where the frames of the two sides have the
same handedness; conjugation by Q and by -Q maps a rotation to the same one, so let o be the quaternion of
whichever is proper. Then, for the rotation q of joint j, a conjugate written *, its translation t and scale
s::

    q' = (o) q (r_j* o* r_p(j))
    t' = t_rest(p(j)) + Q (t - t_rest(j))
    s' = s_rest(p(j)) + (D^2) (s - s_rest(j))     D: like Q, between the frames of j and p(j); squared entries

The second equals the matrix formula where the rest pose is symmetric, and elsewhere preserves the lengths of
the partner's bones; the third equals it where D maps axes to axes, and elsewhere is the diagonal of the
scale transformed by D. All three are constant linear maps of the components, the first an isometry: slerp,
lerp, nlerp and Hermite splines commute with them, so mapping the keys maps all poses between them.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import quat
from lissom._base.arrays import as_numbers
from lissom._rig.skeleton import Skeleton
from lissom._rig.skeleton_arrays import Joint
from lissom.clip._cuts import Floats, checked_tracks, stored_tracks
from lissom.clip._left_right import (
    morph_partners,
    other_side_markers,
    partners_by_name,
    partners_of,
    without_partner,
)
from lissom.clip._root_motion import RootMotion
from lissom.clip._tracks import COLUMNS, LINEAR, ROTATION, SCALE, TRANSLATION, WEIGHT, Track, all_tracks

if TYPE_CHECKING:
    from lissom.clip import Clip

LOPSIDED = 0.05  # of the size: if half the pairs are this far from symmetric, the pose or the axis is wrong


def mirrored(
    self: Clip,
    pairs: Mapping[Joint, Joint] | None = None,
    *,
    axis: Literal["x", "y", "z"] = "x",
    reference: ArrayLike | None = None,
    morph_pairs: Mapping[str, str] | None = None,
) -> Clip:
    """Swap left and right: a wave with the right hand becomes one with the left.

    The motion of each joint relative to its rest, in model space, is reflected and applied to its partner.
    The weight of each morph target is that of its partner: a wink of the right eye becomes one of the left.
    Nothing is resampled: keys map to keys.

    Parameters
    ----------
    pairs : mapping of joint to joint, optional
        Names or indices, each pair once or in both directions; joints that are not in it are their own
        partners. By name if omitted: ``hand.L``, ``hand_r``, ``L_hand``, ``l-hand``, ``LeftHand``,
        ``mixamorig:LeftHand`` and the like, in upper and lower case, where the other side exists.
    axis : {"x", "y", "z"}
        The model axis to reflect: x where the character looks along z.
    reference : array_like, shape (J, 10), optional
        A symmetric pose, such as the bind pose, in place of the rest pose where that is not symmetric.
    morph_pairs : mapping of str to str, optional
        Names of morph targets that swap, as `pairs`; the others keep their weights. A target's name alone
        means that of every node which has it. By name if omitted: ``face/smileLeft`` and ``face/smileRight``,
        ``blink_L`` and ``blink_R``, ``LeyeClose`` and ``ReyeClose`` and the like.

    Returns
    -------
    Clip
        Root motion is mirrored; markers that have a partner by name (``left foot``, ``right foot``) swap
        names. Rotations of keys may be those of this clip with another sign.

    Raises
    ------
    TypeError
        If `pairs` or `morph_pairs` is not a mapping.
    ValueError
        If no joint has a left and a right by its name (in a clip that moves joints, or has no morph targets
        that do), a joint or morph target does not exist or has two partners, `axis` is
        unknown, or `reference` has another shape or is not finite.

    Warns
    -----
    UserWarning
        If half the pairs are further than 5 % of the size from each other's reflection at rest, or the clip
        moves a morph target that has a side by its name, and no partner.

    Notes
    -----
    With a symmetric rest pose, whatever the axes of its joints, the positions of the mirrored pose are those
    of the pose reflected, and mirroring twice restores the clip. The rest pose is always its own mirror
    image. The docstring of the module derives the formula.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> wave = hero.clips["wave"]
    >>> left, right = (hero.skeleton.index(name) for name in ("Hand.L", "Hand.R"))
    >>> seen = hero.skeleton.positions(wave.sample(1.0))[right]
    >>> shown = hero.skeleton.positions(wave.mirrored().sample(1.0))[left]
    >>> np.allclose(shown, seen * [-1, 1, 1], atol=1e-5)
    True
    """
    if axis not in ("x", "y", "z"):
        raise ValueError(f'Clip.mirrored: axis must be "x", "y" or "z", got {axis!r}')
    others = morph_partners("Clip.mirrored", self.morph_names, morph_pairs)
    if morph_pairs is None and self.morph_names:
        _warn_if_one_sided(self, others)
    if pairs is None and not len(self.tracks) and not np.array_equal(others, np.arange(len(others))):
        partners = partners_by_name(self.skeleton.names)  # a face alone: its joints need no sides
    else:
        partners = partners_of("Clip.mirrored", self.skeleton, pairs)
    pose = _reference(self.skeleton, reference)
    mirror = _mirror(self.skeleton, partners, "xyz".index(axis), pose)
    tracks = checked_tracks(self)
    if reference is not None and not self.additive:
        tracks += _rest_tracks(self, tracks)
    joints = [track for track in tracks if track.path != WEIGHT]
    tracks = [mirror.difference(track) if self.additive else mirror.track(track) for track in joints]
    tracks += _mirrored_weights(self, others)
    motion = self._root_motion
    if motion is not None:
        swapped = partners[[self.skeleton.index(name) for name in motion.joints]]
        track = motion.track if len(motion.track.tracks) == 0 else mirrored(motion.track, {}, axis=axis)
        motion = RootMotion(track, [self.skeleton.names[joint] for joint in swapped], motion.error)
    return self._edited(
        stored_tracks(tracks, self.keys.dtype, "Clip.mirrored"),
        uniform=self.uniform,
        markers=other_side_markers(self.markers),
        root_motion=motion,
    )


def _warn_if_one_sided(clip: Clip, partners: NDArray[np.intp]) -> None:
    """Warn of morph targets that the clip moves, whose names have a side that no other one mirrors."""
    moved = {*clip.weight_tracks["joint"].tolist(), *np.flatnonzero(clip._rest_weights()).tolist()}
    alone = [number for number in without_partner(clip.morph_names, partners) if number in moved]
    if alone:
        named = ", ".join(repr(clip.morph_names[number]) for number in alone[:3])
        more = f" and {len(alone) - 3} more" if len(alone) > 3 else ""
        warnings.warn(
            f"Clip.mirrored: no morph target is by its name the other side of {named}{more}, which "
            f"{'keep their' if len(alone) > 1 else 'keeps its'} weights; pass "
            "morph_pairs={'left target': 'right target', ...}",
            UserWarning,
            stacklevel=3,
        )


def _mirrored_weights(clip: Clip, partners: NDArray[np.intp]) -> list[Track]:
    """Return the tracks of weights for the other side, and one key where defaults of partners differ."""
    weights = [track for track in all_tracks(clip) if track.path == WEIGHT]
    result = [replace(track, joint=int(partners[track.joint])) for track in weights]
    rest = clip._rest_weights()
    still = np.setdiff1d(np.flatnonzero(rest != rest[partners]), [track.joint for track in weights])
    # Of a uniform clip all tracks have the same times.
    tracks = all_tracks(clip)
    times = tracks[0].times if clip.uniform and tracks else np.array([clip.start], clip.keys.dtype)
    for morph in still.tolist():
        result.append(
            Track(int(partners[morph]), WEIGHT, LINEAR, times, np.full((len(times), 1), rest[morph]))
        )
    return result


@dataclass(frozen=True)
class _Mirror:
    """The maps of the module's formula, by the joint that keys come from."""

    partners: NDArray[np.intp]  # (J,)
    reference: Floats  # (J, 10) local trs
    before: Floats  # (J, 4) o
    after: Floats  # (J, 4) r_j* o* r_p(j)
    parent: Floats  # (J, 3, 3) Q
    own: Floats  # (J, 3, 3) D

    def track(self, track: Track) -> Track:
        joint, partner = track.joint, int(self.partners[track.joint])
        values = track.values.astype(np.float64)
        if track.path == ROTATION:
            values = quat.multiply(quat.multiply(self.before[joint], values), self.after[joint])
        else:
            rest = self.reference[:, COLUMNS[track.path]]
            points = track.values.astype(np.float64) if values.ndim == 2 else values[:, 1]
            linear = self.parent[joint] if track.path == TRANSLATION else self.own[joint] ** 2
            values = values @ linear.T
            mapped = rest[partner] + (points - rest[joint]) @ linear.T
            if values.ndim == 2:
                values = mapped
            else:
                values[:, 1] = mapped  # tangents are mapped by the linear part alone
        return replace(track, joint=partner, values=values)

    def difference(self, track: Track) -> Track:
        """Map a track of differences, ``base * delta``, to one that fits the base's mirror image."""
        joint, partner = track.joint, int(self.partners[track.joint])
        values = track.values.astype(np.float64)
        if track.path == ROTATION:
            # (o b r) = (o a r) (r* d r) where b = a d, r the factor on the right.
            after = self.after[joint]
            values = quat.multiply(quat.multiply(quat.conjugate(after), values), after)
        else:
            linear = self.parent[joint] if track.path == TRANSLATION else self.own[joint] ** 2
            values = values @ linear.T
        return replace(track, joint=partner, values=values)


def _mirror(skeleton: Skeleton, partners: NDArray[np.intp], axis: int, reference: Floats) -> _Mirror:
    parents = skeleton.parents
    model = skeleton.model_matrices(reference)
    reflection = np.ones(3)
    reflection[axis] = -1
    _warn_if_lopsided(skeleton, partners, "xyz"[axis], model[:, :3, 3], reflection)
    frames = np.concatenate([model[:, :3, :3], np.eye(3)[None]])  # the last is the parent of roots, -1
    orthogonal_frames = _nearest_orthogonal(frames)

    def between(of: NDArray[Any], to: NDArray[Any]) -> tuple[Floats, Floats]:
        """Return the linear part of R_to^-1 S R_of, and the orthogonal matrix nearest to it."""
        orthogonal = np.swapaxes(orthogonal_frames[to], 1, 2) * reflection @ orthogonal_frames[of]
        return np.linalg.pinv(frames[to]) * reflection @ frames[of], orthogonal

    parent, parent_orthogonal = between(parents, parents[partners])
    own = between(np.arange(len(skeleton)), partners)[1]
    proper = parent_orthogonal * np.linalg.det(parent_orthogonal)[:, None, None]
    before = quat.from_matrix(proper)
    rotations = reference[:, 3:7]
    after = quat.multiply(
        quat.multiply(quat.conjugate(rotations), quat.conjugate(before)), rotations[partners]
    )
    # Entries such as 1e-17 are rounding of 0, and would put -0.0000 into every key.
    parent[np.abs(parent) < 1e-7] = 0
    return _Mirror(partners, reference, before, after, parent, own)


def _nearest_orthogonal(frames: Floats) -> Floats:
    """Return the orthogonal matrices nearest to 3x3 matrices: rotations, improper where those reflect."""
    left, _, right = np.linalg.svd(frames)
    return np.asarray(left @ right)


def _reference(skeleton: Skeleton, pose: ArrayLike | None) -> Floats:
    if pose is None:
        rows = skeleton.rest.astype(np.float64)
    else:
        rows = as_numbers(pose, "Clip.mirrored: reference").astype(np.float64)
        if rows.shape != (len(skeleton), 10):
            raise ValueError(
                f"Clip.mirrored: reference must have shape ({len(skeleton)}, 10) for {len(skeleton)} joints, "
                f"got {rows.shape}"
            )
        if not np.isfinite(rows).all() or np.any(np.abs(rows[:, 3:7]).max(axis=1) < 1e-6):
            raise ValueError("Clip.mirrored: reference must be finite, its rotations not zero")
    rows[:, 3:7] = quat.normalize(rows[:, 3:7])
    return rows


def _rest_tracks(clip: Clip, tracks: list[Track]) -> list[Track]:
    """Return tracks at rest for each joint and path without a track: its mirror image may not be at rest."""
    known = {(track.joint, track.path) for track in tracks}
    # Of a uniform clip all tracks have the same times.
    times = tracks[0].times if clip.uniform and tracks else np.array([clip.start], clip.keys.dtype)
    return [
        Track(joint, path, LINEAR, times, np.repeat(rest[None, COLUMNS[path]], len(times), axis=0))
        for joint, rest in enumerate(clip.skeleton.rest)
        for path in (TRANSLATION, ROTATION, SCALE)
        if (joint, path) not in known
    ]


def _warn_if_lopsided(
    skeleton: Skeleton, partners: NDArray[np.intp], axis: str, positions: Floats, reflection: Floats
) -> None:
    paired = partners != np.arange(len(partners))
    if not paired.any() or not skeleton.size > 0:
        return
    with np.errstate(over="ignore", invalid="ignore"):  # so far away that there is no distance: no warning
        distances = (
            np.linalg.norm(positions * reflection - positions[partners], axis=1)[paired] / skeleton.size
        )
    median = float(np.median(distances))
    if median > LOPSIDED:
        worst = skeleton.names[int(np.flatnonzero(paired)[np.argmax(distances)])]
        warnings.warn(
            f"Clip.mirrored: the rest pose is not symmetric across {axis}: half the pairs lie {median:.0%} "
            f"of the size or more from each other's reflection, {worst!r} {distances.max():.0%}; pass "
            "another axis, or a symmetric pose as reference=, such as the bind pose",
            UserWarning,
            stacklevel=4,
        )
