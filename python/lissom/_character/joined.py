# SPDX-License-Identifier: MIT
"""One character of several: what `attach` and `merge` share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from lissom._character.character import Character
from lissom._character.joined_clips import Seat, carried, own_morph_names
from lissom._character.joined_face import joined_expressions
from lissom._character.joined_springs import carried_springs
from lissom._rig.joined_mesh import MeshPiece, joined_meshes
from lissom._rig.mesh import Mesh
from lissom._rig.skeleton import Skeleton
from lissom._rig.skin import Skin

__all__ = ["Member", "Mount", "joined", "seats_of"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class Mount:
    """The joint that a member's roots hang below.

    Attributes
    ----------
    name : str
    parent : int
        Joint of the result, -1 for none.
    rest : ndarray of float64, shape (10,)
        Relative to the parent.
    """

    name: str
    parent: int
    rest: Floats


@dataclass(frozen=True, eq=False, slots=True)
class Member:
    """A character that becomes part of another.

    Attributes
    ----------
    character : Character or Mesh
        A mesh follows the mount.
    mount : Mount or None
        None for the character that others are attached to: its joints stay the first, by their names.
    """

    character: Character | Mesh
    mount: Mount | None = None

    @property
    def prefix(self) -> str:
        """What stands before the names of all that it brings."""
        return "" if self.mount is None else f"{self.mount.name}/"

    @property
    def skeleton(self) -> Skeleton | None:
        """Its joints."""
        return self.character.skeleton if isinstance(self.character, Character) else None

    @property
    def mesh(self) -> Mesh | None:
        """Its vertices."""
        return self.character.mesh if isinstance(self.character, Character) else self.character


def joined(name: str, members: Sequence[Member]) -> Character:
    """Return one character of members, joints and vertices in their order.

    A member's mount comes first, then its joints, then the next member. Rest poses are unchanged, so a
    member's mesh stands at rest where its mount puts it.
    """
    firsts = _first_joints(members)
    skeleton = _joined_skeleton(members, firsts)
    model = skeleton.model_matrices(skeleton.rest.astype(np.float64))
    places = [_place(model, member, first) for member, first in zip(members, firsts, strict=True)]
    _carry_springs(skeleton, members, firsts, places)

    joints: list[NDArray[np.int64]] = []
    matrices: list[Floats] = []
    pieces: list[MeshPiece] = []
    for member, first, place in zip(members, firsts, places, strict=True):
        row = sum(map(len, joints))
        rows, binds = _rows(member, first)
        joints.append(rows)
        # What moves vertices at rest is undone by the bind matrix: linear skinning is unchanged.
        matrices.append(binds if place is None else binds @ np.linalg.inv(place))
        if member.mesh is not None:
            pieces.append(MeshPiece(member.mesh, place, row, member.prefix))
    mesh = joined_meshes(pieces) if pieces else None
    all_rows = np.concatenate(joints)
    skin = Skin(all_rows, np.concatenate(matrices)) if mesh is not None or len(all_rows) else None

    clips = {
        seat.member.prefix + clip: partial(carried, seat, clip)
        for seat in seats_of(members, skeleton, mesh)
        if isinstance(seat.member.character, Character)
        for clip in seat.member.character.clips
    }
    characters = [each.character for each in members if isinstance(each.character, Character)]
    repairs = [repair for character in characters for repair in character.repairs]
    result = Character(name, skeleton, mesh, skin, clips, repairs)
    result.blend = _joined_blend(members) if mesh is not None else None
    if mesh is not None and mesh.morphs is not None:
        result.expressions = joined_expressions(mesh.morphs, members)
    return result


def seats_of(members: Sequence[Member], skeleton: Skeleton, mesh: Mesh | None) -> list[Seat]:
    """Return where members are in the result that has this skeleton and this mesh."""
    morphs = None if mesh is None else mesh.morphs
    names = () if morphs is None else morphs.names
    defaults = np.zeros(0, np.float32) if morphs is None else morphs.defaults
    seats, morph = [], 0
    for member, joint in zip(members, _first_joints(members), strict=True):
        seats.append(Seat(member, joint, morph, skeleton, names, defaults))
        morph += len(own_morph_names(member))
    return seats


def _first_joints(members: Sequence[Member]) -> list[int]:
    """Return where the joints of each member begin, after its mount."""
    firsts, joint = [], 0
    for member in members:
        joint += member.mount is not None
        firsts.append(joint)
        joint += 0 if member.skeleton is None else len(member.skeleton)
    return firsts


def _joined_skeleton(members: Sequence[Member], firsts: Sequence[int]) -> Skeleton:
    names: list[str] = []
    parents: list[NDArray[np.int32]] = []
    rests: list[NDArray[np.float32]] = []
    nodes: list[NDArray[np.int32]] = []
    for member, first in zip(members, firsts, strict=True):
        mount = member.mount
        if mount is not None:
            names.append(mount.name)
            parents.append(np.array([mount.parent], np.int32))
            rests.append(mount.rest.astype(np.float32)[None])
            nodes.append(np.full(1, -1, np.int32))
        own = member.skeleton
        if own is None:
            continue
        names += [member.prefix + name for name in own.names]
        roots = -1 if mount is None else first - 1
        parents.append(np.where(own.parents < 0, roots, own.parents + first).astype(np.int32))
        rests.append(own.rest)
        nodes.append(own.source_nodes if mount is None else np.full(len(own), -1, np.int32))
    skeleton = Skeleton(names, np.concatenate(parents), np.concatenate(rests), np.concatenate(nodes))
    first_member = members[0]
    if first_member.mount is None and first_member.skeleton is not None:
        skeleton._stated_roles = first_member.skeleton._stated_roles
        skeleton._stated_look_at = first_member.skeleton._stated_look_at
    return skeleton


def _place(model: NDArray[np.float64], member: Member, first: int) -> Floats | None:
    """Return what moves a member's mesh at rest, (4, 4); None for nothing.

    None where the mount has no size at rest: as in files, the mesh then stays in its own space.
    """
    if member.mount is None:
        return None
    place: Floats = model[first - 1]
    # As many digits as float32 has: the inverse of less is noise.
    values = np.linalg.svd(place[:3, :3], compute_uv=False)
    return place if values[-1] > np.finfo(np.float32).eps * values[0] else None


def _rows(member: Member, first: int) -> tuple[NDArray[np.int64], Floats]:
    """Return the joint of each palette row of a member, in the result, and its bind matrix."""
    if isinstance(member.character, Mesh):
        return np.array([first - 1]), np.eye(4)[None]
    skin = member.character.skin
    if skin is None:
        return np.zeros(0, np.int64), np.zeros((0, 4, 4))
    return skin.joints.astype(np.int64) + first, skin.joint_from_bind.astype(np.float64)


def _joined_blend(members: Sequence[Member]) -> NDArray[np.float32] | None:
    """Return what "blended" skinning mixes by; of members without it the share that is their own method."""
    characters = [each.character for each in members if isinstance(each.character, Character)]
    if all(character.blend is None for character in characters):
        return None
    shares = []
    for member in members:
        own = member.character
        if member.mesh is None:
            continue
        blend = own.blend if isinstance(own, Character) else None
        if blend is None:
            is_dual = isinstance(own, Character) and own.method == "dual_quat"
            blend = np.full(member.mesh.vertex_count, float(is_dual), np.float32)
        shares.append(blend)
    return np.concatenate(shares)


def _carry_springs(
    skeleton: Skeleton, members: Sequence[Member], firsts: Sequence[int], places: Sequence[Floats | None]
) -> None:
    springs: list[object] = []
    for member, first, place in zip(members, firsts, places, strict=True):
        if member.skeleton is not None:
            springs += carried_springs(member.skeleton, first, member.prefix, place)
    skeleton._stated_springs = tuple(springs)
