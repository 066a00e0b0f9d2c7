# SPDX-License-Identifier: MIT
"""The work of ``lissom info``: what a file holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.tree import Tree

from lissom._base.names import counted
from lissom._jobs import sources
from lissom._roles.roles import Roles, roles
from lissom.cli import inputs, output, role_table

if TYPE_CHECKING:
    from lissom._character.character import Character
    from lissom._rig.mesh import Mesh
    from lissom._rig.part import Part
    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["info"]

FRAME = 15  # lines of headings and the like, beside the lists


def info(source: str, hints: Path | None, picture: Path | None, as_json: bool) -> None:
    """Write what the file holds, as a tree and tables or as JSON; draw its roles where a path says so."""
    if inputs.is_bake(source):
        for option, path in (("--roles", hints), ("--picture", picture)):
            if path is not None:
                raise ValueError(f"{option}: roles must be those of a model, got the bake {source}")
        import lissom

        baked = lissom.load_bake(source)
        if as_json:
            output.write_json(describe_bake(baked, Path(source)))
        else:
            _write_bake(baked, Path(source))
        return
    if picture is not None:
        output.require_file("--picture", picture)
    character = sources.load(source)
    found = roles(character, hints)
    if picture is not None:
        picture.parent.mkdir(parents=True, exist_ok=True)
        found.save_svg(picture)
    if as_json:
        output.write_json(describe(character, found))
    else:
        _write(character, found)


def describe_bake(baked: PoseTexture, path: Path) -> dict[str, Any]:
    """Return everything that ``info`` shows of a bake, as plain values."""
    from lissom._jobs import bake_work

    mesh = baked.mesh
    return {
        **bake_work.describe(baked, path),
        "joints": list(baked.joints),
        "methods": list(baked.methods),
        "mesh": None if mesh is None else {"vertices": mesh.vertex_count, "triangles": len(mesh.triangles)},
        "morphs": list(baked.morph_names),
    }


def _write_bake(baked: PoseTexture, path: Path) -> None:
    from lissom.cli import bake

    console = output.stdout()
    facts = describe_bake(baked, path)
    console.print(output.Line.assemble((path.name, "bold"), "  a bake"))
    size = f"{facts['file_bytes'] / 1024:,.0f} KiB"
    texels = f"{counted(facts['texels_per_row'], 'texel')} each"
    line = (
        f"{facts['layout']} {facts['dtype']}, {facts['frames']} frames of {facts['rows']} rows, {texels}, "
        f"size {facts['size']:.4g}, {size}; plays {' and '.join(facts['methods'])} skinning"
    )
    console.print(output.Line(line))
    mesh = facts["mesh"]
    drawn = "no mesh" if mesh is None else f"{mesh['vertices']:,} vertices, {mesh['triangles']:,} triangles"
    console.print(output.Line(f"{drawn}; errors of {facts['measured']} by {facts['method']} skinning"))
    console.print()
    console.print(bake.clip_table(facts["clips"]))
    for note in facts["notes"]:
        console.print(output.Line(note), soft_wrap=True)
    console.print()
    console.print(output.Line.assemble(("joints ", "bold"), ", ".join(facts["joints"])), soft_wrap=True)
    if facts["morphs"]:
        morphs = output.Line.assemble(("morph targets ", "bold"), ", ".join(facts["morphs"]))
        console.print(morphs, soft_wrap=True)


def describe(character: Character, found: Roles) -> dict[str, object]:
    """Return everything that ``info`` shows of a character and its roles, as plain values."""
    skeleton, mesh = character.skeleton, character.mesh
    return {
        "name": character.name,
        "size": float(character.size),
        "compression": list(character._compression),
        "joints": [
            {"name": name, "parent": int(parent), "source_node": int(node)}
            for name, parent, node in zip(
                skeleton.names, skeleton.parents, skeleton.source_nodes, strict=True
            )
        ],
        "mesh": None
        if mesh is None
        else {
            "vertices": mesh.vertex_count,
            "triangles": len(mesh.triangles),
            "influences": mesh.influence_count,
            "bounds": np.asarray(mesh.bounds).tolist(),
            "colors": mesh.colors is not None,
            "morphs": _morphs(mesh),
            "parts": [
                {
                    "name": part.name,
                    "vertices": part.vertices.stop - part.vertices.start,
                    "triangles": part.triangles.stop - part.triangles.start,
                    "rigid": part.rigid,
                    "base_color": [round(float(value), 4) for value in part.base_color],
                    "texture": None if part.texture is None else part.texture.mime,
                    "unlit": part.unlit,
                    "emissive": [round(value, 4) for value in part.emissive],
                    "emissive_texture": None if part.emissive_texture is None else part.emissive_texture.mime,
                    "alpha_mode": part.alpha_mode,
                    "alpha_cutoff": part.alpha_cutoff,
                    "double_sided": part.double_sided,
                }
                for part in mesh.parts
            ],
        },
        "clips": [
            {
                "name": name,
                "start": clip.start,
                "duration": clip.duration,
                "tracks": len(clip.tracks),
                "weight_tracks": len(clip.weight_tracks),
                "key_rate": clip.key_rate,
                "loop": clip.loop,
            }
            for name, clip in character.clips.items()
        ],
        "expressions": None
        if character.expressions is None
        else [
            {
                "name": name,
                "morphs": dict(one.binds),
                "binary": one.binary,
                "override_blink": one.override_blink,
                "override_look_at": one.override_look_at,
                "override_mouth": one.override_mouth,
            }
            for name, one in ((name, character.expressions[name]) for name in character.expressions)
        ],
        "roles": role_table.describe(found),
        "repairs": [
            {"code": repair.code, "pointer": repair.pointer, "message": repair.message}
            for repair in character.repairs
        ],
    }


def _morphs(mesh: Mesh) -> list[dict[str, object]]:
    """Return name, default weight and number of vertices of each morph target."""
    morphs = mesh.morphs
    if morphs is None:
        return []
    counts = np.diff(morphs.offsets).tolist()
    weights = morphs.defaults.astype(np.float64).tolist()
    return [
        {"name": name, "default": weight, "vertices": count}
        for name, weight, count in zip(morphs.names, weights, counts, strict=True)
    ]


def _covering(part: Part) -> str:
    """Return what alpha does to a part, empty for nothing."""
    if part.alpha_mode == "mask":
        return f"mask from {part.alpha_cutoff:.4g}"
    return "blend" if part.alpha_mode == "blend" else ""


def _by_node(names: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the names of morph targets by the node in front of the last slash."""
    nodes: dict[str, list[str]] = {}
    for name in names:
        node, _, target = name.rpartition("/")
        nodes.setdefault(node, []).append(target)
    return nodes


