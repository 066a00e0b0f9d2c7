# SPDX-License-Identifier: MIT
"""Nodes: parents, the scene that is loaded, the nodes that become joints, their order and rest transforms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lissom._files.gltf.log import Log, refuse
from lissom._files.gltf.marks import Marks
from lissom._files.gltf.node_transform import local_matrices, local_transforms
from lissom._files.gltf.schema import Document

Float: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """The joints of the character: nodes of the file, parents before children.

    Attributes
    ----------
    names : list of str
        Unique names, one per joint.
    parents : ndarray of int64, shape (joint,)
        -1 at roots.
    rest : ndarray of float64, shape (joint, 10)
        Local transforms: translation 3, rotation xyzw 4, scale 3.
    model_from_joint : ndarray of float64, shape (joint, 4, 4)
        At rest.
    nodes : ndarray of int64, shape (joint,)
        The node each joint came from.
    joint_of_node : ndarray of int64, shape (node,)
        -1 for nodes that are no joints.
    depths, roots : ndarray of int64, shape (joint,)
        Steps to the root joint, and the root node of the file.
    marks : Marks
        What files of lissom's own say of themselves.
    """

    names: list[str]
    parents: NDArray[np.int64]
    rest: Float
    model_from_joint: Float
    nodes: NDArray[np.int64]
    joint_of_node: NDArray[np.int64]
    depths: NDArray[np.int64]
    roots: NDArray[np.int64]
    marks: Marks


@dataclass(frozen=True, slots=True)
class NodeTree:
    """Parents of all nodes, and the nodes from parents to children: depth first, in file order."""

    parents: list[int]
    order: list[int]


def read_tree(document: Document) -> NodeTree:
    """Find the parents of all nodes. Refuses two parents and cycles; no recursion, so any depth is fine."""
    _check_node_indices(document)
    nodes = document.nodes
    parents = [-1] * len(nodes)
    for index, node in enumerate(nodes):
        for place, child in enumerate(node.children):
            if parents[child] >= 0:
                refuse(
                    "NODE_PARENT_OVERRIDE",
                    f"/nodes/{index}/children/{place}",
                    f"node {child} is already a child of node {parents[child]}; a node has one parent",
                )
            parents[child] = index
    order: list[int] = []
    stack = [index for index in range(len(nodes) - 1, -1, -1) if parents[index] < 0]
    while stack:
        index = stack.pop()
        order.append(index)
        stack.extend(reversed(nodes[index].children))
    if len(order) < len(nodes):
        looped = next(iter(set(range(len(nodes))) - set(order)))
        refuse("NODE_LOOP", f"/nodes/{looped}", f"node {looped} is its own ancestor")
    return NodeTree(parents, order)


def _check_node_indices(document: Document) -> None:
    """Check every index of a node, wherever one stands, so that nothing later needs to."""
    count = len(document.nodes)
    lists = [(node.children, f"/nodes/{number}/children") for number, node in enumerate(document.nodes)]
    lists += [(skin.joints, f"/skins/{number}/joints") for number, skin in enumerate(document.skins)]
    lists += [(scene.nodes, f"/scenes/{number}/nodes") for number, scene in enumerate(document.scenes)]
    for indices, pointer in lists:
        for place, index in enumerate(indices):
            if index >= count:
                refuse(
                    "UNRESOLVED_REFERENCE",
                    f"{pointer}/{place}",
                    f"index {index} is out of range, the file has {count} nodes",
                )
    if document.scene >= len(document.scenes):
        refuse(
            "UNRESOLVED_REFERENCE",
            "/scene",
            f"index {document.scene} is out of range, the file has {len(document.scenes)} scenes",
        )


def read_hierarchy(document: Document, tree: NodeTree, animated: list[int], log: Log) -> Hierarchy:
    """Choose the joints among the nodes of the scene, and sort them."""
    marks = Marks(document, tree.parents, animated, log)
    kept = _kept_nodes(document, tree, animated, marks, log)
    nodes = [index for index in _order(tree, marks) if kept[index]]
    joint_of_node = np.full(len(document.nodes), -1, np.int64)
    joint_of_node[nodes] = np.arange(len(nodes))
    for index in marks.rows:
        joint_of_node[index] = joint_of_node[tree.parents[index]]
    above = np.array([tree.parents[index] for index in nodes], np.int64)
    parents = np.where(above >= 0, joint_of_node[above], -1) if len(nodes) else above
    rest = local_transforms(document.nodes, nodes, log)
    depths = np.zeros(len(nodes), np.int64)
    roots = np.array(_roots(tree), np.int64)[nodes] if nodes else np.zeros(0, np.int64)
    with np.errstate(over="ignore", invalid="ignore"):  # absurd sizes become inf, which their users look for
        model_from_joint = local_matrices(rest)
        for joint, parent in enumerate(parents.tolist()):
            if parent >= 0:
                model_from_joint[joint] = model_from_joint[parent] @ model_from_joint[joint]
                depths[joint] = depths[parent] + 1
    names = unique_names(
        [document.nodes[index].name for index in nodes],
        "node",
        nodes,
        "/nodes",
        log,
        claims=_name_claims(document, nodes, animated),
    )
    sources = np.array(nodes, np.int64)
    return Hierarchy(names, parents, rest, model_from_joint, sources, joint_of_node, depths, roots, marks)


def _order(tree: NodeTree, marks: Marks) -> list[int]:
    """Nodes from parents to children; in the file's order where lissom made that from a skeleton's."""
    if marks.all_joints and all(
        parent < index or parent in marks.nodes for index, parent in enumerate(tree.parents)
    ):
        return list(range(len(tree.parents)))
    return tree.order


def _roots(tree: NodeTree) -> list[int]:
    """Root node of each node."""
    roots = list(range(len(tree.parents)))
    for index in tree.order:
        if tree.parents[index] >= 0:
            roots[index] = roots[tree.parents[index]]
    return roots


def _kept_nodes(
    document: Document, tree: NodeTree, animated: list[int], marks: Marks, log: Log
) -> list[bool]:
    """Nodes that are joints, animated, carry a mesh, lie above one of those, or hang below a joint."""
    nodes = document.nodes
    count = len(nodes)
    is_joint = [False] * count
    for skin in document.skins:
        for joint in skin.joints:
            is_joint[joint] = True
    wanted = [joint or node.mesh >= 0 for joint, node in zip(is_joint, nodes, strict=True)]
    for index in animated:
        wanted[index] = True
    if marks.all_joints:
        wanted = [True] * count
    in_scene = _nodes_in_scene(document, tree, wanted, log)
    for index in tree.order:  # downwards: what hangs below a joint
        parent = tree.parents[index]
        if parent >= 0 and is_joint[parent]:
            is_joint[index] = wanted[index] = True
    kept = [want and inside for want, inside in zip(wanted, in_scene, strict=True)]
    for index in reversed(tree.order):  # upwards: what lies above
        parent = tree.parents[index]
        if kept[index] and parent >= 0:
            kept[parent] = True
    for index in marks.nodes:
        kept[index] = False
    return kept


def _nodes_in_scene(document: Document, tree: NodeTree, wanted: list[bool], log: Log) -> list[bool]:
    """Nodes of the default scene: the one the file names, else the first, else everything."""
    count = len(document.nodes)
    if not document.scenes:
        if count:
            log.note("SCENE_UNDEFINED", "/scenes", "the file has no scene; all its nodes were loaded")
        return [True] * count
    chosen = max(document.scene, 0)
    inside = [False] * count
    for place, index in enumerate(document.scenes[chosen].nodes):
        inside[index] = True
        if tree.parents[index] >= 0:
            log.mend(
                "SCENE_NON_ROOT_NODE",
                f"/scenes/{chosen}/nodes/{place}",
                f"node {index} of the scene is a child of node {tree.parents[index]}, whose transform was"
                f" kept",
            )
    for index in tree.order:
        inside[index] |= tree.parents[index] >= 0 and inside[tree.parents[index]]
    if any(wanted) and not any(w and i for w, i in zip(wanted, inside, strict=True)):
        log.note(
            "SCENE_EMPTY",
            f"/scenes/{chosen}",
            "the scene holds no mesh, joint or animated node; all nodes of the file were loaded",
        )
        return [True] * count
    if len(document.scenes) > 1:
        log.note(
            "SCENE_LEFT_OUT",
            "/scenes",
            f"the file has {len(document.scenes)} scenes; scene {chosen} was loaded",
        )
    return inside


def _name_claims(document: Document, nodes: list[int], animated: list[int]) -> list[int]:
    """Who keeps a name that several bear: joints of skins (0), then what clips move (1), then the rest (2).

    Exporters often give the node that carries the mesh the name of a joint, and users look for the joint.
    """
    claims = dict.fromkeys(animated, 1) | {joint: 0 for skin in document.skins for joint in skin.joints}
    return [claims.get(node, 2) for node in nodes]


def unique_names(
    names: list[str],
    stem: str,
    numbers: list[int],
    pointer: str,
    log: Log | None,
    claims: list[int] | None = None,
) -> list[str]:
    """Name the unnamed by their number, and tell apart the equally named by a number behind.

    Of equally named ones that with the lowest of `claims` keeps the name, the first of those.
    """
    taken = set(names)
    used: set[str] = set()
    counters: dict[str, int] = {}
    result = [""] * len(names)
    places = range(len(names)) if claims is None else np.argsort(claims, kind="stable").tolist()
    for place in places:
        name, number = names[place], numbers[place]
        wanted = name or f"{stem}_{number}"
        unique = wanted
        if unique in used or (not name and unique in taken):
            counter = counters.get(wanted, 1)
            while unique in used or unique in taken:
                counter += 1
                unique = f"{wanted}_{counter}"
            counters[wanted] = counter
            if log is not None:
                log.note(
                    "DUPLICATE_NAME",
                    f"{pointer}/{number}/name",
                    f"'{wanted}' is used twice; renamed '{unique}'",
                )
        used.add(unique)
        result[place] = unique
    return result
