# SPDX-License-Identifier: MIT
"""``lissom bake``: clips into float textures, with a report of their errors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from lissom.cli import inputs, output

if TYPE_CHECKING:
    from lissom.pose_texture import PoseTexture

__all__ = ["bake"]

SUFFIX = ".safetensors"


def bake(
    sources: Sequence[str],
    out: Path,
    rate: float | None,
    max_error: float | None,
    dtype: str,
    clips: Sequence[str] | None,
    as_json: bool,
) -> bool:
    """Bake each source; return whether all could be. A bad one is told on stderr and passed over."""
    import lissom

    results: list[dict[str, Any]] = []
    for source, target in _targets(inputs.expand(sources), out):
        try:
            character = inputs.load(source)
            with output.progress() as bar:
                baked = lissom.bake(
                    character, clips, rate=rate, max_error=max_error, dtype=dtype, progress=bar
                )
            target.parent.mkdir(parents=True, exist_ok=True)
            baked.save(target)
        except (ValueError, OSError) as error:
            sentence = str(error)
            output.fail(sentence if source in sentence else f"{source}: {sentence}")
            results.append({"file": source, "ok": False, "message": sentence})
            continue
        result = {"file": source, "ok": True, "output": str(target), **describe(baked, target)}
        results.append(result)
        if not as_json:
            _write(result)
    if as_json:
        output.write_json(results)
    return all(result["ok"] for result in results)


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


def _targets(sources: Sequence[str], out: Path) -> list[tuple[str, Path]]:
    """Pair each source with its file; two sources never write the same one."""
    if out.suffix == SUFFIX and not out.is_dir():
        if len(sources) != 1:
            raise ValueError(f"bake: -o {out} is one file for {len(sources)} inputs; give a folder")
        return [(sources[0], out)]
    pairs: list[tuple[str, Path]] = []
    taken: dict[Path, str] = {}
    for source in sources:
        stem = source.partition(":")[2] if source.startswith("sample:") else Path(source).stem
        target = out / f"{stem}{SUFFIX}"
        if target in taken:
            raise ValueError(
                f"bake: {taken[target]} and {source} would both be written to {target}; bake them apart"
            )
        taken[target] = source
        pairs.append((source, target))
    return pairs


def _write(result: dict[str, Any]) -> None:
    console = output.stdout()
    size = f"{result['file_bytes'] / 1024:,.0f} KiB"
    console.print(
        Text.assemble((result["output"], "bold"), f"  {result['dtype']}, {result['frames']} frames, {size}")
    )
    rows = output.table("clip", "frames", "rate", "loop", "max error", "p99", "rms", "max / size")
    for name, clip in result["clips"].items():
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
    console.print(rows)
    for note in result["notes"]:
        console.print(Text(note), soft_wrap=True)