def _write(character: Character, found: Roles) -> None:
    console = output.stdout()
    skeleton, mesh = character.skeleton, character.mesh
    summary = f"{counted(len(skeleton), 'joint')}, {counted(len(character.clips), 'clip')}"
    summary += f", size {character.size:.4g}"
    if mesh is not None:
        summary += f", {mesh.vertex_count:,} vertices, {len(mesh.triangles):,} triangles"
        summary += f", up to {counted(mesh.influence_count, 'influence')}"
        summary += ", vertex colours" if mesh.colors is not None else ""
        summary += f", {counted(len(mesh.morphs), 'morph target')}" if mesh.morphs else ""
    title = output.Line(character.name or "(no name)", style="bold")
    console.print(title)
    console.print(output.Line(summary))
    if character._compression:
        console.print(
            output.Line(f"compressed by {', '.join(character._compression)}; saved files are plain")
        )
    console.print()
    tree = Tree(output.Line("joints", style="bold"))
    branches: list[Tree] = []
    for name, parent in zip(skeleton.names, skeleton.parents, strict=True):
        branches.append((tree if parent < 0 else branches[parent]).add(output.Line(name)))
    console.print(tree)
    if mesh is not None and mesh.parts:
        covering = [_covering(part) for part in mesh.parts]
        columns = ("part", "vertices", "triangles", "kind", "texture")
        parts = output.table(*columns, *(("alpha",) if any(covering) else ()))
        for part, alpha in zip(mesh.parts, covering, strict=True):
            parts.add_row(
                output.Line(part.name),
                f"{part.vertices.stop - part.vertices.start:,}",
                f"{part.triangles.stop - part.triangles.start:,}",
                "rigid" if part.rigid else "skinned",
                "-" if part.texture is None else output.Line(part.texture.mime.removeprefix("image/")),
                *((alpha or "-",) if any(covering) else ()),
            )
        console.print()
        console.print(parts)
    if mesh is not None and mesh.morphs:
        console.print()
        console.print(output.Line.assemble(("morph targets", "bold")))
        for node, targets in _by_node(mesh.morphs.names).items():
            line = (f"  {node or '(no node)'}  ", "bold"), ", ".join(targets)
            console.print(output.Line.assemble(*line), soft_wrap=True)
    if character.clips:
        clips = output.table("clip", "seconds", "tracks", "keys/s", "loop")
        for name, clip in character.clips.items():
            rate = "-" if clip.key_rate is None else f"{clip.key_rate:.4g}"
            loop = {True: "yes", False: "no", "ping_pong": "ping-pong"}[clip.loop]
            tracks = str(len(clip.tracks) + len(clip.weight_tracks))
            clips.add_row(output.Line(name), f"{clip.duration:.3f}", tracks, rate, loop)
        console.print()
        console.print(clips)
    if character.expressions is not None:
        console.print()
        names = ", ".join(character.expressions) or "none"
        console.print(output.Line.assemble(("expressions ", "bold"), names), soft_wrap=True)
    console.print()
    role_table.write(console, found)
    if character.repairs:
        console.print()
        console.print("[bold]repaired or left out[/bold]")
        for repair in character.repairs:
            console.print(output.Line(f"  {repair.pointer or '/'}  {repair.message}  [{repair.code}]"))
    lists = (skeleton.names, character.clips, character.repairs, () if mesh is None else mesh.parts)
    if console.is_terminal and sum(map(len, lists)) + FRAME > console.height:  # it has scrolled away
        console.print()
        console.print(title)
        console.print(output.Line(summary))
