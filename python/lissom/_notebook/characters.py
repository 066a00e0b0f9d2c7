# SPDX-License-Identifier: MIT
"""HTML of characters, skeletons, meshes and skins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom._base.names import counted
from lissom._notebook.builder import MOST_ROWS, Html, bullets, card, details, number, table, text
from lissom._notebook.clips import clip_table
from lissom._notebook.png import drawn

if TYPE_CHECKING:
    from lissom._character.character import Character
    from lissom._rig.mesh import Mesh
    from lissom._rig.morphs import Morphs
    from lissom._rig.skeleton import Skeleton
    from lissom._rig.skin import Skin

__all__ = [
    "character",
    "mesh",
    "morphs",
    "skeleton",
    "skin",
]

MOST_JOINTS = 150  # shown of a hierarchy
FEW_JOINTS = 24  # up to which the hierarchy is expanded


def character(shown: Character) -> Html:
    mesh = shown.mesh
    facts: list[tuple[str, object]] = [
        ("joints", number(len(shown.skeleton))),
        ("vertices", "no mesh" if mesh is None else number(mesh.vertex_count)),
        ("triangles", None if mesh is None else number(mesh.triangle_count)),
        ("palette rows", None if shown.skin is None else number(len(shown.skin))),
        ("size, model units", number(shown.size)),
        ("morph targets", number(len(mesh.morphs)) if mesh is not None and mesh.morphs else None),
        ("expressions", None if shown.expressions is None else number(len(shown.expressions))),
        ("skinning", shown.method + (", prepared" if shown.prepared_mesh is not None else "")),
    ]
    return card(
        "Character",
        shown.name,
        facts,
        details(counted(len(shown.clips), "clip"), clip_table(shown.clips), is_open=True),
        details(counted(0 if mesh is None else len(mesh.parts), "part"), _parts(mesh)),
        details(
            f"{counted(len(shown.repairs), 'thing')} repaired or left out",
            bullets(shown.repairs[:MOST_ROWS], more=max(0, len(shown.repairs) - MOST_ROWS)),
        ),
        picture=drawn(shown, shown.name),
    )


def skeleton(shown: Skeleton) -> Html:
    parents = shown.parents
    depth = np.zeros(len(shown), int)
    for joint, parent in enumerate(parents.tolist()):
        depth[joint] = depth[parent] + 1 if parent >= 0 else 1
    facts = [
        ("joints", number(len(shown))),
        ("roots", number(int((parents < 0).sum()))),
        ("ends", number(len(shown) - len(np.unique(parents[parents >= 0])))),
        ("depth", number(int(depth.max(initial=0)))),
        ("size, model units", number(shown.size)),
    ]
    tree = details("hierarchy", _tree(shown), is_open=len(shown) <= FEW_JOINTS)
    return card("Skeleton", "", facts, tree, picture=drawn(shown, "skeleton"))


def mesh(shown: Mesh) -> Html:
    used = np.bincount(np.count_nonzero(shown.weights, axis=1))
    extent = shown.bounds[1].astype(float) - shown.bounds[0]
    optional = [name for name in ("normals", "tangents", "uvs", "colors") if getattr(shown, name) is not None]
    facts = [
        ("vertices", number(shown.vertex_count)),
        ("triangles", number(shown.triangle_count)),
        ("palette rows", number(shown.row_count)),
        ("bounds, model units", " × ".join(number(side) for side in extent)),
        ("has", ", ".join(optional) or None),
    ]
    shares = table(
        ((counted(k, "influence"), number(count)) for k, count in enumerate(used.tolist()) if count),
        ("vertices with", "count"),
    )
    return card(
        "Mesh",
        "",
        facts,
        details("influences", shares, is_open=True),
        details(counted(len(shown.parts), "part"), _parts(shown)),
        *(
            [details(counted(len(shown.morphs), "morph target"), _targets(shown.morphs))]
            if shown.morphs
            else []
        ),
        picture=drawn(shown, "mesh"),
    )


def morphs(shown: Morphs) -> Html:
    facts = [
        ("targets", number(len(shown))),
        ("rows", number(len(shown.vertices))),
        (
            "has",
            ", ".join(name for name in ("normals", "tangents") if getattr(shown, name) is not None) or None,
        ),
        ("weights that are not 0 at rest", number(int(np.count_nonzero(shown.defaults)))),
    ]
    return card("Morphs", "", facts, _targets(shown))


def skin(shown: Skin) -> Html:
    determinants = np.linalg.det(shown.joint_from_bind[:, :3, :3].astype(np.float64))
    scales = np.cbrt(np.abs(determinants))
    facts = [
        ("palette rows", number(len(shown))),
        ("joints", number(len(np.unique(shown.joints)))),
        ("bind scale", f"{number(scales.min())} to {number(scales.max())}" if len(shown) else None),
        ("without inverse", number(int((scales == 0).sum())) if (scales == 0).any() else None),
        ("mirrored", number(int((determinants < 0).sum())) if (determinants < 0).any() else None),
        ("stored as", str(shown.joint_from_bind.dtype)),
    ]
    return card("Skin", "", facts)


def _parts(shown: Mesh | None) -> Html:
    parts = () if shown is None else shown.parts
    rows = [
        (
            part.name,
            number(part.vertices.stop - part.vertices.start),
            number(part.triangles.stop - part.triangles.start),
            "rigid" if part.rigid else "skinned",
            "" if part.texture is None else (part.texture.name or "yes"),
        )
        for part in parts[:MOST_ROWS]
    ]
    head = ("part", "vertices", "triangles", "moves", "texture")
    return table(rows, head, more=max(0, len(parts) - MOST_ROWS))


def _targets(shown: Morphs) -> Html:
    counts = np.diff(shown.offsets).tolist()
    rows = [
        (name, number(count), number(float(weight)))
        for name, count, weight in zip(
            shown.names[:MOST_ROWS], counts[:MOST_ROWS], shown.defaults[:MOST_ROWS], strict=True
        )
    ]
    return table(rows, ("target", "vertices", "default weight"), more=max(0, len(shown) - MOST_ROWS))


def _tree(shown: Skeleton) -> Html:
    """Return the first joints of the hierarchy as nested lists."""
    count = min(len(shown), MOST_JOINTS)
    children: list[list[int]] = [[] for _ in range(count)]
    roots: list[int] = []
    for joint, parent in enumerate(shown.parents[:count].tolist()):
        (children[parent] if parent >= 0 else roots).append(joint)
    begin = '<ul style="margin:0;padding-left:1.1em;font-size:90%">'
    pieces, stack = [begin], [*reversed(roots)]
    # Without recursion, since a chain may be deeper than Python's stack. -1 closes a list.
    while stack:
        joint = stack.pop()
        if joint < 0:
            pieces.append("</ul></li>")
            continue
        pieces.append(f"<li>{text(shown.names[joint], 40)}")
        if children[joint]:
            pieces.append("<ul style='margin:0;padding-left:1.1em'>")
            stack += [-1, *reversed(children[joint])]
        else:
            pieces.append("</li>")
    more = len(shown) - count
    pieces.append(f"<li>… {more} more</li></ul>" if more else "</ul>")
    return Html("".join(pieces) if count else "")
