# SPDX-License-Identifier: MIT
"""Make the table of docs/concepts/clips.md anew: what resampling and key reduction cost on real characters.

python docs/tables/clip_errors.py ../shared/assets/characters
"""

import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import lissom

PAGE = Path(__file__).resolve().parents[1] / "concepts" / "clips.md"
BEGIN, END = "<!-- table: made by docs/tables/clip_errors.py -->\n", "<!-- end of table -->\n"
BOUND = 1e-3  # of size

HEAD = (
    "| character | clips | 60 Hz: worst % | worst in | rms % | default: % "
    "| 0.1 %: Hz | worst % | keys | kept % |\n"
    "| --- | --: | --: | --- | --: | --: | --: | --: | --: | --: |\n"
)


@dataclass(frozen=True)
class Row:
    """One character; errors in percent of its skeleton's size, at joint shells."""

    name: str
    clips: int
    worst: float
    worst_clip: str
    rms: float
    worst_default: float
    rates: tuple[float, float]
    missed: int
    worst_bound: float
    keys_before: int
    keys_after: int

    def __str__(self) -> str:
        low, high = (f"{rate:.4g}" for rate in self.rates)
        rates = low if low == high else f"{low} to {high}"
        note = f", {self.missed} above" if self.missed else ""
        kept = 100 * self.keys_after / max(self.keys_before, 1)
        clip = self.worst_clip.replace("|", r"\|")
        return (
            f"| {self.name} | {self.clips} | {self.worst:.3f} | {clip} | {self.rms:.4f} | "
            f"{self.worst_default:.3f} | {rates}{note} | {self.worst_bound:.4f} | "
            f"{self.keys_before} | {kept:.1f} |"
        )


def measured(file: Path, folder: Path) -> Row | None:
    """Measure all clips of a character; None where it has none, or is compressed."""
    try:
        clips = list(lissom.load(file).clips.values())
    except lissom.GltfError:
        clips = []
    if not clips:
        return None
    at_60, at_default, at_bound, reduced, missed = [], [], [], [], 0
    for clip in clips:
        at_60.append(clip.resampled(60).report)
        at_default.append(clip.resampled().report)
        try:
            at_bound.append(clip.resampled(max_error=BOUND).report)
        except lissom.ResampleError as error:
            at_bound.append(error.report)
            missed += 1
        reduced.append(clip.optimized(BOUND).report)
    worst = max(range(len(clips)), key=lambda i: at_60[i].max_relative)
    squares = [(report.rms / (report.size or 1)) ** 2 for report in at_60]
    rates = [report.rate for report in at_bound if report.rate] or [0.0]  # of clips that last
    return Row(
        file.relative_to(folder).as_posix(),
        len(clips),
        100 * at_60[worst].max_relative,
        clips[worst].name,
        100 * float(np.sqrt(np.mean(squares))),
        100 * max(report.max_relative for report in at_default),
        (min(rates), max(rates)),
        missed,
        100 * max(report.max_relative for report in at_bound),
        sum(report.keys_before for report in reduced),
        sum(report.keys_after for report in reduced),
    )


def table(rows: list[Row]) -> str:
    """Write the rows and their sum."""
    before, after = (sum(getattr(row, name) for row in rows) for name in ("keys_before", "keys_after"))
    clips = sum(row.clips for row in rows)
    total = f"| all {len(rows)} | {clips} | | | | | | | {before} | **{100 * after / before:.1f}** |"
    return HEAD + "\n".join([*map(str, rows), total]) + "\n"


def main(folder: Path) -> None:
    """Measure all characters below a folder and put the table into the page."""
    files = sorted(path for path in folder.rglob("*") if path.suffix in {".glb", ".gltf"})
    with ProcessPoolExecutor(2) as workers:
        rows = []
        for file, row in zip(files, workers.map(measured, files, [folder] * len(files)), strict=True):
            print(row or f"{file.name}: no clips to measure", flush=True)
            rows += [row] if row else []
    page = PAGE.read_text()
    before, after = page[: page.index(BEGIN) + len(BEGIN)], page[page.index(END) :]
    PAGE.write_text(f"{before}\n{table(rows)}\n{after}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
