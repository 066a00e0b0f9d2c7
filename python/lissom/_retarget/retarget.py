# SPDX-License-Identifier: MIT
"""Motion of one body on another."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import _core, quat
from lissom._base.arrays import check_out
from lissom._base.numbers import check_flag
from lissom._base.pose_batch import as_poses
from lissom._base.set_module import set_module
from lissom._retarget.arguments import RolesOfBoth, both_roles
from lissom._retarget.body import body_setup
from lissom._retarget.clip import CarriedClip, carry_clip
from lissom._retarget.measures import measured
from lissom._retarget.posed import IDENTITY
from lissom._retarget.report import RetargetedClip, RetargetReport
from lissom._retarget.setup import prepare
from lissom._rig.skeleton import Skeleton
from lissom.ik._feet.rig import rig_of
from lissom.ik._limits import Limit

if TYPE_CHECKING:
    from lissom._character.character import Character
    from lissom.clip import Clip

__all__ = ["Retarget"]

TOLERANCE, ROUNDS = 1e-4, 60  # of a limb's length, and of solves within limits, as those of ik.two_bone


class Carried(NamedTuple):
    """Poses of the target's rig, (N, K, 10).

    ``beyond`` is how far ends stayed from their goals, (N, E), and ``headings`` the rotations of the hips
    about the vertical, (N, 4): None without goals.
    """

    poses: NDArray[Any]
    beyond: NDArray[Any] | None
    headings: NDArray[Any] | None


@set_module("lissom")
class Retarget:
    """Carries motion of one body over to another, whose joints, axes, rest pose and proportions may differ.

    The two are brought together by roles (see `roles`), never by the names of joints. The reference pose of
    the target is turned bone by bone until it points where the source's does; then each joint of the target
    turns from there as the source's turns from its own. The hips move by the ratio of leg lengths. Goals then
    keep feet and hands where they belong: an ankle is where the source's is, scaled, and the pelvis is
    lowered where a leg does not reach; a hand is as far from its shoulder as the source's, by arm length.

    Parameters
    ----------
    source, target : Character or Skeleton
        With a mesh, soles are measured; without, they are guessed from the joints. Neither need be y up:
        left, up and forward in its model space are found, and taken to be coordinate axes within 40 degrees.
    roles : pair, or mapping, optional
        What `roles` takes as hints, or a `Roles`, for both: ``(of_source, of_target)``, None for none. Or a
        mapping of each role to its joints, ``{"hips": ("pelvis", "Hips"), ...}``: then these count and no
        others.
    source_pose, target_pose : {"rest", "bind"} or array_like, shape (J, 10), optional
        The reference pose, local trs, in which both bodies stand alike: any pose with straight limbs and flat
        feet, T or A. Omitted, it is the rest pose, or the bind pose where left and right agree better there:
        many files rest amid a step.
    feet : bool
        Whether legs have goals. False: pure rotations, and the translation of the hips.
    hands : bool, optional
        Whether arms have goals; as `feet` if omitted.
    limits : mapping of joint to ik.Hinge, ik.SwingTwist or ik.BallSocket, optional
        Limits of joints of the target that goals bend, by role, name or index: hips and knees, shoulders and
        elbows, such as ``{"leftLowerLeg": ik.Hinge.from_rest(0, 2.6)}`` or what `ik.learn_limits` finds. An
        end that they keep from its goal comes as near as it can: see `RetargetedClip.beyond`.
    align : bool
        Whether bones of the target are turned until they point where the source's do. If False, the reference
        poses are taken to be the same pose, whatever differs in them: as the T-poses of VRM files are.

    Attributes
    ----------
    report : RetargetReport
        What was found, and measures of all clips carried over so far.

    Raises
    ------
    TypeError
        If an argument is of another type.
    ValueError
        If no hips are found, the bodies are of different kinds, a role is named twice or out of order, a
        reference pose has all joints at one position or limbs without a length, `feet` is True where one
        of them has no legs, or a limit is of a joint that no goal bends.

    See Also
    --------
    roles : which joint plays which part of the body.
    Clip.bind : the same joints by name, with the same axes.

    Notes
    -----
    With X(p) = r A p + c from the source's model space to the target's, A the turn between the directions the
    bodies face and r the ratio of leg lengths, S and T the model rotations of partners, ref in the reference
    poses, and D the turn that aligns the target's bone: ``T = A S S_ref^-1 A^-1 D T_ref``. So the bone
    directions are the source's, whatever the joints' axes. Spines and fingers with other numbers of joints
    share the bend. Translations of joints other than the hips are left out: see `RetargetedClip.left_out`.

    Examples
    --------
    >>> hero, child = lissom.samples.humanoid(), lissom.samples.humanoid("child")
    >>> retarget = lissom.Retarget(hero, child)
    >>> walk = retarget.clip(hero.clips["walk"])
    >>> walk.skeleton is child.skeleton, round(retarget.report.scale, 2)
    (True, 0.59)
    """

    def __init__(
        self,
        source: Character | Skeleton,
        target: Character | Skeleton,
        roles: RolesOfBoth = None,
        *,
        source_pose: ArrayLike | Literal["rest", "bind"] | None = None,
        target_pose: ArrayLike | Literal["rest", "bind"] | None = None,
        feet: bool = True,
        hands: bool | None = None,
        limits: Mapping[Any, Limit] | None = None,
        align: bool = True,
    ) -> None:
        for which, body in (("source", source), ("target", target)):
            rig_of("Retarget", body, which)
        feet = check_flag(feet, "Retarget: feet")
        hands = feet if hands is None else check_flag(hands, "Retarget: hands")
        own, their = both_roles(source, target, roles)
        self._setup = prepare(
            body_setup("source", source, own, source_pose),
            body_setup("target", target, their, target_pose),
            feet=feet,
            hands=hands,
            limits=limits,
            align=check_flag(align, "Retarget: align"),
        )
        self._carried_clips: dict[str, CarriedClip] = {}
        self._measured: dict[str, RetargetedClip] = {}

    def poses(self, poses: ArrayLike, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Carry poses over, each by itself.

        Parameters
        ----------
        poses : array_like of float, shape (..., J, 10)
            Local trs of the source; rotations unit.
        out : ndarray, shape (..., K, 10), optional
            Written in place and returned; of the result's type, in any memory order, also `poses` themselves
            where both bodies have as many joints.

        Returns
        -------
        ndarray, shape (..., K, 10)
            Local trs of the target's K joints, float64 for float64 poses, else float32.

        Raises
        ------
        TypeError, ValueError
            If they are not poses of the source, one is not finite or not unit, or `out` has another type or
            shape; nothing is written then.

        See Also
        --------
        Retarget.clip : clips, which know when feet stand.

        Examples
        --------
        >>> hero, child = lissom.samples.humanoid(), lissom.samples.humanoid("child")
        >>> retarget = lissom.Retarget(hero, child)
        >>> retarget.poses(hero.clips["walk"].sample([0.0, 0.5])).shape
        (2, 34, 10)
        """
        given, setup = as_poses(poses, "Retarget.poses: poses"), self._setup
        joints = len(setup.source.given_skeleton)
        if given.shape[-2] != joints:
            raise ValueError(
                f"Retarget.poses: poses must have the source's {joints} joints, got {given.shape[-2]}"
            )
        shape = (*given.shape[:-2], len(setup.target.given_skeleton), 10)
        if out is not None:
            check_out(out, "Retarget.poses: out", shape, given.dtype, contiguous=False)
        flat = setup.source.rig.with_added(given.reshape(prod(given.shape[:-2]), joints, 10))
        result = setup.target.rig.without_added(self._carried(flat, None).poses).reshape(shape)
        if out is None:
            return np.ascontiguousarray(result)
        out[...] = result
        return out

    def clip(self, clip: Clip, *, rate: float | None = None) -> Clip:
        """Carry a clip over, with markers, loop, root motion and weights of morph targets.

        Stances of the source's feet are found, and are those of the target's: where its legs reach, its soles
        slide no more than the source's do, scaled; where all stances are level they are not in the ground.
        Weights keep their keys, and go to the target's morph targets by name, as `Clip.bind` does it.

        Parameters
        ----------
        clip : Clip
            Of the source's skeleton.
        rate : float, optional
            Keys per second of the result; those of the clip from 24 to 240, else 60, if omitted.

        Returns
        -------
        Clip
            On the target's skeleton.

        Raises
        ------
        TypeError
            If `clip` is not a Clip.
        ValueError
            If it is additive or of another skeleton, or `rate` is not above zero.

        Examples
        --------
        >>> hero, child = lissom.samples.humanoid(), lissom.samples.humanoid("child")
        >>> lissom.Retarget(hero, child).clip(hero.clips["walk"])
        <Clip 'walk': 1.100 s from 0.000 s, 35 tracks for 34 joints, loops, with root motion>
        """
        carried = carry_clip(self, clip, rate)
        self._carried_clips[carried.clip.name] = carried
        return carried.clip

    @property
    def report(self) -> RetargetReport:
        """What was found in both bodies, and how near the clips carried over so far are to their sources."""
        setup = self._setup
        source, target = setup.source, setup.target
        while self._carried_clips:  # whose poses are kept no longer than until they are measured
            name, carried = next(iter(self._carried_clips.items()))
            self._measured.pop(name, None)
            self._measured[name] = measured(setup, carried, self._plain(carried.source_poses))
            del self._carried_clips[name]
        turned = {target.skeleton.names[joint] for joint in (*setup.source_of, *setup.twist_joints)}
        return RetargetReport(
            roles=setup.roles,
            at_rest=tuple(name for name in target.given_skeleton.names if name not in turned),
            unused=tuple(role for role in source.roles.joints if role not in target.roles),
            without_goals=source.without_goals | target.without_goals,
            source_pose=source.pose_name,
            target_pose=target.pose_name,
            scale=setup.similarity.ratio,
            turn=float(np.degrees(quat.angle_between(setup.similarity.rotation, IDENTITY))),
            floor=(source.floor, target.floor),
            clips=dict(self._measured),
        )

    def _plain(self, poses: NDArray[Any]) -> NDArray[Any]:
        """Return poses (N, K, 10) of the target's rig without goals."""
        out = np.empty((len(poses), len(self._setup.target.skeleton), 10), poses.dtype)
        self._setup.plan.carry(poses, None, out, None, None, None, None)
        return out

    def _carried(self, poses: NDArray[Any], offsets: NDArray[Any] | None) -> Carried:
        """Carry poses (N, J, 10) of the source's rig over to the target's."""
        setup = self._setup
        if not setup.limbs:
            return Carried(self._plain(poses), None, None)
        count, limbs, dtype = len(poses), len(setup.limbs), poses.dtype
        out = np.empty((count, len(setup.target.skeleton), 10), dtype)
        goals, ends = np.empty((count, limbs, 3), dtype), np.empty((count, limbs, 4), dtype)
        beyond, headings = np.empty((count, limbs), dtype), np.empty((count, 4), dtype)
        setup.plan.carry(poses, offsets, out, goals, ends, beyond, headings)
        if not setup.has_end.all():
            ends[:, ~setup.has_end] = np.nan
        solved, residual = np.empty_like(out), np.empty((count, limbs), dtype)
        _core.two_bone(
            setup.tree,
            (
                out,
                None,
                goals,
                ends,
                np.ones((), dtype),
                1,
                TOLERANCE,
                ROUNDS,
                solved,
                residual,
                np.empty((count, limbs), dtype),
                np.empty(count, np.int32),
                np.empty((count, limbs), np.uint8),
                np.empty((count, out.shape[1]), np.uint8),
            ),
            None,
            None,
            1.0,
        )
        return Carried(solved, beyond + residual, headings)
