# SPDX-License-Identifier: MIT
"""Make the table of docs/concepts/crowds.md anew: how far the shaders are from the core on real characters.

python docs/tables/gpu_distances.py ../shared/assets/characters
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import lissom
from lissom.gpu import Crowd, SkinnedModel, plain_instances

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from gpu.crowds import worst  # noqa: E402
from reference import skinning  # noqa: E402

PAGE = ROOT / "docs" / "concepts" / "crowds.md"
BEGIN, END = "<!-- table: made by docs/tables/gpu_distances.py -->\n", "<!-- end of table -->\n"
HEAD = (
    "| character | vertices | model, linear | dual quaternions | crowd, linear | dual quaternions |\n"
    "| --- | --: | --: | --: | --: | --: |\n"
)
METHODS = ("linear", "dual_quat")
MOMENTS = 24  # random times of the first two clips


@dataclass(frozen=True)
class Row:
    """Largest distances of a vertex from `lissom.deform` of the mesh as it is, in units of the size."""

    name: str
    vertices: int
    distances: tuple[float, ...]

    def __str__(self) -> str:
        return f"| {self.name} | {self.vertices} | {' | '.join(f'{each:.1e}' for each in self.distances)} |"


def measured(file: Path, folder: Path) -> Row | None:
    """Compare both drawers with the core; None without a mesh or clips, or where the file is compressed."""
    try:
        character = lissom.load(file)
    except lissom.GltfError:
        return None
    if character.mesh is None or character.skin is None or not character.clips:
        return None
    names = list(character.clips)[:2]
    rng = np.random.default_rng(8)
    of_models = [of_model(character, names, method, rng) for method in METHODS]
    of_crowds = [of_crowd(character, names, method, rng) for method in METHODS]
    return Row(file.relative_to(folder).as_posix(), character.mesh.vertex_count, (*of_models, *of_crowds))


def of_model(character: lissom.Character, names: list[str], method: str, rng: np.random.Generator) -> float:
    mesh, skin, skeleton = character.mesh, character.skin, character.skeleton
    furthest = 0.0
    with SkinnedModel(character, method=method) as model:
        for i, fraction in enumerate(rng.random(MOMENTS)):
            clip = character.clips[names[i % len(names)]]
            palette = skin.palette(
                skeleton.model_matrices(clip.sample(clip.start + fraction * clip.duration))
            )
            drawn, _ = model.deformed(palette)
            away = np.linalg.norm(drawn - lissom.deform(mesh, palette, method), axis=1)
            if method == "dual_quat":  # a vertex between opposite rotations has no stable sign
                away = away[~skinning.unstable(mesh.indices, mesh.weights, palette.dual_quats)]
            furthest = max(furthest, float(away.max()))
    return furthest / character.size


def of_crowd(character: lissom.Character, names: list[str], method: str, rng: np.random.Generator) -> float:
    bake = lissom.bake(character, names, dtype="float32", method=method)
    instances = plain_instances(MOMENTS)
    instances["clip"] = np.arange(MOMENTS) % len(names)
    starts, durations = np.transpose([(clip.start, clip.duration) for clip in bake.clips.values()])
    instances["time"] = (starts + durations * rng.random((MOMENTS, 1)))[np.arange(MOMENTS), instances["clip"]]
    with Crowd(bake, MOMENTS, method=method, instances=instances, levels=()) as crowd:
        return float(worst(crowd, bake, method))


def main(folder: Path) -> None:
    """Measure all and put the table into the page."""
    rows = []
    for file in sorted(p for p in folder.rglob("*") if p.suffix in {".glb", ".gltf"}):
        row = measured(file, folder)
        if row is not None:
            rows.append(row)
            print(row, flush=True)
    worst_of_each = [max(row.distances) for row in rows]
    text = (
        f"Of {len(rows)} characters the worst is off by {max(worst_of_each):.1e} of its size, in the median "
        f"by {np.median(worst_of_each):.1e}.\n"
    )
    page = PAGE.read_text(encoding="utf-8")
    before, after = page[: page.index(BEGIN) + len(BEGIN)], page[page.index(END) :]
    PAGE.write_text(
        f"{before}\n{text}\n{HEAD}" + "\n".join(map(str, rows)) + f"\n\n{after}", encoding="utf-8"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
