# SPDX-License-Identifier: MIT
"""A clip played on another skeleton, joint by joint of the same name."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from lissom._base.distinct import distinct
from lissom._base.doors import as_html
from lissom._base.names import counted, near_names, unknown_name
from lissom._base.printable import printable
from lissom._base.set_module import set_module
from lissom._base.vectors import angles_between
from lissom._rig.skeleton import Skeleton
from lissom.clip._bind_morphs import MorphPartners
from lissom.clip._cuts import checked_tracks, stored_tracks, with_end_keys
from lissom.clip._morphs import names_and_defaults
from lissom.clip._root_motion import RootMotion
from lissom.clip._tracks import ROTATION, TRANSLATION, WEIGHT, Track, unpacked
from lissom.quat import angle_between

if TYPE_CHECKING:
    from lissom.clip import Clip
    from lissom.clip._morphs import MorphNames

# Translations that vary less than this are constant: rounding of exporters, of a joint that does not move.
STILL = 1e-5  # of the skeleton's size
# A joint this low has no height to compare: sizes are compared instead.
LOW = 0.01  # of the skeleton's size
SHORT = 0.01  # of the skeleton's size: bones that are shorter point nowhere
SAME_LENGTH = 1e-6  # rest poses are float32
REST_SHOWN = np.radians(1.0)  # rest rotations of one joint that differ by less count as the same
BONE_SHOWN = np.radians(10.0)  # bones that differ by more are not those the motion was made for
_SHOWN = 8  # names in a report


@set_module("lissom")
@dataclass(frozen=True, slots=True, repr=False)
class Binding:
    """Which joints of a clip found a partner; ``print`` it.

    Attributes
    ----------
    matched : tuple of (str, str)
        Name in the clip and name in the skeleton of each joint that the clip moves and the skeleton has.
    unmatched : tuple of str
        Joints that the clip moves and the skeleton does not have: their tracks are dropped.
    unmoved : tuple of str
        Joints of the skeleton that no track moves: they stay at rest.
    length_factor : float
        Factor by which the translations that were kept are multiplied.
    rest_difference : float
        Radians: the largest angle between the rest rotations of two partners. Where it is large, the clip was
        made for other axes than the skeleton has.
    rest_differs_at : str
        The joint of the skeleton where it is largest; empty where nothing matched.
    bone_difference : float
        Radians: the largest angle between a bone of the clip's skeleton at rest and its partner turned alike.
        Where it is above 10 degrees there is a warning: `Retarget` carries motion over to other axes and rest
        poses.
    bone_differs_at : str
        The joint of the skeleton whose bone that is, from the joint above to it; empty without bones.
    matched_morphs : tuple of (str, str)
        Name in the clip and name in `morphs` of each morph target that the clip moves and that has a partner;
        empty where no `morphs` were passed, like the others.
    unmatched_morphs : tuple of str
        Morph targets that the clip moves and `morphs` do not have: their tracks are dropped.
    unmoved_morphs : tuple of str
        Those of `morphs` that no track moves: they keep their defaults.

    Examples
    --------
    >>> hero, child = lissom.samples.humanoid(), lissom.samples.humanoid("child")
    >>> walk = hero.clips["walk"].bind(child.skeleton, lengths="skeleton")
    >>> print(walk.binding)
    32 joints matched
    2 of the skeleton that nothing moves: Hand.L, Hand.R
    translations times 0.5967
    >>> walk.binding.unmatched, round(walk.binding.length_factor, 2)
    ((), 0.6)
    """

    matched: tuple[tuple[str, str], ...]
    unmatched: tuple[str, ...]
    unmoved: tuple[str, ...]
    length_factor: float = 1.0
    rest_difference: float = 0.0
    rest_differs_at: str = ""
    bone_difference: float = 0.0
    bone_differs_at: str = ""
    matched_morphs: tuple[tuple[str, str], ...] = ()
    unmatched_morphs: tuple[str, ...] = ()
    unmoved_morphs: tuple[str, ...] = ()

    _repr_html_ = as_html

    def __repr__(self) -> str:
        return (
            f"<Binding: {len(self.matched)} joints matched, {len(self.unmatched)} of the clip dropped, "
            f"{len(self.unmoved)} of the skeleton at rest>"
        )

    def __str__(self) -> str:
        lines = [f"{len(self.matched)} joints matched"]
        if self.matched_morphs:
            lines.append(f"{counted(len(self.matched_morphs), 'morph target')} matched")
        for title, names in (
            ("of the clip without partner, dropped", self.unmatched),
            ("of the skeleton that nothing moves", self.unmoved),
            ("morph targets of the clip without partner, dropped", self.unmatched_morphs),
            ("morph targets that nothing moves", self.unmoved_morphs),
        ):
            if names:
                more = ", ..." if len(names) > _SHOWN else ""
                lines.append(f"{len(names)} {title}: {', '.join(map(printable, names[:_SHOWN]))}{more}")
        for name in self.unmatched[:_SHOWN]:
            if near := near_names(name, self.unmoved):
                lines.append(f"{name!r} may be {' or '.join(map(repr, near))}: say so with names=")
        if self.length_factor != 1:
            lines.append(f"translations times {self.length_factor:.4g}")
        if self.rest_difference > REST_SHOWN:
            angle = np.degrees(self.rest_difference)
            lines.append(f"rest rotations differ by up to {angle:.1f} degrees, at {self.rest_differs_at!r}")
        if self.bone_difference > BONE_SHOWN:
            lines.append(f"{_bones_differ(self)}; Retarget carries motion over to other axes and rest poses")
        return "\n".join(lines)


def bind(
    self: Clip,
    skeleton: Skeleton,
    names: Mapping[str, str | None] | Callable[[str], str | None] | None = None,
    *,
    lengths: Literal["clip", "skeleton"] = "clip",
    morphs: MorphNames | None = None,
) -> Clip:
    """Play this clip on another skeleton, by the names of the joints.

    Tracks are copied unchanged to the joint of the same name. Joints are not retargeted: the two skeletons
    should have the same axes at rest; ``binding.bone_difference`` says how far bones are from that, and a
    warning where it is more than 10 degrees. `Retarget` is for other skeletons.

    Parameters
    ----------
    skeleton : Skeleton
    names : mapping of str to str, or function, optional
        The skeleton's name for a name of the clip; None for no partner. Names that are not in a mapping stand
        for themselves, letter by letter. A function is called for every joint that the clip moves; a name
        that the skeleton does not have means no partner.
    lengths : {"clip", "skeleton"}
        Whose bone lengths to use. "clip": translations are the clip's. "skeleton": translations stay at the
        skeleton's rest, except for those of the topmost joint whose translation changes, which are multiplied
        by the ratio of its heights above the lowest joint, at rest, of the two skeletons (of their sizes,
        where it is the lowest itself). So a tall performer walks a short character without stretching it.
    morphs : Morphs or sequence of str, optional
        The morph targets of the other character, ``mesh.morphs``, or their names. Weights go to the target of
        the same full name, "node/target"; where there is none, to all targets of the same name without the
        node. If omitted, the clip keeps its own morph targets.

    Returns
    -------
    Clip
        ``binding`` lists what matched and what did not. Start, end, markers and loop are this clip's; root
        motion is kept, its translation multiplied alike.

    Raises
    ------
    ValueError
        If `names` has names that the clip's skeleton or `skeleton` does not have, two joints get one partner,
        or nothing matches, of a clip that moves only morph targets none of them; the message suggests similar
        names.
    TypeError
        If `skeleton` is not a Skeleton, or `names` is or returns another type.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> walk = hero.clips["walk"].bind(hero.skeleton)
    >>> print(str(walk.binding).splitlines()[0])
    32 joints matched
    """
    if not isinstance(skeleton, Skeleton):
        raise TypeError(f"Clip.bind: skeleton must be a Skeleton, got {type(skeleton).__name__}")
    if not (names is None or isinstance(names, Mapping) or callable(names)):
        raise TypeError(f"Clip.bind: names must be a mapping or a function, got {type(names).__name__}")
    if lengths not in ("clip", "skeleton"):
        raise ValueError(f'Clip.bind: lengths must be "clip" or "skeleton", got {lengths!r}')
    partners = _partners(self, skeleton, names)
    tracks = checked_tracks(self)
    kept = [track for track in tracks if track.path != WEIGHT and track.joint in partners]
    weights = [track for track in tracks if track.path == WEIGHT]
    options: dict[str, Any] = {}
    morph_partners = None
    if morphs is not None:
        targets, defaults = names_and_defaults(morphs)
        morph_partners = MorphPartners(self, tuple(targets))
        weights = [bound for track in weights for bound in morph_partners.bound(track)]
        options = {"morph_names": targets, "morph_defaults": defaults}
    factor = 1.0
    if lengths == "skeleton":
        kept, factor = _with_lengths_of(skeleton, self, kept, partners)
    moved = [replace(track, joint=partners[track.joint]) for track in kept] + weights
    # The tracks with keys at the ends may have been dropped.
    bound = self._edited(
        stored_tracks(with_end_keys(moved, np.array([self.start, self.end])), self.keys.dtype, "Clip.bind"),
        skeleton=skeleton,
        uniform=self.uniform,
        root_motion=self.root_motion and _bound_root_motion(self, skeleton, partners, factor),
        **options,
    )
    bound._binding = _report(self, skeleton, partners, factor, morph_partners)
    if bound._binding.bone_difference > BONE_SHOWN:
        warnings.warn(
            f"Clip.bind: {self.name!r}: {_bones_differ(bound._binding)}, since the rest poses have other "
            "axes: lissom.Retarget(source, target).clip(clip) carries the motion over",
            stacklevel=2,
        )
    return bound


def _bones_differ(binding: Binding) -> str:
    angle = np.degrees(binding.bone_difference)
    return f"bones point elsewhere by up to {angle:.0f} degrees, at {binding.bone_differs_at!r}"


def _moved_joints(clip: Clip) -> list[int]:
    return [int(joint) for joint in distinct(clip.tracks["joint"])]


def _partners(
    clip: Clip,
    skeleton: Skeleton,
    names: Mapping[str, str | None] | Callable[[str], str | None] | None,
) -> dict[int, int]:
    """Return the skeleton's joint for each joint that the clip moves and that has a partner."""
    own = clip.skeleton.names
    if isinstance(names, Mapping):
        for old, new in names.items():
            _check_partner(old, new)
            if old not in own:
                raise ValueError(f"Clip.bind: names: {unknown_name('joint of the clip', old, own)}")
            if new is not None and new not in skeleton.names:
                raise ValueError(
                    f"Clip.bind: names: {unknown_name('joint of the skeleton', new, skeleton.names)}"
                )
    indices = {name: index for index, name in enumerate(skeleton.names)}
    partners: dict[int, int] = {}
    taken: dict[int, str] = {}
    for joint in _moved_joints(clip):
        name = own[joint]
        if isinstance(names, Mapping):
            target = names.get(name, name)
        else:
            target = name if names is None else names(name)
            _check_partner(name, target)
        partner = None if target is None else indices.get(target)
        if partner is None:
            continue
        if partner in taken:
            raise ValueError(
                f"Clip.bind: names: {taken[partner]!r} and {name!r} must have different partners, both got "
                f"{skeleton.names[partner]!r}"
            )
        partners[joint], taken[partner] = partner, name
    if len(clip.tracks) and not partners:
        raise ValueError(f"Clip.bind: {_no_match(clip, skeleton)}")
    return partners


