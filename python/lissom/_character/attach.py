# SPDX-License-Identifier: MIT
"""A prop that follows a joint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from lissom import trs
from lissom._base.doors import joint_meant
from lissom._base.names import unknown_name
from lissom._base.set_module import set_module
from lissom._character.character import Character
from lissom._character.distinct_names import distinct_prefix
from lissom._character.held import held
from lissom._character.joined import Member, Mount, joined
from lissom._rig.mesh import Mesh
from lissom._rig.prepared_mesh import PreparedMesh
from lissom._rig.transform_argument import transforms_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lissom._rig.skeleton import Skeleton
    from lissom._rig.skeleton_arrays import Joint

__all__ = ["attach"]

SPACES = ("joint", "joint_unscaled", "model")


@set_module("lissom")
def attach(
    character: Character,
    joint: Joint,
    other: Character | Mesh | PreparedMesh,
    offset: ArrayLike | None = None,
    *,
    space: Literal["joint", "joint_unscaled", "model"] = "joint",
    grip: Joint | None = None,
    name: str | None = None,
) -> Character:
    """Let a prop follow a joint: a sword a hand, a hat the head.

    A vertex p of the prop stands at ``model_from_joint @ offset @ p`` in every pose, with the scale of the
    joint if it has one. The result is a character like any other: it is posed, drawn, baked, saved and shown
    as one. Its joints are those of `character`, then one that carries the prop, then the prop's own.

    Parameters
    ----------
    character : Character
        What the prop is attached to. It does not change.
    joint : str or int
        A name, whatever its case and prefix; an index; a role such as "rightHand", as `lissom.roles` finds
        it; or what people call the end of a limb, "hand.r", whatever the rig calls it. A name as it stands
        wins.
    other : Character, Mesh or PreparedMesh
        The prop, with its rest pose, clips and morph targets. A mesh alone is rigid.
    offset : array_like, shape (10,), (8,) or (4, 4), optional
        Where the prop stands: a trs, a dual quaternion, or a matrix without shear; the identity when omitted.
    space : {"joint", "joint_unscaled", "model"}
        Where `offset` leads: "joint" to the joint's own frame, as above. "joint_unscaled" to that frame
        without the scale that the joint has at rest, so that lengths are the model's: many files scale their
        joints by 100 or 0.01, and the prop with them. "model" to model space as the character rests: without
        an offset the prop stays where it was modelled, a hat above the head, say, whatever the joint's axes.
    grip : str or int, optional
        The joint of the prop that takes the place of `joint`, meant as that is: what a character carries in
        its own hand comes into that of another. `other` is then carried stiffly, as it rests, without joints
        and clips of its own. In space "joint" the frames of the two joints become one, as in rigs of one
        family; in "joint_unscaled" in lengths of the two models; in "model" the prop is moved from joint to
        joint and keeps its direction, for rigs whose joints have other axes and rest alike.
    name : str, optional
        Of the joint that carries the prop; the prop's own name when omitted.

    Returns
    -------
    Character
        Named as `character`. Joints, parts, morph targets, expressions and clips of the prop get the name of
        the joint that carries it and a slash before theirs, ``"sword/blade"``, so that ``without("sword")``
        hides it; where that name is taken, it ends in ``_2``, and so on. Clips of `character` move its joints
        as before, and the prop rests; clips of the prop move the prop, and the character rests. Root motion
        of the character stays, that of the prop is left out.

    Raises
    ------
    TypeError
        If an argument is of another type.
    ValueError
        If there is no such joint, with names that are near; the offset has another shape, is not finite or
        has shear; the joint has no size at rest and `space` is not "joint"; the mesh alone follows several
        palette rows; or there is no such grip, or what it should hold has no mesh or does not rest as it was
        modelled.

    See Also
    --------
    merge : several characters as one.

    Notes
    -----
    Vertices of the prop are stored where they stand as the character rests, and the palette has a row for
    each of the prop's: linear skinning moves them by exactly the product above, other methods too where one
    joint moves a vertex. `Character.method` is that of `character`, which skins the prop, too. `blend` is 0,
    linear, on a prop that has none. Centres of rotation are made of the prop's own weights.

    What a file of VRM says of springs goes along with its joints; roles and gaze are those of `character`. A
    prepared character is prepared again.

    Poses of `character` fit the result with the rest of its joints behind them:
    ``np.concatenate([pose, result.skeleton.rest[len(pose):]])``.

    There is no way back: keep the character without the prop, or hide it by `Character.without`.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> box = lissom.Mesh([[-1, 0, -1], [1, 0, -1], [0, 0, 1], [0, 9, 0]], [[0, 1, 2], [1, 0, 3], [2, 1, 3]])
    >>> grip = lissom.trs.from_parts([0, 0.03, 0.08], scale=[0.03, 0.08, 0.03])  # metres, in the hand
    >>> armed = lissom.attach(hero, "Hand.R", box, grip, name="spike")
    >>> armed
    Character('humanoid_adult', 35 joints, 11592 vertices, 5 clips)
    >>> pose = armed.clips["wave"].sample(0.5)
    >>> hand = armed.skeleton.model_matrices(pose)[armed.skeleton.index("Hand.R")]
    >>> tip = hand @ lissom.trs.to_matrix(grip) @ [0, 9, 0, 1]
    >>> bool(np.allclose(armed.deform(pose)[-1], tip[:3], atol=1e-5))
    True

    The same spike, from that hand into the hand of another, at the size that it has:

    >>> child = lissom.samples.humanoid("child")
    >>> lissom.attach(child, "Hand.R", armed.only("spike"), grip="Hand.R", name="spike")
    Character('humanoid_child', 35 joints, 11786 vertices, 5 clips)
    """
    if not isinstance(character, Character):
        raise TypeError(f"attach: character must be a Character, got {type(character).__name__}")
    if space not in SPACES:
        raise ValueError(f"attach: space must be one of {', '.join(SPACES)}, got {space!r}")
    prop = _prop(other, grip)
    index = _joint(character, joint, "attach: joint")
    if grip is not None:
        assert isinstance(prop, Character)
        prop = held(prop, _joint(prop, grip, "attach: grip"), space)
    rest = transforms_of(trs.identity(dtype=np.float64) if offset is None else offset, "attach: offset")
    if space != "joint":
        rest = _from_joint(character.skeleton, index, rest, space, grip is not None)
    wanted = _name(other, name)
    mount = Mount(distinct_prefix(wanted, character), index, rest)
    result = joined(character.name, [Member(character), Member(prop, mount)])
    result.method = character.method
    result._compression = character._compression
    prepared = character.prepared_mesh
    return result if prepared is None else result.prepared(prepared.original_order)


def _prop(other: object, grip: Joint | None) -> Character | Mesh:
    if isinstance(other, Character):
        return other
    if isinstance(other, PreparedMesh):
        other = other._results
    if not isinstance(other, Mesh):
        raise TypeError(
            f"attach: other must be a Character or a Mesh, got {type(other).__name__}; lissom.load makes a "
            "Character of a file"
        )
    if grip is not None:
        raise TypeError("attach: other must be a Character where grip names its joint, got Mesh")
    if other.row_count > 1:
        raise ValueError(
            f"attach: other must be a mesh of one palette row where it comes alone, got {other.row_count}; "
            "pass the Character, whose skin names the joints they follow, and as grip= the joint that held it"
        )
    return other


def _name(other: object, name: str | None) -> str:
    if name is not None and not isinstance(name, str):
        raise TypeError(f"attach: name must be a str, got {type(name).__name__}")
    own = other.name if isinstance(other, Character) else ""
    return (own if name is None else name) or "prop"


def _joint(character: Character, joint: Joint, argument: str) -> int:
    """Return the index of a joint by name, by what it may mean, or by index."""
    skeleton = character.skeleton
    if not isinstance(joint, str):
        return skeleton._index_of(joint, argument)
    if joint not in skeleton._indices:
        meant = joint_meant(character, joint, argument)
        if meant is None:
            raise ValueError(f"{argument}: {unknown_name('joint', joint, skeleton.names)}")
        joint = meant
    return skeleton._index_of(joint, argument)


def _from_joint(
    skeleton: Skeleton, joint: int, space_from_prop: NDArray[np.float64], space: str, is_held: bool
) -> NDArray[np.float64]:
    """Return the offset from a joint of what stands somewhere in another space at rest.

    What is held stands relative to the joint's place, in model space too.
    """
    model_from_joint = skeleton.model_matrices(skeleton.rest.astype(np.float64))[joint]
    name = skeleton.names[joint]
    if not abs(np.linalg.det(model_from_joint[:3, :3])) > 0:
        raise ValueError(
            f"attach: joint must have a size at rest where space is {space!r}, got {name!r}, which is scaled "
            "to nothing; pass the offset in the joint's own space"
        )
    matrix = trs.to_matrix(space_from_prop)
    if space == "model":
        if is_held:
            matrix = matrix + np.pad(model_from_joint[:3, 3:], ((0, 1), (3, 0)))
        offset = np.linalg.solve(model_from_joint, matrix)
    else:
        lengths = np.linalg.norm(model_from_joint[:3, :3], axis=0)
        offset = np.diag([*(1 / lengths), 1.0]) @ matrix
    return transforms_of(offset, f"attach: offset, from joint {name!r},")
