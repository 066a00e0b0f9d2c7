# SPDX-License-Identifier: MIT
"""A character as seen from its own eyes, and as others see it: methods of `Character`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom._base.doors import joint_of_role
from lissom._character.pieces import Piece, whole, with_pieces

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._character.character import Character
    from lissom._rig.mesh import Mesh
    from lissom._rig.part import Part
    from lissom._rig.skeleton_arrays import Joint

__all__ = ["first_person", "third_person"]


def first_person(self: Character, head: Joint | None = None) -> Character:
    """Leave out what would be before a camera between the eyes: the character as it sees itself.

    `Part.view` says of each part who sees it; files of VRM do. Of a part whose view is "auto", triangles with
    a vertex that follows the head, or a joint below it, are left out.

    Parameters
    ----------
    head : str or int, optional
        The head. If omitted, the joint that the file says or, where it says none, the one that
        `lissom.roles` finds.

    Returns
    -------
    Character
        With the same skeleton, skin and clips; what others alone see is gone.

    Raises
    ------
    TypeError, ValueError
        If there is no such joint, `head` is omitted and none is found, or nothing would be left.

    See Also
    --------
    Character.third_person : as others see it.
    lissom.roles : which joint plays which part of the body.

    References
    ----------
    .. [1] VRM Consortium, VRMC_vrm 1.0, firstPerson.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> headless = hero.first_person()
    >>> "Hair" in [part.name for part in headless.mesh.parts]
    False
    >>> bool(headless.mesh.bounds[1, 1] < hero.mesh.bounds[1, 1] - 0.1)  # metres
    True
    """
    mesh = self.mesh
    if mesh is None:
        return self._with_mesh(None, None)
    if head is None:
        head = joint_of_role(self, "head")
        if head is None:
            raise ValueError(
                "Character.first_person: head must be named, as no joint is one by its name or place"
            )
    root = self.skeleton._index_of(head, "Character.first_person: head")
    follows = _followers(self, mesh, root)
    pieces = []
    for part in mesh.parts:
        piece = _without(mesh, part, follows) if part.view == "auto" else whole(mesh, part)
        if piece is not None and part.view != "thirdPersonOnly":
            pieces.append(piece)
    return with_pieces(self, mesh, pieces)


def third_person(self: Character) -> Character:
    """Leave out what the character alone sees: parts whose `Part.view` is "firstPersonOnly".

    Returns
    -------
    Character
        With the same skeleton, skin and clips.

    Raises
    ------
    ValueError
        If nothing would be left.

    See Also
    --------
    Character.first_person : as it sees itself.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> len(hero.third_person().mesh.parts) == len(hero.mesh.parts)
    True
    """
    mesh = self.mesh
    if mesh is None:
        return self._with_mesh(None, None)
    return with_pieces(
        self, mesh, [whole(mesh, part) for part in mesh.parts if part.view != "firstPersonOnly"]
    )


def _followers(character: Character, mesh: Mesh, root: int) -> NDArray[np.bool_]:
    """Return which vertices follow a joint or one below it, (V,)."""
    assert character.skin is not None
    below = np.zeros(len(character.skeleton), np.bool_)
    below[root] = True
    for joint, parent in enumerate(character.skeleton.parents.tolist()):
        if parent >= 0 and below[parent]:
            below[joint] = True
    rows = below[character.skin.joints]
    return np.asarray((rows[np.where(mesh.weights > 0, mesh.indices, 0)] & (mesh.weights > 0)).any(axis=1))


def _without(mesh: Mesh, part: Part, follows: NDArray[np.bool_]) -> Piece | None:
    """Return what is left of a part without the triangles that follow the head; None where nothing is."""
    piece = whole(mesh, part)
    if not follows[piece.vertices].any():
        return piece
    kept = piece.triangles[~follows[piece.triangles].any(axis=1)]
    is_used = np.zeros(mesh.vertex_count, np.bool_)
    is_used[piece.vertices] = True
    is_used[piece.triangles.ravel()] = False  # points of no triangle stay where they do not follow
    is_used[follows] = False
    is_used[kept.ravel()] = True
    vertices = np.flatnonzero(is_used)
    return Piece(part, vertices, kept) if len(vertices) else None
