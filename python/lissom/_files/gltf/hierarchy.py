# SPDX-License-Identifier: MIT
"""Nodes: parents, the scene to load, the nodes that become joints, their order and rest transforms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lissom import _core
from lissom._base.printable import quoted
from lissom._files.gltf.log import Log, check_index, refuse
from lissom._files.gltf.marks import Marks
from lissom._files.gltf.node_transform import local_transforms
from lissom._files.gltf.schema import Document, Node, Skin
from lissom._formats.budget import Budget

Float: TypeAlias = NDArray[np.float64]

# Memory that Python and NumPy take for a node, in lists of the tree, and for a joint: its name, transforms
# and their matrices, in the hierarchy and in the skeleton.
_BYTES_PER_NODE = 128
_BYTES_PER_JOINT = 900


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
        Matrices of the rest pose.
    nodes : ndarray of int64, shape (joint,)
        Node of each joint.
    joint_of_node : ndarray of int64, shape (node,)
        -1 for nodes that are not joints.
    depths, roots : ndarray of int64, shape (joint,)
        Number of joints above each joint, and its root node in the file.
    marks : Marks
        The marks of lissom's own files.
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
    """Parents of all nodes, and all nodes in depth-first order, siblings in file order."""

    parents: list[int]
    order: list[int]


def read_tree(document: Document, budget: Budget) -> NodeTree:
    """Find the parents of all nodes; refuse two parents and cycles. Not recursive: any depth is fine."""
    budget.spend(_BYTES_PER_NODE * len(document.nodes), "/nodes", "it has too many nodes")
    _check_node_indices(document)
    nodes = document.nodes
    parents = [-1] * len(nodes)
    for index, node in enumerate(nodes):
        for place, child in enumerate(node.children):
            if parents[child] >= 0:
                refuse(
                    "NODE_PARENT_OVERRIDE",
                    f"/nodes/{index}/children/{place}",
                    f"node {child} must have one parent, got a second beside node {parents[child]}",
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
        refuse("NODE_LOOP", f"/nodes/{looped}", f"node {looped} must not be its own ancestor")
    return NodeTree(parents, order)


def _check_node_indices(document: Document) -> None:
    """Check every index of a node in the file, so that no later step needs to."""
    count = len(document.nodes)
    for kind, member, owners in (
        ("nodes", "children", document.nodes),
        ("skins", "joints", document.skins),
        ("scenes", "nodes", document.scenes),
    ):
        for number, owner in enumerate(owners):
            indices: list[int] = getattr(owner, member)
            if not indices or max(indices) < count:  # none is negative
                continue
            for place, index in enumerate(indices):
                check_index(index, count, "nodes", f"/{kind}/{number}/{member}/{place}")
    if document.scene >= 0:
        check_index(document.scene, len(document.scenes), "scenes", "/scene")


def read_hierarchy(
    document: Document, tree: NodeTree, animated: list[int], log: Log, budget: Budget
) -> Hierarchy:
    """Choose the joints among the nodes of the scene, and sort them."""
    marks = Marks(document, tree.parents, animated, log, budget)
    kept = _kept_nodes(document, tree, animated, marks, log)
    nodes = [index for index in _order(tree, marks) if kept[index]]
    budget.spend(_BYTES_PER_JOINT * len(nodes), "/nodes", "it has too many joints")
    node_array = np.array(nodes, np.int64)
    joint_of_node = np.full(len(document.nodes), -1, np.int64)
    joint_of_node[node_array] = np.arange(len(nodes))
    for index in marks.rows:
        joint_of_node[index] = joint_of_node[tree.parents[index]]
    parent_nodes = np.array([tree.parents[index] for index in nodes], np.int64)
    parents = np.where(parent_nodes >= 0, joint_of_node[parent_nodes], -1) if len(nodes) else parent_nodes
    rest = local_transforms(document.nodes, nodes, log)
    model_from_joint, depths = _core.rest_matrices(rest, parents)  # absurd sizes are checked on use
    roots = np.array(_roots(tree), np.int64)[node_array]
    names = unique_names(
        [document.nodes[index].name for index in nodes],
        "node",
        nodes,
        "/nodes",
        log,
        budget,
        claims=partial(_name_claims, document, nodes, animated),
    )
    return Hierarchy(names, parents, rest, model_from_joint, node_array, joint_of_node, depths, roots, marks)


def _order(tree: NodeTree, marks: Marks) -> list[int]:
    """Return the nodes, parents before children; in file order where lissom wrote that of the skeleton."""
    if marks.all_joints and all(
        parent < index or parent in marks.nodes for index, parent in enumerate(tree.parents)
    ):
        return list(range(len(tree.parents)))
    return tree.order


def _roots(tree: NodeTree) -> list[int]:
    """Return the root node of each node."""
    roots = list(range(len(tree.parents)))
    for index in tree.order:
        if tree.parents[index] >= 0:
            roots[index] = roots[tree.parents[index]]
    return roots


def _kept_nodes(
    document: Document, tree: NodeTree, animated: list[int], marks: Marks, log: Log
) -> list[bool]:
    """Whether each node is a joint of a skin, is animated, carries a mesh, or is an ancestor of one of these.

    Descendants of joints are kept, too.
    """
    nodes = document.nodes
    count = len(nodes)
    is_joint = [False] * count
    for skin in document.skins:
        for joint in skin.joints:
            is_joint[joint] = True
    is_used = [joint or node.mesh >= 0 for joint, node in zip(is_joint, nodes, strict=True)]
    for index in animated:
        is_used[index] = True
    if marks.all_joints:
        is_used = [True] * count
    in_scene = _nodes_in_scene(document, tree, is_used, log)
    for index in tree.order:  # downwards: descendants of joints
        parent = tree.parents[index]
        if parent >= 0 and is_joint[parent]:
            is_joint[index] = is_used[index] = True
    kept = [used and inside for used, inside in zip(is_used, in_scene, strict=True)]
    for index in reversed(tree.order):  # upwards: ancestors
        parent = tree.parents[index]
        if kept[index] and parent >= 0:
            kept[parent] = True
    _keep_joints(document, tree, kept, log)
    for index in marks.nodes:
        kept[index] = False
    return kept


def _keep_joints(document: Document, tree: NodeTree, kept: list[bool], log: Log) -> None:
    """Keep the joints of skins that kept nodes use, and their ancestors; one outside the scene is a fault."""
    skins = document.skins
    users = [index for index, node in enumerate(document.nodes) if kept[index] and _has_skin(node, skins)]
    seen: set[int] = set()
    while users:
        number = document.nodes[users.pop()].skin
        if number in seen:
            continue
        seen.add(number)
        outside = [joint for joint in skins[number].joints if not kept[joint]]
        if outside:
            log.mend(
                "NODE_SKIN_NO_SCENE",
                f"/skins/{number}/joints",
                f"joints must be in the scene that uses the skin, got node {outside[0]}; joints outside are"
                " loaded by default",
            )
        for joint in outside:
            index = joint
            while index >= 0 and not kept[index]:
                kept[index] = True
                if _has_skin(document.nodes[index], skins):
                    users.append(index)
                index = tree.parents[index]


def _has_skin(node: Node, skins: list[Skin]) -> bool:
    return node.mesh >= 0 and 0 <= node.skin < len(skins)


def _nodes_in_scene(document: Document, tree: NodeTree, is_used: list[bool], log: Log) -> list[bool]:
    """Whether each node is in the scene to load: the default one, else the first; all without a scene."""
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
                f"nodes of the scene must be roots, got node {index}, a child of node {tree.parents[index]};"
                " the parent's transform was kept",
            )
    for index in tree.order:
        inside[index] |= tree.parents[index] >= 0 and inside[tree.parents[index]]
    if any(is_used) and not any(used and within for used, within in zip(is_used, inside, strict=True)):
        log.note(
            "SCENE_EMPTY",
            f"/scenes/{chosen}",
            "the scene has no mesh, joint or animated node; all nodes of the file were loaded",
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
    """Rank nodes for keeping a repeated name: joints of skins 0, animated nodes 1, the rest 2.

    Exporters often name the node that carries the mesh like a joint, and users look for the joint.
    """
    claims = dict.fromkeys(animated, 1) | {joint: 0 for skin in document.skins for joint in skin.joints}
    return [claims.get(node, 2) for node in nodes]


def unique_names(
    names: list[str],
    stem: str,
    numbers: list[int],
    pointer: str,
    log: Log | None,
    budget: Budget,
    claims: Callable[[], list[int]] | None = None,
) -> list[str]:
    """Return unique names: unnamed objects get their number, repeated names a numeric suffix.

    Of objects with one name, the first with the lowest of what `claims` returns keeps it.
    """
    taken = set(names)
    if len(taken) == len(names) and "" not in taken:
        return list(names)
    used: set[str] = set()
    counters: dict[str, int] = {}
    result = [""] * len(names)
    order = range(len(names)) if claims is None else np.argsort(claims(), kind="stable").tolist()
    for index in order:
        name, number = names[index], numbers[index]
        base = name or f"{stem}_{number}"
        unique = base
        if unique in used or (not name and unique in taken):
            counter = counters.get(base, 1)
            while unique in used or unique in taken:
                counter += 1
                unique = f"{base}_{counter}"
            counters[base] = counter
            budget.spend_text(unique, f"{pointer}/{number}/name")
            if log is not None:
                log.note(
                    "DUPLICATE_NAME",
                    f"{pointer}/{number}/name",
                    f"{quoted(base)} is used twice; renamed to {quoted(unique)}",
                )
        used.add(unique)
        result[index] = unique
    return result