def _check_partner(name: object, partner: object) -> None:
    if not (isinstance(name, str) and (partner is None or isinstance(partner, str))):
        raise TypeError(
            f"Clip.bind: names must map names to names or None, got {partner!r} for {name!r}; take "
            "skeleton.names[index] for an index"
        )


def _no_match(clip: Clip, skeleton: Skeleton) -> str:
    moved = [clip.skeleton.names[joint] for joint in _moved_joints(clip)]
    near = {name: found[0] for name in moved if (found := near_names(name, skeleton.names))}
    some = dict(list(near.items())[:3])
    return (
        f"no joint that clip {clip.name!r} moves ({', '.join(map(repr, moved[:3]))}...) has a partner among "
        f"the skeleton's {len(skeleton)} ({', '.join(map(repr, skeleton.names[:3]))}...); "
        + (
            f"pass names=, such as {some}"
            if some
            else "pass names=, a mapping of the clip's to the skeleton's"
        )
    )


def _with_lengths_of(
    skeleton: Skeleton, clip: Clip, tracks: list[Track], partners: dict[int, int]
) -> tuple[list[Track], float]:
    """Drop all translations except those of the topmost joint that moves, and scale these."""
    if not (skeleton.size > 0 and clip.skeleton.size > 0):
        raise ValueError(
            'Clip.bind: with lengths="skeleton", skeletons must have a size, got one whose joints coincide '
            'at rest; pass lengths="clip"'
        )
    movers = [track for track in tracks if track.path == TRANSLATION]
    others = [track for track in tracks if track.path != TRANSLATION]
    if not movers:
        return others, 1.0
    still = STILL * clip.skeleton.size
    changing = [track for track in movers if np.ptp(track.points, axis=0).max() > still]
    top = min(changing or movers, key=lambda track: partners[track.joint])
    model, own_model = (s.model_matrices(s.rest.astype(np.float64)) for s in (skeleton, clip.skeleton))
    joint, own = partners[top.joint], top.joint
    height, own_height = _height(model, joint), _height(own_model, own)
    if min(height / skeleton.size, own_height / clip.skeleton.size) < LOW:
        height, own_height = skeleton.size, clip.skeleton.size
    unit, own_unit = _unit(model, skeleton, joint), _unit(own_model, clip.skeleton, own)
    factor = height / own_height * own_unit / unit
    if abs(factor - 1) < SAME_LENGTH:
        factor = 1.0
    scaled = replace(top, values=(top.values * factor).astype(top.values.dtype))
    return [scaled, *others], float(factor)


