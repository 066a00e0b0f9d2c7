# SPDX-License-Identifier: MIT
"""The work of ``lissom validate``: strict loading, one line per file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lissom._base.names import counted
from lissom._formats.faults import os_reason
from lissom._formats.kind import MODEL_SUFFIXES, MOTION_SUFFIX
from lissom._jobs.sources import load
from lissom.cli import inputs, output
from lissom.errors import GltfError

__all__ = ["validate"]


def validate(sources: Sequence[str], verbose: bool, as_json: bool) -> bool:
    """Load each file with ``strict=True``, and return whether all could be loaded."""
    results: list[dict[str, Any]] = []
    for source, _ in inputs.expand(sources, (*MODEL_SUFFIXES, MOTION_SUFFIX)):
        result = _check(source)
        results.append(result)
        if not as_json:
            _write(result, verbose)
    if as_json:
        output.write_json(results)
    return all(result["ok"] for result in results)


def _write(result: dict[str, Any], verbose: bool) -> None:
    console = output.stdout()
    if not result["ok"]:
        where = f" {result['pointer']}" if result["pointer"] else ""
        code = f" [{result['code']}]" if result["code"] else ""
        line = f"{result['file']}{where}: {result['message']}{code}"
        console.print(output.Line.assemble(("bad ", "red"), line), soft_wrap=True)
        return
    notes = result["notes"]
    counts = [counted(result["morphs"], "morph target")] if result["morphs"] else []
    counts += [counted(len(notes), "note")] if notes else []
    line = f"{result['file']}: {counted(result['joints'], 'joint')}, {counted(result['clips'], 'clip')}"
    console.print(output.Line.assemble(("ok  ", "green"), ", ".join([line, *counts])), soft_wrap=True)
    for note in notes if verbose else ():
        text = f"      {note['pointer'] or '/'}  {note['message']}  [{note['code']}]"
        console.print(output.Line(text), soft_wrap=True)


def _check(source: str) -> dict[str, Any]:
    try:
        character = load(source, strict=True)
        # Clips are decoded on first access, so access all.
        clips = [character.clips[name] for name in character.clips]
    except GltfError as error:
        return _bad(source, error.code, error.message, error.pointer)
    except OSError as error:
        return _bad(source, "IO_ERROR", os_reason(error))
    except ValueError as error:
        return _bad(source, "", str(error).removeprefix(f"{source}: "))
    mesh = character.mesh
    notes = [
        {"code": note.code, "pointer": note.pointer, "message": note.message} for note in character.repairs
    ]
    return {
        "file": source,
        "ok": True,
        "joints": len(character.skeleton),
        "clips": len(clips),
        "morphs": len(mesh.morphs) if mesh is not None and mesh.morphs is not None else 0,
        "notes": notes,
    }


def _bad(source: str, code: str, message: str, pointer: str = "") -> dict[str, Any]:
    return {"file": source, "ok": False, "code": code, "pointer": pointer, "message": message}
