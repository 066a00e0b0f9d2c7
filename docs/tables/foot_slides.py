# SPDX-License-Identifier: MIT
"""Make the table of docs/howto/feet.md anew: how far feet slide after `lock_feet`, judged apart from it.

python docs/tables/foot_slides.py ../shared/assets
"""

import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import lissom

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "feet"))

from slide_judge import slides  # noqa: E402

PAGE = ROOT / "docs" / "howto" / "feet.md"
BEGIN, END = "<!-- table: made by docs/tables/foot_slides.py -->\n", "<!-- end of table -->\n"
HEAD = "| file | clip | before | after | where contacts agree |\n| --- | --- | --: | --: | --: |\n"

T_POSE = 0.1  # seconds at the begin of motion captures that are not of the motion

CASES = [
    ("characters/kaykit/Knight.glb", "Walking_A"),
    ("characters/kaykit/Knight.glb", "Running_A"),
    ("characters/kaykit/Barbarian.glb", "Running_B"),
    ("characters/kaykit/Med_MovementBasic.glb", "Rig_Medium|Walking_A"),
    ("characters/godot/player.glb", "walk"),
    ("characters/khronos/CesiumMan.glb", "clip_0"),
    ("characters/khronos/Fox.glb", "Walk"),
    ("characters/quaternius/single_knight_pack/KnightCharacter.glb", "HumanArmature|Walking"),
    ("characters/quaternius/cyberpunk_pack/Character.glb", "CharacterArmature|Walk"),
    ("characters/quaternius/animals_pack/Horse.glb", "AnimalArmature|Walk"),
    ("characters/quaternius/animals_pack/Wolf.glb", "AnimalArmature|Walk"),
    ("characters/quaternius/mech_pack/George.glb", "Run"),
    ("characters/quaternius/dinosaurs_pack/Trex.glb", "Armature|TRex_Walk"),
    ("wild/retarget/quaternius/Animated Woman.glb", "CharacterArmature|Walk"),
    ("wild/retarget/quaternius/Animated Base Character.glb", "Rig|Walk_Loop"),
    ("wild/retarget/bvh/AV_8Walk_Meredith_HVHA_Rep1.bvh", "AV_8Walk_Meredith_HVHA_Rep1"),
    ("wild/retarget/bvh/10_03.bvh", "10_03"),
    ("bvh/jumping_jacks.bvh", "jumping_jacks"),
    ("bvh/dab.bvh", "dab"),
    ("bvh/zombie.bvh", "zombie"),
]


@dataclass(frozen=True)
class Row:
    """Slides of the worst foot of one clip, in percent of the size; NaN where no foot stands."""

    file: str
    clip: str
    before: float
    after: float
    agreed: float

    def __str__(self) -> str:
        numbers = ("-" if np.isnan(v) else f"{v:.2f}" for v in (self.before, self.after, self.agreed))
        clip = self.clip.replace("|", r"\|")
        return f"| {Path(self.file).stem} | {clip} | {' | '.join(numbers)} |"


def measured(folder: Path, file: str, name: str) -> Row:
    """Lock the feet of a clip by default, and judge it before and after."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # legs that cannot reach are in the numbers
        character = lissom.load(folder / file)
        clip = character.clips[name]
        if file.endswith(".bvh"):
            clip = clip.trimmed(clip.start + T_POSE, clip.end)
        legs = lissom.ik.Leg.find(character)
        contacts = lissom.ik.find_contacts(clip, legs, character=character)
        still = lissom.ik.lock_feet(clip, legs, contacts=contacts, character=character)
        judged = (
            slides(character, clip, legs),
            slides(character, still, legs),
            slides(character, still, legs, contacts),
        )
        return Row(file, name, *(float(100 * np.nanmax(slid)) for slid in judged))


def main(folder: Path) -> None:
    """Measure all and put the table into the page."""
    rows = []
    for file, name in CASES:
        rows.append(measured(folder, file, name))
        print(rows[-1], flush=True)
    page = PAGE.read_text(encoding="utf-8")
    before, after = page[: page.index(BEGIN) + len(BEGIN)], page[page.index(END) :]
    PAGE.write_text(f"{before}\n{HEAD}" + "\n".join(map(str, rows)) + f"\n\n{after}", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
