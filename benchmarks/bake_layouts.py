# SPDX-License-Identifier: MIT
"""How far are the layouts of a bake from the source clips, at how many bytes, and how fast are they read?

    python benchmarks/bake_layouts.py [folder of the characters]

Twelve characters, of each the three longest clips of less than six seconds at their default rates, linear
skinning. For each layout and type: characters it holds; bytes per palette row and frame; the largest error of
skinned vertices as a share of the size, at frames alone and over all moments, the median and the worst
character. All store the same frames, so each is the others' rival. Of `rotations`, which holds fewer, the
others' medians over the same characters follow.
"""

from __future__ import annotations

import os
import statistics
from pathlib import Path

import numpy as np

import lissom
from _bench import Bench

DEFAULT = Path(__file__).resolve().parents[2] / "shared" / "assets"
FILES = (
    "khronos/Fox.glb",
    "khronos/CesiumMan.glb",
    "quaternius/fish_pack/Dolphin.glb",
    "quaternius/fish_pack/Whale.glb",
    "quaternius/cute_fish_pack/Goldfish.glb",
    "kaykit/Knight.glb",
    "quaternius/animals_pack/Wolf.glb",
    "quaternius/cyberpunk_pack/Character.glb",
    "raylib/robot.glb",
    "gdquest/gdbot.glb",
    "quaternius/platformer_game_pack/Character.glb",
    "quaternius/dinosaurs_pack/Trex.glb",
)
LAYOUTS = ("dual_quat", "matrix", "quat_trans", "trs", "rotations")
DTYPES = ("float32", "float16", "uint8")
READ = "kaykit/Knight.glb"  # of which palettes are read
INSTANCES = 1000

Results = dict[tuple[str, str, str], tuple[float, float, float]]


def measured(folder: Path) -> tuple[Results, dict[tuple[str, str], lissom.PoseTexture]]:
    """Bytes per row and frame, error at frames and over all; and the bakes of one character, to be read."""
    results: Results = {}
    bakes = {}
    for file in FILES:
        character = lissom.load(folder / "characters" / file)
        by_length = sorted(character.clips, key=lambda name: -character.clips[name].duration)
        clips = [name for name in by_length if character.clips[name].duration < 6.0][:3]
        for layout in LAYOUTS:
            for dtype in DTYPES:
                try:
                    bake = lissom.bake(character, clips, layout=layout, dtype=dtype, method="linear")
                except ValueError:  # what it cannot hold
                    continue
                at_frames = max(clip.error.at_frames.max for clip in bake.clips.values()) / bake.size
                size = bake.texels.nbytes / len(bake.texels) / len(bake.skin)
                results[file, layout, dtype] = (size, at_frames, bake.report.max_relative)
                if file == READ:
                    bakes[layout, dtype] = bake
    return results, bakes


def speed(bench: Bench, bakes: dict[tuple[str, str], lissom.PoseTexture]) -> None:
    """Time reading palettes of matrices, all threads."""
    runs = {}
    for (layout, dtype), bake in bakes.items():
        places = np.random.default_rng(0).uniform(0, len(bake.texels) - 1, INSTANCES)
        runs[f"lissom, {layout}, {dtype}"] = lambda bake=bake, places=places: (
            bake.sample_frames(places).matrices
        )
    bench.table(f"reading palettes of {READ}", runs, INSTANCES, "palette")


def table(bench: Bench, results: Results, files: set[str], title: str) -> dict[tuple[str, str], float]:
    """Keep medians over some characters; give those of the error over all moments."""
    medians = {}
    for layout in LAYOUTS:
        for dtype in DTYPES:
            rows = [results[file, layout, dtype] for file in files if (file, layout, dtype) in results]
            if not rows:
                continue
            size, at_frames, error = (statistics.median(column) for column in zip(*rows, strict=True))
            medians[layout, dtype] = error
            bench.note(
                f"{layout:<10} {dtype:<8} {len(rows):3d} characters  {size:5.1f} bytes  at frames "
                f"{at_frames:8.4%}  over all {error:8.4%}, worst {max(row[2] for row in rows):7.3%}",
                title,
            )
    return medians


def main(bench: Bench) -> None:
    folder = bench.options.folder
    if not (folder / "characters").is_dir():
        bench.skip(f"not measured: no characters at {folder}; pass the folder of the assets")
    results, bakes = measured(folder)
    everyone = set(FILES)
    medians = table(bench, results, everyone, f"{len(everyone)} characters")
    walked = {file for file, layout, _ in results if layout == "rotations"}
    table(bench, results, walked, f"the {len(walked)} characters that rotations holds")
    for (file, layout, dtype), (_, at_frames, _) in results.items():
        limit = {"float32": 2e-5, "float16": 2e-3, "uint8": 2e-2}[dtype]
        assert at_frames < limit, f"{file}, {layout} in {dtype}: {at_frames:.3%} at frames"
    assert medians["dual_quat", "float32"] < medians["quat_trans", "float32"]
    assert medians["dual_quat", "float16"] < medians["dual_quat", "uint8"]
    speed(bench, bakes)


if __name__ == "__main__":
    bench = Bench(__file__, __doc__)
    default = os.environ.get("LISSOM_ASSETS", DEFAULT)
    bench.argument("folder", nargs="?", type=Path, default=Path(default), help="of the assets")
    bench.run(main)
