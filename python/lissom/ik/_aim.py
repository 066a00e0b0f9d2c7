# SPDX-License-Identifier: MIT
"""Aiming: joints that rotate so that one of them looks at a target."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import _core, quat
from lissom._base.arrays import as_numbers
from lissom._base.numbers import check_number
from lissom.ik._axes import Vector, three_numbers, unit_axis
from lissom.ik._chain import Chain
from lissom.ik._result import IkResult
from lissom.ik._solve import solve

Space: TypeAlias = Literal["model", "joint"]
SPACES = ("model", "joint")


def aim(
    chain: Chain,
    poses: ArrayLike,
    targets: ArrayLike,
    *,
    axis: ArrayLike = (0.0, 0.0, 1.0),
    offset: ArrayLike = (0.0, 0.0, 0.0),
    up: ArrayLike | None = None,
    space: Space = "model",
    pole: ArrayLike | None = None,
    shares: ArrayLike | None = None,
    behind: float = 0.35,
    weight: ArrayLike = 1.0,
    tolerance: float = 1e-4,
    max_iterations: int = 60,
    out: NDArray[Any] | None = None,
) -> IkResult:
    """Rotate the joints of a chain, the effector included, so that the effector looks at the target.

    The line of sight is a ray fixed to the effector: from `offset`, an eye, in the direction `axis`. They are
    stated as they are at rest, in model space, so that (0, 0, 1) is what a figure looks along that faces +z,
    however its rig turns the axes of its joints; or with ``space="joint"`` in the effector's own frame. The
    ray itself meets the target, not only its direction, so that eyes beside the joint do not squint.

    - **Several joints share the rotation**, root to effector: spine, neck, head. Each rotates about its own
      position by its share of the remaining angle. Limits hold; what they prevent is made up by the joints
      after it, and finally by those before it.
    - **Behind.** The shortest rotation to a target behind changes sides there, and all joints with it. Where
      the whole rotation comes within `behind` radians of half a turn, the gaze gradually returns to where the
      input pose looks, so that nothing pops on whichever side a target passes.
    - **Up.** Without `up`, each rotation is the shortest. With it, the gaze is rolled until `up` points to
      the pole as far as it can, limits allowing; a pole nearer to the line of sight than 0.05, as a sine,
      counts ever less.

    Parameters
    ----------
    chain : ik.Chain
        From the first joint that rotates to the one that looks; both may be the same. The limit of the
        effector counts.
    poses : array_like of float, shape (..., J, 10)
        Local trs with unit rotations. Leading axes broadcast with those of the other arguments.
    targets : array_like of float, shape (..., 3)
        Positions to look at, in model space and in the precision of the poses.
    axis, offset : array_like of float, shape (3,)
        Direction of the gaze, of any length except zero, and its origin, relative to the effector: both as
        they are in the rest pose, model space. In joint space in the effector's own frame, `offset` in the
        units of its children's translations.
    up : array_like of float, shape (3,), optional
        Direction to point to the pole, in the space of `axis`; not parallel to it.
    space : {"model", "joint"}
        What `axis`, `offset` and `up` are stated in.
    pole : array_like of float, shape (..., 3), optional
        Direction in model space for `up`, of any length except zero; +y if omitted.
    shares : array_like of float, shape (N,), optional
        Part of the rotation that each joint of the chain takes, root to effector: at least 0, relative to
        their sum. Equal if omitted. 0 for joints that are fixed.
    behind : float
        Radians, in [0, pi]: within this angle of half a turn the gaze starts to return. 0: it never does, and
        joints jump where a target passes behind.
    weight : array_like of float, shape (...)
        In [0, 1]: blend from the input pose to the solution, joint by joint along the shortest arc.
    tolerance : float
        Distance between ray and target that counts as reached, as a fraction of the distance from effector to
        target.
    max_iterations : int
        Maximum number of rounds, where limits prevent a part of the rotation.
    out : ndarray, shape (..., J, 10), optional
        Array to write the poses to: of the type of the result, C-contiguous, not one of the inputs. Allocated
        if omitted.

    Returns
    -------
    IkResult
        ``float64`` for float64 poses, else float32. `residual` is the distance from the target to the ray
        in model units. A target nearer to the joint than the line of sight cannot be met: the ray comes as
        near as it can. `stopped` says why it ended.

    Raises
    ------
    TypeError
        If an argument is of another type.
    ValueError
        If shapes do not match, a target, pole or pose is not finite, an axis is zero, `up` is parallel to
        `axis`, shares are negative or all 0, a weight is outside [0, 1], or `behind` is outside [0, pi]; in
        model space if the rest pose scales the effector to zero.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> gaze = lissom.ik.Chain(hero.skeleton, "Spine", "Head")
    >>> done = lissom.ik.aim(gaze, hero.skeleton.rest, [1.0, 1.5, 2.0], offset=(0, 0.1, 0.1), up=(0, 1, 0))
    >>> bool(done.reached), done.stopped
    (True, 'reached')
    """
    kept = chain._kept_axes.get((id(axis), id(offset), id(up), id(space))) if type(chain) is Chain else None
    if kept is not None and shares is None:
        found: IkResult | None = _core.plain_aim(
            chain._made_tree,
            poses,
            targets,
            None,
            weight,
            tolerance,
            max_iterations,
            None,
            False,
            out,
            pole,
            *kept[1:],
            behind,
        )
        if found is not None:
            return found
    if not isinstance(chain, Chain):
        advice = "; for one joint: ik.Chain(skeleton, joint, joint)" if isinstance(chain, (str, int)) else ""
        raise TypeError(f"ik.aim: chain must be an ik.Chain, got {type(chain).__name__}{advice}")
    axis_effector, eye_effector, up_effector = _in_effector(chain, axis, offset, up, space)
    if up is None and pole is not None:
        raise ValueError(
            "ik.aim: up must be passed with pole, got None; it is the direction of the effector that points "
            "to the pole"
        )
    _keep_axes(chain, (axis, offset, up, space), (axis_effector, eye_effector, up_effector))
    pole_model = None if up is None else ((0.0, 1.0, 0.0) if pole is None else pole)
    return solve(
        "ik.aim",
        _core.aim,
        chain,
        poses,
        targets,
        None,
        axis_effector,
        eye_effector,
        (0.0, 0.0, 0.0) if up_effector is None else up_effector,
        _shares(chain, shares),
        check_number(behind, "ik.aim: behind"),
        weight=weight,
        tolerance=tolerance,
        max_iterations=max_iterations,
        start=None,
        continuous=False,
        out=out,
        rows=(("pole", pole_model, 3),),
        says_why=True,
    )


def _in_effector(
    chain: Chain, axis: ArrayLike, offset: ArrayLike, up: ArrayLike | None, space: object
) -> tuple[Vector, Vector, Vector | None]:
    """Return axis, offset and up in the effector's own frame, axis and up as unit vectors."""
    if space not in SPACES:
        raise ValueError(f"ik.aim: space must be 'model' or 'joint', got {space!r}")
    sight = unit_axis("ik.aim: axis", axis)
    eye = as_numbers(offset, "ik.aim: offset").astype(np.float64)
    if eye.shape != (3,) or not np.isfinite(eye).all():
        raise ValueError(f"ik.aim: offset must be three finite numbers, got {offset!r}")
    above = None if up is None else unit_axis("ik.aim: up", up)
    if above is not None and np.linalg.norm(np.cross(sight, above)) < 1e-3:
        raise ValueError(f"ik.aim: up must not be parallel to axis {sight}, got {up!r}")
    if space == "joint":
        return sight, three_numbers(eye), above
    skeleton, effector = chain.skeleton, int(chain.joints[-1])
    rest = skeleton.rest.astype(np.float64)
    rest[:, 3:7] = quat.normalize(rest[:, 3:7])
    model_from_effector = skeleton.model_matrices(rest)[effector, :3, :3]
    lengths = np.linalg.norm(model_from_effector, axis=0)
    if not lengths.min() > FLAT * lengths.max():
        raise ValueError(
            f"ik.aim: space must be 'joint' where the rest pose scales the effector to nothing, as it does "
            f"{chain.names[-1]!r}"
        )
    effector_from_model = np.linalg.inv(model_from_effector)

    def turned(vector: Vector) -> Vector:
        return unit_axis("ik.aim: axis", effector_from_model @ np.array(vector))

    eye_effector = three_numbers(effector_from_model @ eye)
    return turned(sight), eye_effector, None if above is None else turned(above)


