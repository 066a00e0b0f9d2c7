# SPDX-License-Identifier: MIT
"""Springs of a character: clips with them baked in, and poses step by step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import check_out, read_only
from lissom._base.names import counted
from lissom._base.numbers import check_number
from lissom._base.pose_batch import as_poses
from lissom._base.set_module import set_module
from lissom._rig.skeleton import Skeleton
from lissom._springs.chain import SpringChain, checked_colliders
from lissom._springs.collider import SpringCollider
from lissom._springs.live import LiveSprings
from lissom._springs.plan import prepared, resolved, springing_joints
from lissom._springs.simulate import SpringSeam, simulated
from lissom._springs.world import checked_world

if TYPE_CHECKING:
    from lissom._character.character import Character
    from lissom.clip import Clip

__all__ = ["Springs"]


@set_module("lissom")
class Springs:
    """Joints that lag behind: hair, tails, ears, skirts.

    Every 1/60 s the tail of each joint keeps a part of its motion, is drawn back to where the joint rests,
    falls, and is pushed out of colliders; then the joint turns to it. The rotations of these joints are
    replaced; all else of a pose stays.

    Parameters
    ----------
    body : Character or Skeleton
    chains : sequence of SpringChain, optional
        What springs. If omitted, what the file says: ``secondaryAnimation`` of VRM 0, ``VRMC_springBone`` of
        VRM 1.
    colliders : sequence of SpringCollider
        What all chains collide with, after their own.

    Attributes
    ----------
    skeleton : Skeleton
    chains : tuple of SpringChain
    joints : ndarray of int32, shape (K,)
        The joints that spring, chain by chain. Read-only.
    seams : mapping of str to SpringSeam
        Of each loop that `simulate` returned, by its name.

    Raises
    ------
    TypeError
        If an argument is of another type.
    ValueError
        If the file says nothing of springs and `chains` is omitted, a joint is unknown, is in two chains or
        not below the one before it, a center is not above its chain, or a collider moves with what it pushes.

    Notes
    -----
    With x the tail of a joint, x' that a step before, h = 1/60 s, p the position of the joint, l the distance
    of its tail, and u the direction of its tail at rest: ``y = x + (1 - drag) (x - x') + h stiffness u + h
    gravity``, then ``p + l (y - p) / |y - p|``; each collider in turn that it is within pushes it out, and it
    is brought back to the distance l [1]_. Drag is a share a step, so the step is fixed: what remains of
    the time is carried over.

    References
    ----------
    .. [1] VRM Consortium, VRMC_springBone 1.0 and VRMC_springBone_extended_collider 1.0.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> strand = lissom.SpringChain(["Head"], stiffness=0.5, drag=0.2, gravity=0.2, end=0.2)
    >>> springs = lissom.Springs(hero, [strand])
    >>> springs
    <Springs: 1 chain, 1 joint>
    >>> nodding = springs.simulate(hero.clips["walk"])
    >>> nodding.loop, springs.seams["walk"].angle < 0.01
    (True, True)
    """

    def __init__(
        self,
        body: Character | Skeleton,
        chains: Iterable[SpringChain] | None = None,
        *,
        colliders: Iterable[SpringCollider] = (),
    ) -> None:
        skeleton = body if isinstance(body, Skeleton) else getattr(body, "skeleton", None)
        if not isinstance(skeleton, Skeleton):
            raise TypeError(f"Springs: body must be a Character or a Skeleton, got {type(body).__name__}")
        if chains is None:
            chains = skeleton._stated_springs
            if not chains:
                raise ValueError(
                    "Springs: chains must be passed for a body whose file says nothing of springs; "
                    "SpringChain(names of joints) is one"
                )
        self._skeleton = skeleton
        self._chains = _checked_chains(chains)
        self._colliders = checked_colliders(colliders, "Springs: colliders")
        found = resolved(skeleton, self._chains, self._colliders)
        self._plan = prepared(skeleton, found)
        self._joints = read_only(springing_joints(found))
        self._live: LiveSprings | None = None
        self._seams: dict[str, SpringSeam] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        made_of = (type(self), self._skeleton, self._chains, self._colliders)
        return _restored, made_of, {"_live": self._live, "_seams": dict(self._seams)}

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton of the poses."""
        return self._skeleton

    @property
    def chains(self) -> tuple[SpringChain, ...]:
        """What springs."""
        return self._chains

    @property
    def joints(self) -> NDArray[np.int32]:
        """The joints that spring, shape (K,), chain by chain. Read-only."""
        return self._joints

    @property
    def seams(self) -> Mapping[str, SpringSeam]:
        """How each loop that `simulate` returned was closed, by its name. Read-only."""
        return MappingProxyType(self._seams)

    def __repr__(self) -> str:
        return f"<Springs: {counted(len(self._chains), 'chain')}, {counted(len(self._joints), 'joint')}>"

    def simulate(self, clip: Clip, *, loop: bool | None = None) -> Clip:
        """Return a clip with the springs baked in.

        Parameters
        ----------
        clip : Clip
            Of this skeleton. Root motion moves the character through the world.
        loop : bool, optional
            Whether the result is a closed loop; as the clip if omitted. Then cycles are run until one ends as
            it began; what does not settle within 60 s is faded over the end of the cycle. `seams` says how
            far it was from closed. If False, all rest in the first pose.

        Returns
        -------
        Clip
            Of the same name. Joints that spring have a key at each step: as many steps as come nearest to
            1/60 s, evenly over the clip. All other tracks, markers and root motion are the clip's.

        Raises
        ------
        TypeError
            If `clip` is not a Clip or `loop` no bool.
        ValueError
            If `clip` is additive or of another skeleton, or is to loop and plays there and back.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> springs = lissom.Springs(hero, [lissom.SpringChain(["Head"], end=0.2)])
        >>> springs.simulate(hero.clips["idle"], loop=False).loop
        False
        """
        result, seam = simulated(self._skeleton, self._plan, self._joints, clip, loop)
        self._seams.pop(result.name, None)
        if seam is not None:
            self._seams[result.name] = seam
        return result

    def step(
        self,
        poses: ArrayLike,
        dt: float,
        *,
        world: ArrayLike | None = None,
        out: NDArray[Any] | None = None,
    ) -> NDArray[Any]:
        """Let time pass, and return poses whose springs lag behind.

        Parameters
        ----------
        poses : array_like of float, shape (..., J, 10)
            Local trs now, one for each of any number of characters; as many at each call until `reset`.
        dt : float
            Seconds since the last call, at least 0; beyond 1 s, as after a pause, 1 s. They are spent in
            steps of 1/60 s, at which poses are blended from the last call's; the rest is carried over.
        world : array_like of float, shape (..., 10), optional
            Where the characters stand now: world_from_model, a translation and a unit rotation with scale 1.
            Where poses stand still if omitted. At each call or at none.
        out : ndarray, shape (..., J, 10), optional
            Written in place and returned; of the type of the poses, in any memory order, also `poses`
            themselves.

        Returns
        -------
        ndarray, shape (..., J, 10)
            The poses, with other rotations of `joints`. float64 for float64 poses, else float32.

        Raises
        ------
        TypeError
            If an argument is of another type, or poses of another type than at the first call.
        ValueError
            If shapes do not fit, or differ from those of the first call; a pose is not finite or not unit; or
            `dt` is negative or not finite. Nothing is written then, and no time passes.

        See Also
        --------
        Springs.simulate : the same over a clip.

        Notes
        -----
        At the first call all rest in these poses, then `dt` passes. Where no step is due, joints keep their
        rotations.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> springs = lissom.Springs(hero, [lissom.SpringChain(["Head"], end=0.2)])
        >>> walk = hero.clips["walk"]
        >>> for frame in range(60):
        ...     pose = springs.step(walk.sample(frame / 60), 1 / 60)
        >>> pose.shape
        (34, 10)
        """
        given = as_poses(poses, "Springs.step: poses")
        self._skeleton._require_poses(given, "Springs.step")
        seconds = check_number(dt, "Springs.step: dt", least=0)
        batch = given.shape[:-2]
        flat = given.reshape(prod(batch), len(self._skeleton), 10)
        places = None if world is None else checked_world(world, batch, "Springs.step: world")
        if out is not None:
            check_out(out, "Springs.step: out", given.shape, given.dtype, contiguous=False)
        before = self._live or LiveSprings.at_rest(batch, flat, places)
        before.check(batch, flat, places)
        self._live = live = before.after(self._plan, flat, places, seconds)
        assert live.rotations is not None
        result = given.copy() if out is None else out
        if out is not None:
            out[...] = given
        result[..., self._joints, 3:7] = live.rotations.reshape(*batch, len(self._joints), 4)
        return result

    def reset(self) -> None:
        """Forget the motion: at the next `step` all rest in the poses given there.

        After a jump to another place, or for another number of characters.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> springs = lissom.Springs(hero, [lissom.SpringChain(["Head"], end=0.2)])
        >>> alone = springs.step(hero.skeleton.rest, 1 / 60)
        >>> springs.reset()
        >>> springs.step(np.tile(hero.skeleton.rest, (5, 1, 1)), 1 / 60).shape
        (5, 34, 10)
        """
        self._live = None


def _restored(
    cls: type[Springs],
    skeleton: Skeleton,
    chains: tuple[SpringChain, ...],
    colliders: tuple[SpringCollider, ...],
) -> Springs:
    return cls(skeleton, chains, colliders=colliders)


def _checked_chains(chains: Iterable[SpringChain]) -> tuple[SpringChain, ...]:
    if isinstance(chains, (str, SpringChain)) or not isinstance(chains, Iterable):
        raise TypeError(f"Springs: chains must be a sequence of SpringChain, got {type(chains).__name__}")
    result = tuple(chains)
    for each in result:
        if not isinstance(each, SpringChain):
            raise TypeError(f"Springs: chains must hold SpringChain, got {type(each).__name__}")
    return result
