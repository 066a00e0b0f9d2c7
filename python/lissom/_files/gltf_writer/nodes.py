# SPDX-License-Identifier: MIT
"""Nodes: one for each joint, in the skeleton's order, and the few that are not joints."""

from __future__ import annotations

import numpy as np
from msgspec import UNSET

from lissom._files.gltf.extras import AvatarMark, ExpressionMark, NodeMark, SceneMark, extras_of
from lissom._files.gltf_writer.accessors import decimals
from lissom._files.gltf_writer.document import Node, Scene
from lissom._rig.skeleton import Skeleton
from lissom._rig.skin import Skin


class Nodes:
    """The node table. Node i is joint i of the skeleton.

    Attributes
    ----------
    table : list of Node
    roots : list of int
        Root nodes of the scene.
    """

    def __init__(self, skeleton: Skeleton) -> None:
        self.table = [_joint(name, trs) for name, trs in zip(skeleton.names, skeleton.rest, strict=True)]
        self.roots: list[int] = []
        for joint, parent in enumerate(skeleton.parents.tolist()):
            if parent < 0:
                self.roots.append(joint)
            else:
                self.table[parent].children.append(joint)

    def add(self, node: Node, mark: NodeMark) -> int:
        """Add a node that is not a joint; return its index."""
        node.extras = extras_of(mark)
        self.table.append(node)
        return len(self.table) - 1

    def join_roots(self, name: str) -> None:
        """Make several roots children of one static node: joints of a glTF skin must have a common root."""
        if len(self.roots) > 1:
            self.roots = [self.add(Node(name, children=self.roots), NodeMark("root"))]

    def rows(self, skin: Skin) -> list[int]:
        """Return the node of each palette row.

        A glTF skin names a node once: where a joint has several rows, a static child represents it in the
        later ones.
        """
        nodes: list[int] = []
        used: dict[int, int] = {}  # number of rows of each joint so far
        for joint in skin.joints.tolist():
            count = used.get(joint, 0)
            used[joint] = count + 1
            if not count:
                nodes.append(joint)
                continue
            node = self.add(Node(f"{self.table[joint].name} (row {count + 1})"), NodeMark("row"))
            self.table[joint].children.append(node)
            nodes.append(node)
        return nodes

    def scene(
        self,
        name: str,
        method: str,
        morphs: list[str],
        expressions: list[ExpressionMark] | None,
        avatar: AvatarMark | None,
    ) -> Scene:
        """Return the scene of all nodes; of the character are the skinning method and the rest."""
        mark = SceneMark("all", "" if method == "linear" else method, morphs, expressions, avatar)
        return Scene(name, self.roots, extras_of(mark))


def _joint(name: str, rest: np.ndarray[tuple[int], np.dtype[np.float32]]) -> Node:
    """Return the node of a joint; defaults of the format are left out."""
    translation, rotation, scale = rest[:3], rest[3:7], rest[7:]
    return Node(
        name,
        translation=decimals(translation) if translation.any() else UNSET,
        rotation=decimals(rotation) if (rotation != (0, 0, 0, 1)).any() else UNSET,
        scale=decimals(scale) if (scale != 1).any() else UNSET,
    )
