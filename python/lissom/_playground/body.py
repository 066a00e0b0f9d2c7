# SPDX-License-Identifier: MIT
"""The whole body: its limbs as chains, and the joint that carries them, which may be moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom._playground.handle import Handle
from lissom._playground.marks import RADIUS
from lissom._roles.given import Hints, given_roles
from lissom._roles.limb_names import limbs_named
from lissom._roles.roles import Roles
from lissom.ik._chain import Chain

if TYPE_CHECKING:
    from lissom._character.character import Character

NAME = "body"
LIMBS = {"humanoid": ("legs",), "quadruped": ("legs",)}
# What the trunk takes part in, by the role at its end: of people hands and head, of animals the head.
FROM_SPINE = {"humanoid": ("leftHand", "rightHand", "head"), "quadruped": ("head",)}
COLOR = (0.35, 0.35, 0.40)
LARGER = 1.6  # than the target of the longest chain


def without_body(character: Character, chains: object, hints: Hints) -> object:
    """Return `chains` with the chains of the body where "body" is named, unless a joint has that name."""
    listed = [chains] if isinstance(chains, str) else chains
    if not isinstance(listed, Sequence) or NAME not in listed or NAME in character.skeleton.names:
        return chains
    result: list[Any] = []
    for each in listed:
        if isinstance(each, str) and each == NAME:
            result += body_chains(given_roles("ik.Playground", character, hints))
        else:
            result.append(each)
    return result


def body_chains(found: Roles) -> list[Chain]:
    """Return chains to feet, hands and head; those to hands and head begin at the spine, which they share."""
    if found.kind not in LIMBS:
        raise ValueError(
            "ik.Playground: chains must be named by joints where no body is found, got 'body'; pass roles= "
            "or ik.Chain"
        )
    skeleton = found.skeleton
    lines = []
    for name in LIMBS[found.kind]:
        lines += [(joints[0], joints) for joints in limbs_named(found, name, "ik.Playground")]
    for role in FROM_SPINE[found.kind]:
        if role not in found:
            continue
        (joints,) = limbs_named(found, role, "ik.Playground")
        spine = found.index("spine") if "spine" in found else joints[0]
        lines.append((spine if skeleton.is_in_hierarchy(joints[0], spine) else joints[0], joints))
    return [_chain(found, root, joints) for root, joints in lines]


def _chain(found: Roles, root: int, joints: list[int]) -> Chain:
    """Return a chain in which joints along the limb that play no role, such as twist joints, keep still."""
    skeleton = found.skeleton
    still = set(skeleton.chain(joints[0], joints[-1]).tolist()) - set(joints)
    return Chain(skeleton, root, joints[-1], fixed=sorted(still))


def carrier_of(chains: Sequence[Chain]) -> int:
    """Return the lowest joint above the roots of all chains; a root itself where nothing is above it."""
    skeleton = chains[0].skeleton
    lines = []
    for chain in chains:
        joint = int(chain.joints[0])
        line = [joint] if skeleton.parents[joint] < 0 else []
        while skeleton.parents[joint] >= 0:
            joint = int(skeleton.parents[joint])
            line.append(joint)
        lines.append(line)
    shared = set(lines[0]).intersection(*lines[1:])
    if not shared:
        raise ValueError(
            "ik.Playground: body must carry all chains, got some that hang from no joint together"
        )
    return next(joint for joint in lines[0] if joint in shared)


def carried_to(
    chains: Sequence[Chain], base: NDArray[np.floating], joint: int, position: NDArray[np.floating]
) -> NDArray[Any]:
    """Return a pose moved so that a joint is at a position in model space."""
    skeleton = chains[0].skeleton
    moved = base.copy()
    model = np.asarray(skeleton.model_matrices(base.astype(np.float64)))
    parent = int(skeleton.parents[joint])
    above = np.eye(4) if parent < 0 else model[parent]
    try:
        offset = np.linalg.solve(above[:3, :3], np.asarray(position, np.float64) - above[:3, 3])
    except np.linalg.LinAlgError:
        raise ValueError(
            f"ik.Playground.solve: body must be below joints that are not scaled to zero, got "
            f"{skeleton.names[joint]!r}"
        ) from None
    moved[joint, :3] = offset
    return moved


def handle_of_body(chains: Sequence[Chain], position: NDArray[np.floating]) -> Handle:
    """Return the handle that moves the body."""
    radius = LARGER * RADIUS * max(chain.length for chain in chains)
    return Handle(NAME, tuple(position.tolist()), radius, COLOR)
