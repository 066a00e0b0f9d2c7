# SPDX-License-Identifier: MIT
"""How much of each vertex dual quaternions should move, from how far poses bend the joints about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom import quat
from lissom._base.arrays import as_floats
from lissom._base.easing import smooth
from lissom._base.numbers import check_fraction, check_number
from lissom._base.set_module import set_module
from lissom._base.vectors import angles_between
from lissom._character.character import Character

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["bend_blend"]

RIGHT_ANGLE = np.pi / 2


@set_module("lissom")
def bend_blend(
    character: Character, poses: ArrayLike, *, angle: float = RIGHT_ANGLE, least: float = 0.0
) -> NDArray[np.float32]:
    """Paint `blend=` for "blended" skinning from the bends in poses.

    Dual quaternions keep the volume where joints twist, and bulge where they bend; linear blending is the
    better half there. A vertex with equal weights of a joint and its parent is painted down from 1 to
    `least`, smoothly, as the bone of the joint rotates away from its bind direction by up to `angle`,
    relative to the parent's. Twist about the bone paints nothing. The result is an array to paint on further,
    and what `Character.blend` takes.

    Parameters
    ----------
    character : Character
        With a mesh.
    poses : array_like, shape (..., J, 10)
        What the character will do: of several poses, the sharpest bend of each joint counts.
    angle : float
        Radians of bend at which `least` is reached.
    least : float
        Share of dual quaternions there, in [0, 1].

    Returns
    -------
    ndarray of float32, shape (V,)
        1 where dual quaternions move all of the vertex, 0 where linear blending does.

    Raises
    ------
    TypeError
        If `character` is none, or another argument no numbers.
    ValueError
        If the character has no mesh, `angle` is not positive, `least` leaves [0, 1], the poses do not fit or
        there is none.

    Examples
    --------
    >>> import lissom
    >>> hero = lissom.samples.humanoid()
    >>> poses = hero.clips["walk"].sample(np.linspace(0, 1, 16))
    >>> blend = lissom.bend_blend(hero, poses)
    >>> hero.deform(poses, "blended", blend=blend).shape[0]
    16
    """
    if not isinstance(character, Character):
        raise TypeError(f"bend_blend: character must be a Character, got {type(character).__name__}")
    mesh, skin, skeleton = character.mesh, character.skin, character.skeleton
    if mesh is None or skin is None:
        raise ValueError(f"bend_blend: character must have a mesh, {character.name!r} has none")
    angle = check_number(angle, "bend_blend: angle", above_zero=True, advice="; it is in radians")
    least = check_fraction(least, "bend_blend: least")
    local = as_floats(poses, "bend_blend: poses")
    if not local.size:
        raise ValueError(f"bend_blend: poses must hold at least one pose, got shape {local.shape}")
    model = skeleton.model_matrices(local.astype(np.float64))
    rotations = skin.palette(model).dual_quats[..., :4].reshape(-1, len(skin), 4)
    row_of = {int(joint): row for row, joint in reversed(list(enumerate(skin.joints)))}
    joint_of_vertex = skin.joints[mesh.indices]  # (V, K)

    bent = np.zeros(mesh.vertex_count)
    for joint, row in row_of.items():
        parent = int(skeleton.parents[joint])
        while parent >= 0 and parent not in row_of:  # sockets and groups between joints carry no skin
            parent = int(skeleton.parents[parent])
        direction = _bone(skeleton.parents, joint, row_of, skin.pivots)
        if parent < 0 or direction is None:
            continue
        beside_parent = quat.multiply(quat.conjugate(rotations[:, row_of[parent]]), rotations[:, row])
        rotated = quat.rotate(beside_parent, direction)
        sharpest = float(angles_between(direction, rotated).max())
        if sharpest <= 0:
            continue
        own, other = (
            np.where(joint_of_vertex == which, mesh.weights, 0).sum(axis=1) for which in (joint, parent)
        )
        bent = np.maximum(bent, min(sharpest / angle, 1.0) * 2 * np.minimum(own, other))
    return (1 - (1 - least) * smooth(bent)).astype(np.float32)


def _bone(
    parents: NDArray[np.int32], joint: int, row_of: dict[int, int], pivots: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """Direction of a joint's bone in the bind pose: to the middle of its children, else from its parent."""
    children = [pivots[row_of[int(j)]] for j in np.flatnonzero(parents == joint) if int(j) in row_of]
    parent = int(parents[joint])
    if children:
        along = np.mean(children, axis=0) - pivots[row_of[joint]]
    elif parent in row_of:
        along = pivots[row_of[joint]] - pivots[row_of[parent]]
    else:
        return None
    length = np.linalg.norm(along)
    return along / length if length > 0 else None
