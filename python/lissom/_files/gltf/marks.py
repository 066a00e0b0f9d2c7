# SPDX-License-Identifier: MIT
"""The marks of a document, each used only where the rest of the file agrees with it."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import UNSET

from lissom._base.methods import METHODS
from lissom._files.gltf.extras import (
    AvatarMark,
    ClipMark,
    ExpressionMark,
    NodeMark,
    SceneMark,
    SkinMark,
    mark_of,
)
from lissom._files.gltf.json_text import TOO_MUCH_JSON
from lissom._files.gltf.log import Log
from lissom._files.gltf.schema import NOTHING, Document, Node
from lissom._formats.budget import Budget, JsonExtent


class Marks:
    """The marks that lissom wrote into `extras`.

    Parameters
    ----------
    document : Document
    parents : list of int
        Parent of each node.
    animated : collection of int
        Nodes that a channel animates.
    log : Log
    budget : Budget

    Attributes
    ----------
    all_joints : bool
        Whether all nodes of the scene are joints, except those of `nodes`.
    method : str
        Skinning method of the character.
    morphs : list of str
        Names of the character's morph targets; where they do not fit the parts, nobody uses them.
    expressions : list of ExpressionMark or None
        The character's expressions, by numbers of `morphs`.
    avatar : AvatarMark or None
        What a VRM file said of the character.
    nodes : dict of int to NodeMark
        Marks of the nodes that are not joints.
    skins : dict of int to SkinMark
    clips : dict of int to ClipMark
    """

    def __init__(
        self, document: Document, parents: list[int], animated: Collection[int], log: Log, budget: Budget
    ) -> None:
        chosen = max(document.scene, 0)
        scene = document.scenes[chosen] if document.scenes else None
        if scene is not None and b'"lissom"' in bytes(scene.extras):
            budget.spend(JsonExtent.of(scene.extras).typed_bytes, f"/scenes/{chosen}/extras", TOO_MUCH_JSON)
        mark = None if scene is None else mark_of(scene.extras, SceneMark, f"/scenes/{chosen}", log)
        self.all_joints = mark is not None
        self.morphs: list[str] = []
        self.expressions: list[ExpressionMark] | None = None
        self.avatar: AvatarMark | None = None
        self.method = "linear"
        if mark is not None and mark.method:
            if mark.method in METHODS:
                self.method = mark.method
            else:
                log.note(
                    "EXTRAS_IGNORED",
                    f"/scenes/{chosen}/extras",
                    f"the skinning method must be one of {', '.join(METHODS)}, got {mark.method[:50]!r};"
                    " linear is used",
                )
        if mark is not None:
            self.morphs, self.expressions, self.avatar = mark.morphs, mark.expressions, mark.avatar
        self.nodes: dict[int, NodeMark] = {}
        self.skins: dict[int, SkinMark] = {}
        self.clips: dict[int, ClipMark] = {}
        for number, skin in enumerate(document.skins):
            skin_mark = mark_of(skin.extras, SkinMark, f"/skins/{number}", log)
            if skin_mark is not None:
                self.skins[number] = skin_mark
        for number, animation in enumerate(document.animations):
            clip_mark = mark_of(animation.extras, ClipMark, f"/animations/{number}", log)
            if clip_mark is not None:
                self.clips[number] = clip_mark
        marked = [number for number, node in enumerate(document.nodes) if node.extras is not NOTHING]
        if not marked:
            return
        roots = set() if scene is None else set(scene.nodes)
        joints = {joint for skin in document.skins for joint in skin.joints}
        animated = set(animated)
        for number in marked:
            node = document.nodes[number]
            node_mark = mark_of(node.extras, NodeMark, f"/nodes/{number}", log)
            if node_mark is None or number in animated:
                continue
            is_root = number in roots and parents[number] < 0
            fits = {
                "part": is_root and number not in joints and not node.children and _is_part(node, document),
                "root": is_root and number not in joints and node.mesh < 0 and _has_no_transform(node),
                "row": parents[number] >= 0
                and number in joints
                and not node.children
                and _has_no_transform(node)
                and node.mesh < 0,
            }
            if fits[node_mark.role]:
                self.nodes[number] = node_mark
            else:
                log.note(
                    "EXTRAS_IGNORED",
                    f"/nodes/{number}/extras",
                    f"the node must be a '{node_mark.role}' as lissom writes it, so the mark is not used",
                )

    @property
    def parts(self) -> list[int]:
        """Nodes that carry the parts of the mesh, in order."""
        return [number for number, mark in self.nodes.items() if mark.role == "part"]

    @property
    def rows(self) -> list[int]:
        """Nodes that represent their parents in the skin."""
        return [number for number, mark in self.nodes.items() if mark.role == "row"]

    def is_in_model_space(self, skin: int) -> bool:
        """Whether the mesh of a skin is in model space already."""
        return skin in self.skins and self.skins[skin].space is not UNSET

    def is_made(self, skin: int) -> bool:
        """Whether a skin was made for other tools, and is not the character's."""
        return skin in self.skins and self.skins[skin].made


def _has_no_transform(node: Node) -> bool:
    return all(x is None for x in (node.matrix, node.translation, node.rotation, node.scale))


def _is_part(node: Node, document: Document) -> bool:
    """Whether a node carries a mesh of which all primitives are skinned."""
    if not (0 <= node.mesh < len(document.meshes) and 0 <= node.skin < len(document.skins)):
        return False
    return all("JOINTS_0" in primitive.attributes for primitive in document.meshes[node.mesh].primitives)
