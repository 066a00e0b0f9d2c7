# SPDX-License-Identifier: MIT
"""``lissom bake``: clips into float textures, with a report of their errors."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from lissom.cli import inputs, output

if TYPE_CHECKING:
    from lissom.character import Character
    from lissom.clip import Clip
    from lissom.pose_texture import PoseTexture

__all__ = ["Options", "bake", "clip_table", "describe"]

HINT_FROM = 0.005
"""Error, as a fraction of the size, from which a hint is given: a pixel and a half for a character 300 pixels
high."""


@dataclass(frozen=True)
class Options:
    """What holds for every file of a run."""

    rate: float | None = None
    max_error: float | None = None
    dtype: str = "float16"
    clips: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    loop: tuple[str, ...] = ()
    no_loop: tuple[str, ...] = ()


def bake(sources: Sequence[str], out: Path, options: Options, as_json: bool) -> bool:
    """Bake each source; return whether all could be. A bad one is told on stderr and passed over."""
    results: list[dict[str, Any]] = []
    for source, is_found, target in _targets(inputs.expand(sources), out):
        try:
            result = _bake(source, is_found, target, options)
        except (ValueError, OSError) as error:
            sentence = output.sentence(error)
            output.fail(sentence if source in sentence else f"{source}: {sentence}")
            result = {"file": source, "ok": False, "message": sentence}
        results.append(result)
        if not as_json and result["ok"]:
            _write(result)
    if as_json:
        output.write_json(results)
    return all(result["ok"] for result in results)


def _bake(source: str, is_found: bool, target: Path, options: Options) -> dict[str, Any]:
    import lissom

    character = inputs.without(source, inputs.load(source), options.without)
    if not character.clips:
        if is_found:  # props lie beside the characters of a folder
            return {"file": source, "ok": True, "skipped": True, "message": "no clips, skipped"}
        raise ValueError(f"{source}: has no clips to bake")
    clips = _clips(source, character, options)
    with output.progress() as bar:
        baked = lissom.bake(
            character,
            clips,
            rate=options.rate,
            max_error=options.max_error,
            dtype=options.dtype,
            progress=bar,
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    baked.save(target)
    hints = [] if options.max_error is not None else _hints(character, baked)
    return {
        "file": source,
        "ok": True,
        "skipped": False,
        "output": str(target),
        **describe(baked, target),
        "hints": hints,
    }


def _clips(source: str, character: Character, options: Options) -> list[Clip]:
    """Return the clips to bake, those of a character that others may hold left as they are."""
    known = character.clips
    wanted = [inputs.clip_name(source, name, known) for name in options.clips] or list(known)
    clips = {name: known[name] for name in wanted}
    for chosen, loop in ((options.loop, True), (options.no_loop, False)):
        for given in chosen:
            name = inputs.clip_name(source, given, known)
            if name in clips:
                clips[name] = copy.copy(known[name])
                clips[name].loop = loop
    return list(clips.values())


def describe(baked: PoseTexture, path: Path) -> dict[str, Any]:
    """Return the report of a saved bake, and its sizes, as plain values."""
    frames, rows, texels, _ = baked.texels.shape
    return {
        "frames": frames,
        "rows": rows,
        "texels_per_row": texels,
        "texture_bytes": baked.texels.nbytes,
        "file_bytes": path.stat().st_size,
        **baked.report.to_dict(),
    }


def _hints(character: Character, baked: PoseTexture) -> list[str]:
    """Say which clips are far from their source, and why."""
    hints = []
    for name, clip in baked.clips.items():
        error = clip.error
        if error.max_relative <= HINT_FROM:
            continue
        key_rate = character.clips[name].key_rate
        rate = f"{clip.rate:.4g} frames per second"
        if error.at_frames.max > 0.5 * error.max:
            why = f"{baked.texels.dtype} is too coarse for it"
        elif key_rate is None:
            why = f"its keys are irregular and {rate} miss some"
        else:
            why = f"{rate} are few for it"
        hints.append(
            f"{name!r} is off by up to {error.max_relative:.2%} of the size: {why}; "
            f"pass --max-error {HINT_FROM:g} or less to have it mended"
        )
    return hints


def _targets(sources: Sequence[tuple[str, bool]], out: Path) -> list[tuple[str, bool, Path]]:
    """Pair each source with its file; two sources never write the same one."""
    if not out.is_dir():
        if out.suffix == inputs.BAKE_SUFFIX:
            if len(sources) != 1:
                output.misuse("-o", f"{out} is one file for {len(sources)} inputs; give a folder")
            return [(*sources[0], out)]
        if out.suffix or out.exists():
            output.misuse("-o", f"{out} is neither a folder nor a name that ends in {inputs.BAKE_SUFFIX}")
    targets: list[tuple[str, bool, Path]] = []
    taken: dict[Path, str] = {}
    for source, is_found in sources:
        stem = source.partition(":")[2] if source.startswith("sample:") else Path(source).stem
        target = out / f"{stem}{inputs.BAKE_SUFFIX}"
        if target in taken:
            raise ValueError(
                f"{taken[target]} and {source} would both be written to {target}; bake them apart"
            )
        taken[target] = source
        targets.append((source, is_found, target))
    return targets


def clip_table(clips: dict[str, Any]) -> Any:
    """Return the table of a report's clips, as `BakeReport.to_dict` gives them."""
    rows = output.table("clip", "frames", "rate", "loop", "max error", "p99", "rms", "max / size")
    for name, clip in clips.items():
        error = clip["error"]
        rows.add_row(
            Text(name),
            str(clip["frame_count"]),
            f"{clip['rate']:.4g}",
            "yes" if clip["loop"] else "no",
            f"{error['max']:.3g}",
            f"{error['p99']:.3g}",
            f"{error['rms']:.3g}",
            f"{error['max_relative']:.2e}",
        )
    return rows


def _write(result: dict[str, Any]) -> None:
    console = output.stdout()
    if result["skipped"]:
        console.print(Text(f"{result['file']}: {result['message']}"), soft_wrap=True)
        return
    size = f"{result['file_bytes'] / 1024:,.0f} KiB"
    head = (result["output"], "bold"), f"  {result['dtype']}, {result['frames']} frames, {size}"
    console.print(Text.assemble(*head), soft_wrap=True)
    console.print(clip_table(result["clips"]))
    for note in result["notes"]:
        console.print(Text(note), soft_wrap=True)
    for hint in result["hints"]:
        console.print(Text.assemble(("hint: ", "yellow"), hint), soft_wrap=True)