def _height(model: NDArray[np.float64], joint: int) -> float:
    """Return the height of a joint above the lowest."""
    heights = model[:, 1, 3]
    return float(heights[joint] - heights.min())


def _unit(model: NDArray[np.float64], skeleton: Skeleton, joint: int) -> float:
    """Length, in model space, of one unit of the frame that translations of a joint are in."""
    parent = int(skeleton.parents[joint])
    unit = 1.0 if parent < 0 else float(np.cbrt(abs(np.linalg.det(model[parent, :3, :3]))))
    return unit if unit > 0 else 1.0  # all is one point below a scale of zero


def _bound_root_motion(
    clip: Clip, skeleton: Skeleton, partners: dict[int, int], factor: float
) -> RootMotion | None:
    motion = clip.root_motion
    if motion is None:
        return None
    branches = [partners.get(clip.skeleton.index(name)) for name in motion.joints]
    joints = [skeleton.names[joint] for joint in branches if joint is not None]
    return RootMotion(_scaled(motion.track, factor), joints, motion.error * factor)


def _scaled(clip: Clip, factor: float) -> Clip:
    """Return a clip with its translations multiplied by a factor."""
    if factor == 1:
        return clip
    tracks = [
        replace(track, values=track.values * factor) if track.path == TRANSLATION else track
        for track in unpacked(clip.keys, clip.tracks)
    ]
    return clip._edited(tracks, uniform=clip.uniform, loop=clip.loop)


