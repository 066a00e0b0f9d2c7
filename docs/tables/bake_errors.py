# SPDX-License-Identifier: MIT
"""Make the table of docs/concepts/baking.md anew: clips that a default bake does not hold within a bound.

python docs/tables/bake_errors.py ../shared/assets/characters
"""

import sys
import textwrap
import warnings
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import lissom
from lissom.clip._frames import default_rate

PAGE = Path(__file__).resolve().parents[1] / "concepts" / "baking.md"
BEGIN, END = "<!-- table: made by docs/tables/bake_errors.py -->\n", "<!-- end of table -->\n"
BOUND = 1.5e-3  # of size

HEAD = (
    "| character | clip | max % | p99 % | worst joint | why | frames/s for 0.15 % |\n"
    "| --- | --- | --: | --: | --- | --- | --: |\n"
)


@dataclass(frozen=True)
class Row:
    """One clip with regular keys; errors in percent of the size."""

    character: str
    clip: str
    largest: float
    p99: float
    joint: str
    why: str
    single: float  # largest error at the rate before it is doubled
    frames: int
    searched_frames: int
    searched_rate: float | None  # None where no rate holds the bound

    def __str__(self) -> str:
        clip, joint = (name.replace("|", r"\|") for name in (self.clip, self.joint))
        rate = "none" if self.searched_rate is None else f"{self.searched_rate:.0f}"
        numbers = f"{self.largest:.2f} | {self.p99:.3f}"
        return f"| {self.character} | {clip} | {numbers} | {joint} | {self.why} | {rate} |"


def called(file: Path) -> str:
    """Name a character: files of several packs have one name."""
    return f"{file.parent.name}/{file.stem}"


def measured(file: Path) -> list[Row]:
    """Bake the clips with regular keys by default, at the rates before doubling, and for the bound."""
    warnings.simplefilter("ignore")  # what files lack is not of interest here
    try:
        character = lissom.load(file)
    except lissom.GltfError:  # compressed
        return []
    clips = [clip for clip in character.clips.values() if clip.key_rate and clip.duration > 0]
    if not clips:
        return []
    bake = lissom.bake(character, clips)
    single = lissom.bake(character, clips, rate={clip.name: default_rate(clip) for clip in clips})
    try:
        searched = lissom.bake(character, clips, max_error=BOUND).report
    except lissom.BakeError as error:
        searched = error.report
    rows = []
    for clip in clips:
        entry, found = bake.clips[clip.name], searched.clips[clip.name]
        worst = entry.error.worst
        rows.append(
            Row(
                called(file),
                clip.name,
                100 * entry.error.max_relative,
                100 * entry.error.p99 / character.size,
                worst.joint,
                reason(character, clip, entry),
                100 * single.clips[clip.name].error.max_relative,
                entry.frame_count,
                found.frame_count,
                found.rate if found.error.max_relative <= BOUND else None,
            )
        )
    return rows


def reason(character: lissom.Character, clip: lissom.Clip, entry: lissom.bake_report.BakedClip) -> str:
    """Say what the clip does where it is worst."""
    worst = entry.error.worst
    if entry.error.at_frames.max > 0.5 * entry.error.max:
        return "half precision: numbers are large"
    skeleton = character.skeleton
    joint = skeleton.index(worst.joint)
    first = min(np.floor(worst.frame), entry.frame_count - 2)
    times = clip.start + (first + np.arange(2)) / entry.rate
    model = skeleton.model_matrices(clip.sample(times, loop=False).astype(np.float64))[:, joint]
    turns = [u @ v for u, _, v in (np.linalg.svd(m[:3, :3]) for m in model)]
    turn = np.degrees(np.arccos(np.clip((np.trace(turns[0].T @ turns[1]) - 1) / 2, -1, 1)))
    if character.mesh is None:
        path = np.linalg.norm(model[1, :3, 3] - model[0, :3, 3])
    else:
        vertices = character.deform(clip.sample(times, loop=False))[:, worst.vertex]
        path = np.linalg.norm(vertices[1] - vertices[0])
    return f"fast: {100 * path / character.size:.0f} % of the size and {turn:.0f}° in a frame"


def table(rows: list[Row]) -> str:
    """Write what holds for all, and the rows of the clips above the bound."""
    largest, p99, single = (np.array([getattr(r, n) for r in rows]) for n in ("largest", "p99", "single"))
    bound = 100 * BOUND
    above = sorted((row for row in rows if row.largest > bound), key=lambda row: -row.largest)
    frames, searched = (sum(getattr(row, name) for row in rows) for name in ("frames", "searched_frames"))
    missed = sum(row.searched_rate is None for row in rows)
    held = f"all but {missed}" if missed else "all"
    head = (
        f"Of {len(rows)} clips with regular keys, baked by default (`dual_quat`, `float16`), "
        f"{_share(largest <= bound)} are within {bound:g} % of the size everywhere, and "
        f"{_share(p99 <= bound)} except for one distance in a hundred; had no rate been doubled, "
        f"{_share(single <= bound)} were. `max_error={BOUND:g}` holds it for {held}, with "
        f"{searched} frames in place of {frames}. These {len(above)} are above it by default:"
    )
    return textwrap.fill(head, 118) + "\n\n" + HEAD + "\n".join(map(str, above)) + "\n"


def _share(inside: NDArray[np.bool_]) -> str:
    return f"{100 * np.mean(inside):.1f} %"


def main(folder: Path) -> None:
    """Measure all characters below a folder and put the table into the page."""
    files = sorted(path for path in folder.rglob("*") if path.suffix in {".glb", ".gltf"})
    rows: list[Row] = []
    with ProcessPoolExecutor(2) as workers:
        for file, found in zip(files, workers.map(measured, files), strict=True):
            print(f"{file.name}: {len(found)} clips", flush=True)
            rows += found
    page = PAGE.read_text()
    before, after = page[: page.index(BEGIN) + len(BEGIN)], page[page.index(END) :]
    PAGE.write_text(f"{before}\n{table(rows)}\n{after}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