# Of the scales of an effector at rest, as a share of the largest: below, it is flat and has no inverse.
FLAT = 1e-9
_MOST_KEPT = 64


def _keep_axes(chain: Chain, given: tuple[Any, Any, Any, str], made: tuple[Any, Any, Any]) -> None:
    """Keep with the chain what became of axes, by their identities, which the entry keeps alive.

    Those alone that were given as tuples of numbers, which cannot change.
    """
    for value in given[:3]:
        if value is not None and not (
            type(value) is tuple and all(type(number) in (float, int) for number in value)
        ):
            return
    if len(chain._kept_axes) >= _MOST_KEPT:
        chain._kept_axes.clear()
    axis, offset, up, space = given
    chain._kept_axes[id(axis), id(offset), id(up), id(space)] = (given, *made)


def _shares(chain: Chain, shares: ArrayLike | None) -> list[float]:
    """Return a share for each rotating joint; an empty list where all are equal."""
    if shares is None:
        return []
    values = as_numbers(shares, "ik.aim: shares").astype(np.float64)
    if values.shape != chain.joints.shape:
        raise ValueError(
            f"ik.aim: shares must have one number for each of the {len(chain.joints)} joints of the chain, "
            f"got shape {values.shape}"
        )
    is_fixed = np.isin(chain.joints, chain.fixed)
    is_fixed[-1] = False  # the effector always rotates
    if values[is_fixed].any():
        names = [name for name, fixed in zip(chain.names, is_fixed, strict=True) if fixed]
        got = dict(zip(names, values[is_fixed].tolist(), strict=True))
        raise ValueError(f"ik.aim: shares of fixed joints must be 0, got {got}")
    return [float(share) for share in values[~is_fixed]]
