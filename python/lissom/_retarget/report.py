# SPDX-License-Identifier: MIT
"""How near a clip on the target is to the clip on its source."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import msgspec

from lissom._base.doors import as_html
from lissom._base.names import counted
from lissom._base.printable import printable
from lissom._base.set_module import set_module

__all__ = ["RetargetReport", "RetargetedClip"]

NOTED = 1.0  # percent: less is not printed
_SHOWN = 8  # names in a report


@set_module("lissom")
@dataclass(frozen=True, repr=False, kw_only=True)
class RetargetedClip:
    """How near one clip on the target is to the source's.

    Attributes
    ----------
    name : str
    bone_mean, bone_p99, bone_max : float
        Degrees between bones of both bodies before goals: mean, 99th percentile and largest, over frames and
        bones. Bones are those between roles that follow each other in both bodies; feet, hands and head have
        orientations instead.
    worst_bone : str
        The role of the joint whose bone differs most.
    bone_mean_with_goals, bone_max_with_goals : float
        The same after feet and hands went to their goals.
    bones, bones_with_goals : dict of str to float
        Mean degrees by the role at the head of the bone, before and after.
    twist_max : float
        Largest difference of twists about limb bones, degrees, relative to the aligned reference pose.
    orientation_max : float
        The same of the orientations of hands, feet and head.
    slide, source_slide : float or None
        Speed of supporting points in stances, percent of leg length a second; None without feet.
    stance_share : float or None
        Share of the frames, over all feet, that are in those stances, percent: of few, slides say little.
    penetration, source_penetration : float or None
        How deep the lowest point of a sole is in the ground, percent of size.
    reach_error : float or None
        Largest difference of the distances from shoulder to hand, percent of arm length.
    beyond : dict of str to float
        By limb, how far its end stayed from its goal at most, out of reach after the pelvis was lowered or
        kept by limits, percent of its length.
    left_out : float
        Largest translation of a joint from its reference pose that is not carried over, percent of size.
    morphs_left_out : tuple of str
        Morph targets that the clip moves and the target does not have: their weights are dropped.

    Examples
    --------
    >>> hero, child = lissom.samples.humanoid(), lissom.samples.humanoid("child")
    >>> retarget = lissom.Retarget(hero, child)
    >>> walk = retarget.clip(hero.clips["walk"])
    >>> found = retarget.report.clips["walk"]
    >>> found.bone_mean < 0.01, found.slide < found.source_slide + 1
    (True, True)
    """

    name: str
    bone_mean: float
    bone_p99: float
    bone_max: float
    worst_bone: str
    bone_mean_with_goals: float
    bone_max_with_goals: float
    bones: dict[str, float]
    bones_with_goals: dict[str, float]
    twist_max: float
    orientation_max: float
    slide: float | None
    source_slide: float | None
    stance_share: float | None
    penetration: float | None
    source_penetration: float | None
    reach_error: float | None
    beyond: dict[str, float]
    left_out: float
    morphs_left_out: tuple[str, ...] = ()

    _repr_html_ = as_html

    def __repr__(self) -> str:
        return f"<RetargetedClip {self.name!r}: {self}>"

    def __str__(self) -> str:
        parts = [f"bones {self.bone_mean:.2g} degrees off, {self.bone_mean_with_goals:.2g} with goals"]
        if self.slide is not None and self.penetration is not None:
            parts.append(
                f"feet slide {self.slide:.2g} % of a leg a second (source {self.source_slide:.2g}) in the "
                f"{self.stance_share:.2g} % of frames that they stand, "
                f"{self.penetration:.2g} % of size in the ground"
            )
        if self.reach_error is not None:
            parts.append(f"hands reach within {self.reach_error:.2g} % of an arm")
        farthest = max(self.beyond, key=lambda name: self.beyond[name], default="")
        if farthest and self.beyond[farthest] > NOTED:
            parts.append(f"{farthest} {self.beyond[farthest]:.2g} % out of reach")
        if self.left_out > NOTED:
            parts.append(f"joints moved {self.left_out:.2g} % of size from their places are not followed")
        if self.morphs_left_out:
            parts.append(f"{counted(len(self.morphs_left_out), 'morph target')} not there")
        return "; ".join(parts)


@set_module("lissom")
@dataclass(frozen=True, repr=False, kw_only=True)
class RetargetReport:
    """What a `Retarget` found in two bodies, and how near the clips are that it carried over; ``print`` it.

    Attributes
    ----------
    roles : tuple of str
        Those that both bodies have.
    at_rest : tuple of str
        Joints of the target that nothing turns: they keep their rest.
    unused : tuple of str
        Roles of the source that the target does not have.
    without_goals : dict of str to str
        Limbs without a goal, and why.
    source_pose, target_pose : str
        The reference poses: "rest", "bind" or "given".
    scale : float
        Lengths of the target for one of the source: the ratio of leg lengths.
    turn : float
        Degrees between the directions that the bodies face, in their model spaces.
    floor : (float, float)
        Heights of the ground of source and target in their model spaces.
    clips : dict of str to RetargetedClip
        By name; of clips of one name the last.

    Examples
    --------
    >>> hero, child = lissom.samples.humanoid(), lissom.samples.humanoid("child")
    >>> retarget = lissom.Retarget(hero, child)
    >>> walk = retarget.clip(hero.clips["walk"])
    >>> print(str(retarget.report).splitlines()[0])
    34 roles, lengths times 0.5853, reference poses: rest and rest
    """

    roles: tuple[str, ...]
    at_rest: tuple[str, ...]
    unused: tuple[str, ...]
    without_goals: dict[str, str]
    source_pose: str
    target_pose: str
    scale: float
    turn: float
    floor: tuple[float, float]
    clips: dict[str, RetargetedClip]

    _repr_html_ = as_html

    def __repr__(self) -> str:
        return f"<RetargetReport: {counted(len(self.roles), 'role')}, {counted(len(self.clips), 'clip')}>"

    def __str__(self) -> str:
        lines = [
            f"{counted(len(self.roles), 'role')}, lengths times {self.scale:.4g}, "
            f"reference poses: {self.source_pose} and {self.target_pose}"
        ]
        if self.at_rest:
            more = ", ..." if len(self.at_rest) > _SHOWN else ""
            names = ", ".join(map(printable, self.at_rest[:_SHOWN]))
            lines.append(f"{counted(len(self.at_rest), 'joint')} of the target at rest: {names}{more}")
        lines += [f"no goal for {name}: {why}" for name, why in self.without_goals.items()]
        for clip in self.clips.values():
            lines.append(f"{printable(clip.name)}: {clip}")
        return "\n".join(lines)

    def to_json(self) -> str:
        """Return it as JSON.

        Returns
        -------
        str
            An object with the attributes as members.

        Examples
        --------
        >>> hero, child = lissom.samples.humanoid(), lissom.samples.humanoid("child")
        >>> report = lissom.Retarget(hero, child).report
        >>> '"scale": 0.58' in report.to_json()
        True
        """
        return msgspec.json.format(msgspec.json.encode(asdict(self)), indent=2).decode()
