# SPDX-License-Identifier: MIT
"""Make the table of docs/howto/export-a-bake.md anew: forms of exports, their bytes and errors.

python docs/tables/export_forms.py
"""

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import lissom

PAGE = Path(__file__).resolve().parents[1] / "howto" / "export-a-bake.md"
BEGIN, END = "<!-- table: made by docs/tables/export_forms.py -->\n", "<!-- end of table -->\n"
RATES = (30, 60)
CHARACTERS = Path(__file__).resolve().parents[2] / "tests" / "data" / "characters"
FAST = ("kenney/character.glb", "kaykit/Knight.glb", "quaternius/cyberpunk_pack/Enemy_2Legs.glb")

HEAD = (
    "| form | plays in | holds | between frames | MB at 30 frames a second | of which frames "
    "| largest error, % | at 60 |\n"
    "| --- | --- | --- | --- | --: | --: | --: | --: |\n"
)
BETWEEN = {"interpolate": "mixed", "snap": "not mixed: whole frames"}


@dataclass(frozen=True)
class Row:
    """A form: what plays it, what it holds, and the files in which its frames are."""

    form: str
    player: str
    holds: str
    frames: str | None = None  # a pattern; None for a bake's own texels
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Form and options, as a user writes them."""
        return ", ".join([f"`{self.form}`", *(f"`{key}={value!r}`" for key, value in self.options.items())])


JOINTS, VERTICES = "joints, the mesh", "vertices, normals"
ROWS = [
    Row(
        "three",
        "[three.js](https://threejs.org), by `lissom-three`, which is in the folder: "
        "[how](export-to-three.md)",
        "joints, the mesh and levels of detail",
    ),
    Row(
        "babylon",
        "[Babylon.js](https://babylonjs.com), by `lissom-babylon`, which is in the folder: "
        "[how](export-to-babylon.md)",
        JOINTS,
        options={"player": "lissom"},
    ),
    Row("babylon", "Babylon.js, by its own `BakedVertexAnimationManager`", JOINTS, "*.json"),
    Row("babylon", "the same, from the second round on", JOINTS, "*.json", {"first_round": False}),
    Row(
        "godot",
        "[Godot](https://godotengine.org) 4, in any of its renderers: [how](export-to-godot.md)",
        JOINTS,
    ),
    Row(
        "unity",
        "[Unity](https://unity.com) 2022.3 or later, Universal or Built-in Render Pipeline: "
        "[how](export-to-unity.md). Unity itself was not run",
        JOINTS,
    ),
    Row(
        "unreal",
        "[Unreal Engine](https://www.unrealengine.com) 5.1 or later, by a node of ours: "
        "[how](export-to-unreal.md). Unreal itself was not run",
        f"{JOINTS}; no scale",
        "*.png",
    ),
    Row(
        "openvat",
        "[OpenVAT](https://github.com/sharpen3d/openvat)'s players for Unity, Unreal and Godot: "
        "[how](export-to-openvat.md)",
        f"{VERTICES}; clip by clip",
        "*.exr",
    ),
    Row("vertices", "anything that reads arrays", VERTICES, "*.safetensors"),
]


def bytes_of(paths: Any) -> int:
    return sum(path.stat().st_size for path in paths if path.is_file())


def line(row: Row, hero: lissom.Character, bakes: dict[int, lissom.PoseTexture]) -> str:
    """The row of a form, measured on bakes at each of RATES."""
    errors = []
    with tempfile.TemporaryDirectory() as temporary:
        for rate, bake in bakes.items():
            folder = Path(temporary) / str(rate)
            report = bake.export(row.form, folder, name="hero", source=hero, **row.options)
            errors.append(f"{100 * report.error.max_relative:.2g}")
        folder = Path(temporary) / str(RATES[0])
        whole = bytes_of(folder / name for name in report.files)
        frames = (
            bakes[RATES[0]].texels.nbytes
            if row.frames is None
            else bytes_of(path for path in folder.rglob(row.frames) if path.name != "lissom-export.json")
        )
    cells = [row.name, row.player, row.holds, BETWEEN[report.playback]]
    cells += [f"{size / 1e6:.2g}" for size in (whole, frames)] + errors
    return f"| {' | '.join(cells)} |\n"


def turning() -> str:
    """What the rate costs characters with fast turns, as joints and as vertices."""
    parts = []
    for path in FAST:
        hero = lissom.load(CHARACTERS / path)
        bake = lissom.bake(hero, rate=RATES[0])
        with tempfile.TemporaryDirectory() as temporary:
            joints, vertices = (
                bake.export(form, Path(temporary) / form, source=hero).error.max_relative
                for form in ("three", "openvat")
            )
        parts.append(f"{100 * joints:.2g} % and {100 * vertices:.2g} % ({hero.name})")
    return (
        "Forms of vertices cut across arcs, the more the faster a joint turns. At 30 frames a second, "
        f"characters\nof other people are wrong by so much as `three` and as `openvat`: {', '.join(parts)}.\n"
    )


def table() -> str:
    """All rows, for the humanoid's walk and run; below them, other characters."""
    hero = lissom.samples.humanoid()
    bakes = {rate: lissom.bake(hero, ["walk", "run"], rate=rate) for rate in RATES}
    return HEAD + "".join(line(row, hero, bakes) for row in ROWS) + "\n" + turning()


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    before, after = page.index(BEGIN) + len(BEGIN), page.index(END)
    PAGE.write_text(f"{page[:before]}\n{table()}\n{page[after:]}", encoding="utf-8")


if __name__ == "__main__":
    main()
