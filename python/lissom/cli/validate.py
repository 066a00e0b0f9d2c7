# SPDX-License-Identifier: MIT
"""``lissom validate``: strict loading, one line per file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.text import Text

from lissom.cli import inputs, output
from lissom.errors import GltfError

__all__ = ["validate"]


def validate(sources: Sequence[str], as_json: bool) -> bool:
    """Load each file with ``strict=True``; return whether all could be."""
    console = output.stdout()
    results: list[dict[str, Any]] = []
    for source in inputs.expand(sources):
        result = _check(source)
        results.append(result)
        if not as_json:
            style, word = ("green", "ok  ") if result["ok"] else ("red", "bad ")
            detail = (
                f"{result['joints']} joints, {result['clips']} clips" if result["ok"] else result["message"]
            )
            where = "" if result["ok"] or not result["pointer"] else f" {result['pointer']}"
            code = f" [{result['code']}]" if result.get("code") else ""
            console.print(Text.assemble((word, style), f"{source}{where}: {detail}{code}"), soft_wrap=True)
    if as_json:
        output.write_json(results)
    return all(result["ok"] for result in results)


def _check(source: str) -> dict[str, Any]:
    try:
        character = inputs.load(source, strict=True)
        # Clips are made when they are asked for; a strict answer asks for all.
        clips = [character.clips[name] for name in character.clips]
    except GltfError as error:
        message = {"code": error.code, "pointer": error.pointer, "message": error.message}
        return {"file": source, "ok": False, **message}
    except (ValueError, OSError) as error:
        text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return {"file": source, "ok": False, "code": "", "pointer": "", "message": text}
    return {"file": source, "ok": True, "joints": len(character.skeleton), "clips": len(clips)}
