# SPDX-License-Identifier: MIT
"""``lissom render``, ``compare`` and ``crowd``: pictures of any file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from lissom.cli import inputs, output
from lissom.picture import Picture

if TYPE_CHECKING:
    from lissom.character import Character

__all__ = ["compare", "crowd", "render"]


def render(
    source: str, out: Path, clip: str | None, time: float | None, method: str, width: int, height: int
) -> None:
    """Draw one character at rest or at a time of a clip."""
    import lissom

    character = inputs.load(source)
    moment = _moment(character, clip, time)
    picture = lissom.render(character, clip=clip, time=moment, method=method, width=width, height=height)
    _save(picture, out)
    output.stdout().print(Text(str(out)), soft_wrap=True)


def compare(source: str, out: Path, clip: str | None, time: float | None, as_json: bool) -> None:
    """Draw both skinning methods and what lies between them, and write the numbers."""
    import lissom

    character = inputs.load(source)
    comparison = lissom.compare(character, clip=clip, time=_moment(character, clip, time))
    _save(comparison.picture, out)
    if as_json:
        output.write_json({"file": source, "output": str(out), "numbers": comparison.numbers})
        return
    console = output.stdout()
    console.print(Text(str(out)), soft_wrap=True)
    console.print(numbers_table(comparison.numbers))


def crowd(source: str, out: Path, count: int, width: int, height: int, seed: int) -> None:
    """Bake where needed and draw many instances."""
    import lissom

    if source.endswith(".safetensors"):
        baked = lissom.load_bake(source)
    else:
        with output.progress() as bar:
            baked = lissom.bake(inputs.load(source), progress=bar)
    with (
        lissom.gpu.Stage(width, height) as stage,
        lissom.gpu.Crowd(baked, count, stage=stage, seed=seed) as people,
    ):
        picture = stage.render(people)
    _save(picture, out)
    output.stdout().print(Text(str(out)), soft_wrap=True)


def _moment(character: Character, clip: str | None, time: float | None) -> float | None:
    """Return the time asked for, or the middle of the clip, which shows more than its start."""
    if time is not None or clip is None or clip not in character.clips:
        return time
    chosen = character.clips[clip]
    return float(chosen.start + chosen.duration / 2)


def _save(picture: Picture, out: Path) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    picture.save(out)


def numbers_table(numbers: Any) -> Any:
    """Return a table of named numbers."""
    result = output.table("measure", "value")
    for name, value in numbers.items():
        result.add_row(name, f"{value:.4g}" if isinstance(value, float) else str(value))
    return result
