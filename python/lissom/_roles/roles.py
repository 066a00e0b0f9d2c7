# SPDX-License-Identifier: MIT
"""Which joint plays which part of the body: one answer to "where is the left leg"."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lissom._base.doors import as_html, role_figure
from lissom._base.names import counted
from lissom._base.set_module import set_module
from lissom._formats.atomic import write_atomically
from lissom._rig.skeleton import Skeleton
from lissom._roles.body import BY_PLACE, Body
from lissom._roles.bones import ARM, FORE, HIND, HUMANOID, LEG, NEEDED, QUADRUPED, SIDES
from lissom._roles.fingers import find_fingers
from lissom._roles.hints import check_order, checked_hints
from lissom._roles.limbs import find_limbs
from lissom._roles.places import find_limbs_by_places
from lissom._roles.quadruped import find_quadruped
from lissom._roles.sides import check_sides
from lissom._roles.trunk import find_trunk
from lissom._roles.words import word_of

if TYPE_CHECKING:
    from lissom._character.character import Character
    from lissom._rig.mesh import Mesh
    from lissom._rig.skin import Skin

__all__ = ["Roles", "roles"]


@set_module("lissom")
class Roles:
    """The joints of a skeleton by the part of the body that they are; see `roles`.

    Attributes
    ----------
    skeleton : Skeleton
    kind : str
        "humanoid", "quadruped", or "" where neither was found.
    joints : dict of str to str
        Names of joints by role, from the hips outwards.
    missing : dict of str to str
        Roles that such a body has and no joint plays, with the reason.
    ambiguous : dict of str to str
        Roles that are less certain than a name says, with the reason. They are in `joints`, too.

    Examples
    --------
    >>> found = lissom.roles(lissom.samples.humanoid())
    >>> found
    <Roles: humanoid, 34 joints, none missing>
    >>> found["leftLowerArm"], "leftRingProximal" in found
    ('LowerArm.L', False)
    """

    def __init__(
        self,
        skeleton: Skeleton,
        kind: str,
        joints: Mapping[str, str],
        missing: Mapping[str, str],
        ambiguous: Mapping[str, str],
    ) -> None:
        self.skeleton = skeleton
        self.kind = kind
        self.joints = dict(joints)
        self.missing = dict(missing)
        self.ambiguous = dict(ambiguous)

    def __getitem__(self, role: str) -> str:
        if role not in self.joints:
            why = self.missing.get(role, f"there are: {', '.join(self.joints) or 'none'}")
            raise KeyError(f"no joint plays the role {role!r}: {why}")
        return self.joints[role]

    def __contains__(self, role: object) -> bool:
        return role in self.joints

    def index(self, role: str) -> int:
        """Return the index of the joint that plays a role.

        Parameters
        ----------
        role : str
            Of `joints`.

        Returns
        -------
        int
            In the skeleton.

        Raises
        ------
        KeyError
            If no joint plays it: says why.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> hero.skeleton.names[lissom.roles(hero).index("head")]
        'Head'
        """
        return self.skeleton.index(self[role])

    def save_svg(self, path: str | os.PathLike[str]) -> Path:
        """Draw the skeleton with its roles, as notebooks show it, and write the picture as an SVG file.

        The body faces the viewer at rest, so that its left is on the right; an animal on four legs looks to
        the left. Joints that play a role have a dot and a label; a ring and a question mark where the role is
        ambiguous, with the reason as tooltip. Hands are drawn larger; what is missing stands below.

        Parameters
        ----------
        path : path-like
            Must end in ``.svg``. An old file is replaced once the new one is whole.

        Returns
        -------
        Path
            `path`.

        Raises
        ------
        ValueError
            If the path does not end in ``.svg``.
        FileNotFoundError
            If the folder does not exist.
        OSError
            If the file cannot be written; an old one is still there.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = lissom.roles(lissom.samples.humanoid()).save_svg(f"{folder}/roles.svg")
        ...     print(path.name, path.read_text("utf-8")[:4])
        roles.svg <svg
        """
        target = Path(path)
        if target.suffix.lower() != ".svg":
            raise ValueError(f"Roles.save_svg: path must end in .svg, got {target.name!r}")
        write_atomically(path, [role_figure(self).encode()])
        return target

    _repr_html_ = as_html

    def __repr__(self) -> str:
        lacking = f"missing {', '.join(self.missing)}" if self.missing else "none missing"
        unsure = f", {len(self.ambiguous)} ambiguous" if self.ambiguous else ""
        kind, joints = self.kind or "no body found", counted(len(self.joints), "joint")
        return f"<Roles: {kind}, {joints}, {lacking}{unsure}>"


@set_module("lissom")
def roles(
    character: Character | Skeleton, hints: Mapping[str, str | None] | str | os.PathLike[str] | None = None
) -> Roles:
    """Find which joint plays which part of the body, by names, the hierarchy and the rest pose together.

    Names are read as Mixamo, Unreal, Rigify, Biped, Poser, MakeHuman, VRM and others write them; where names
    say nothing, branches that mirror each other are arms and legs. The map of a VRM file wins over any guess,
    hints win over both. Controls, twist joints and ends play no role.

    Parameters
    ----------
    character : Character or Skeleton
        With a mesh, joints that move no vertex count less, and places are those of the bind pose.
    hints : mapping of str to str, or path, optional
        Joints by role, where the answer would be wrong or missing; None or ``""`` for a role that no joint
        plays. A path is that of a TOML file of lines ``role = "joint"``.

    Returns
    -------
    Roles
        Roles are VRM 1.0's humanoid bones: hips, spine, chest, upperChest, neck, head; of each side
        leftShoulder, leftUpperArm, leftLowerArm, leftHand, leftUpperLeg, leftLowerLeg, leftFoot, leftToes,
        and fingers such as leftIndexProximal. Animals on four legs have tail, leftForeShoulder,
        leftForeUpperLeg, leftForeLowerLeg, leftForeFoot, leftForeToes, leftHindHip, leftHindUpperLeg,
        leftHindLowerLeg, leftHindMetatarsus, leftHindFoot and leftHindToes instead of arms and legs.

    Raises
    ------
    TypeError
        If `character` is neither, or hints are no names.
    ValueError
        If a hint names no role or no joint, one joint twice, or a limb in the wrong order, or hints are of a
        human and of an animal.
    OSError
        If the file of hints cannot be read, or has more than 64 KiB.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> found = lissom.roles(hero)
    >>> found["leftUpperLeg"], found["rightHand"]
    ('UpperLeg.L', 'Hand.R')
    >>> lissom.roles(hero, {"chest": None})
    <Roles: humanoid, 33 joints, none missing>
    """
    return roles_of("roles", character, hints)


def roles_of(
    function: str,
    character: Character | Skeleton,
    hints: Mapping[str, str | None] | str | os.PathLike[str] | None,
) -> Roles:
    """Find roles in the name of a public function, which begins the messages of errors."""
    skeleton = _skeleton_of(character)
    wanted = checked_hints(function, hints, skeleton)
    body = _body_of(character)
    if skeleton._stated_roles:
        kind, joints = "humanoid", dict(skeleton._stated_roles)
        body.ambiguous.clear()
    else:
        kind = "quadruped" if body.is_quadruped else "humanoid" if body.joints else ""
        joints = {role: skeleton.names[joint] for role, joint in body.joints.items()}
    kind = _kind_of(function, {role for role, joint in wanted.items() if joint is not None}) or kind
    for role, joint in wanted.items():
        joints.pop(role, None)
        body.ambiguous.pop(role, None)
        if joint is not None:
            joints = {other: each for other, each in joints.items() if each != joint} | {role: joint}
            kind = kind or "humanoid"
    known = QUADRUPED if kind == "quadruped" else HUMANOID
    joints = {role: joints[role] for role in known if role in joints}
    if wanted:
        check_order(f"{function}: hints", joints, skeleton)
    missing = {
        role: body.lacking.get(role) or _reason(joints, role)
        for role in NEEDED.get(kind, ())
        if role not in joints
    }
    ambiguous = {role: why for role, why in body.ambiguous.items() if role in joints}
    return Roles(skeleton, kind, joints, missing, ambiguous)


def _kind_of(function: str, hinted: set[str]) -> str:
    """Return the kind of body that alone has these roles; "" where both have them."""
    of_animal, of_human = sorted(hinted - set(HUMANOID)), sorted(hinted - set(QUADRUPED))
    if of_animal and of_human:
        raise ValueError(
            f"{function}: hints must be roles of one body, got {of_animal[0]!r} of an animal and "
            f"{of_human[0]!r} of a human"
        )
    return "quadruped" if of_animal else "humanoid" if of_human else ""


def _skeleton_of(character: Character | Skeleton) -> Skeleton:
    from lissom._character.character import Character

    if isinstance(character, Character):
        return character.skeleton
    if isinstance(character, Skeleton):
        return character
    raise TypeError(f"roles: character must be a Character or a Skeleton, got {type(character).__name__}")


def _body_of(character: Character | Skeleton) -> Body:
    """Return the body of a character with all that is found in it."""
    skeleton = _skeleton_of(character)
    rest = skeleton.positions(skeleton.rest).astype(np.float64)
    moves, bind, vertices = np.ones(len(skeleton), np.bool_), rest.copy(), None
    mesh, skin = getattr(character, "mesh", None), getattr(character, "skin", None)
    if mesh is not None and skin is not None and mesh.vertex_count:
        moves[:] = False
        moves[skin.joints[mesh.indices[mesh.weights > 0]]] = True
        for joint in range(len(skeleton) - 1, -1, -1):  # upwards: what carries it moves it, too
            if moves[joint] and skeleton.parents[joint] >= 0:
                moves[skeleton.parents[joint]] = True
        matrices = skin.joint_from_bind.astype(np.float64)
        whole = np.abs(np.linalg.det(matrices[:, :3, :3])) > 0
        bind[skin.joints[whole]] = -np.linalg.solve(matrices[whole, :3, :3], matrices[whole, :3, 3:])[..., 0]
        vertices = _vertices(mesh, skin, len(skeleton))
    body = Body(skeleton, [word_of(name) for name in skeleton.names], rest, bind, moves, character.size)
    body.vertices = vertices
    if not len(skeleton):
        return body
    find_limbs(body)
    if not body.joints:
        find_limbs_by_places(body)
    body.is_quadruped = find_quadruped(body)
    find_trunk(body)
    find_fingers(body)
    check_sides(body)
    if body.by_place:
        for role, joint in body.joints.items():
            if not body.words[joint].labels:
                body.ambiguous.setdefault(role, BY_PLACE)
    if body.is_unsided:
        _take_back_sides(body)
    return body


def _take_back_sides(body: Body) -> None:
    """Take back limbs of which nothing says whether they are left or right."""
    names = body.skeleton.names
    for role in [role for role in body.joints if role.startswith(SIDES[0])]:
        pair = [role, SIDES[1] + role.removeprefix(SIDES[0])]
        joints = [repr(names[body.joints.pop(each)]) for each in pair if each in body.joints]
        for each in pair:
            body.ambiguous.pop(each, None)
            body.lacking[each] = (
                f"it is {' or '.join(joints)}, and nothing says which side is left: pass hints"
            )


def _vertices(mesh: Mesh, skin: Skin, count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return for each joint the sum of its vertices' places by weight, and that of the weights."""
    joints, weights = skin.joints[mesh.indices], mesh.weights.astype(np.float64)
    places = mesh.positions.astype(np.float64)[:, None, :] * weights[..., None]
    counts = [
        np.bincount(joints.ravel(), each.ravel(), count) for each in (*np.moveaxis(places, -1, 0), weights)
    ]
    return np.stack(counts[:3], axis=-1).astype(np.float64), counts[3].astype(np.float64)


def _reason(joints: Mapping[str, str], role: str) -> str:
    """Say why no joint plays a role."""
    side = next((each for each in SIDES if role.startswith(each)), "")
    for line in (ARM, LEG, FORE, HIND):
        bones = [side + bone for bone in line]
        if side and role in bones:
            above = [joints[bone] for bone in bones[: bones.index(role)] if bone in joints]
            if above:
                return f"no joint below {above[-1]!r} is one by its name or place"
            return f"no joint on the {side} is one by its name or place"
    return "no joint is one by its name or place"