def _report(
    clip: Clip,
    skeleton: Skeleton,
    partners: dict[int, int],
    factor: float,
    morphs: MorphPartners | None,
) -> Binding:
    old, new = list(partners), list(partners.values())
    own = clip.skeleton
    difference, at = 0.0, ""
    if partners:
        first, second = (s.rest[j, 3:7].astype(np.float64) for s, j in ((own, old), (skeleton, new)))
        angles = angle_between(first, second)
        worst = int(np.argmax(angles))
        difference, at = float(angles[worst]), skeleton.names[new[worst]]
    moved = set(new)
    bone_difference, bone_at = _bone_difference(clip, skeleton, partners)
    return Binding(
        tuple((own.names[joint], skeleton.names[partner]) for joint, partner in partners.items()),
        tuple(own.names[joint] for joint in _moved_joints(clip) if joint not in partners),
        tuple(name for joint, name in enumerate(skeleton.names) if joint not in moved),
        factor,
        difference,
        at,
        bone_difference,
        bone_at,
        *((morphs.matched, morphs.unmatched, morphs.unmoved) if morphs else ()),
    )


def _bone_difference(clip: Clip, skeleton: Skeleton, partners: dict[int, int]) -> tuple[float, str]:
    """Return the largest angle between bones where the skeleton is posed as the clip's rests, and where."""
    own = clip.skeleton
    turned = set(clip.tracks["joint"][clip.tracks["path"] == ROTATION].tolist())
    rest, pose = (each.rest.astype(np.float64) for each in (own, skeleton))
    for joint, partner in partners.items():
        if joint in turned:
            pose[partner, 3:7] = rest[joint, 3:7]
    places, own_places = skeleton.positions(pose), own.positions(rest)
    worst, at = 0.0, ""
    for joint, partner in partners.items():
        above = _above(own, joint, partners)
        if above < 0 or _above(skeleton, partner, set(partners.values())) != partners[above]:
            continue
        bones = own_places[joint] - own_places[above], places[partner] - places[partners[above]]
        lengths = [float(np.linalg.norm(bone)) for bone in bones]
        if min(lengths[0] / max(own.size, 1e-30), lengths[1] / max(skeleton.size, 1e-30)) < SHORT:
            continue
        angle = float(angles_between(*bones))
        if angle > worst:
            worst, at = angle, skeleton.names[partner]
    return worst, at


def _above(skeleton: Skeleton, joint: int, among: Container[int]) -> int:
    """Return the nearest of some joints above one; -1 where there is none."""
    joint = int(skeleton.parents[joint])
    while joint >= 0 and joint not in among:
        joint = int(skeleton.parents[joint])
    return joint
