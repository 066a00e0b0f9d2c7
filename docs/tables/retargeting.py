# SPDX-License-Identifier: MIT
"""Make the tables of docs/concepts/retargeting.md anew: methods, pairs, and motion that exists on two rigs.

python docs/tables/retargeting.py ../shared/assets
"""

import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import lissom

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

from retarget import bone_errors  # noqa: E402

PAGE = ROOT / "docs" / "concepts" / "retargeting.md"
END = "<!-- end of table -->\n"
FRAMES = 40  # of a clip that are measured for ways there and back
PHASES = np.linspace(0, 0.999, 12)  # at which motion of two rigs is compared
NAMES = {"lissom.Retarget": "`Retarget`", "Clip.bind": "`Clip.bind`"}

Q, A = "wild/retarget/quaternius", "characters/quaternius/animals_pack"
PAIRS = [
    ("bvh/01_01.bvh", "01_01", "wild/retarget/packt/Woman.gltf"),
    ("bvh/dab.bvh", "dab", "characters/kaykit/Knight.glb"),
    ("bvh/zombie.bvh", "zombie", "characters/kaykit/Barbarian.glb"),
    ("bvh/jumping_jacks.bvh", "jumping_jacks", f"{Q}/Animated Woman.glb"),
    ("wild/retarget/bvh/10_03.bvh", "10_03", "characters/godot/player.glb"),
    ("wild/retarget/packt/Woman.gltf", "Running", "wild/retarget/gdquest/mannequiny-0.3.0.glb"),
    ("wild/retarget/packt/Woman.gltf", "Walking", "characters/kaykit/Knight.glb"),
    (f"{Q}/Animated Base Character.glb", "Rig|Walk_Loop", "wild/retarget/packt/Woman.gltf"),
    (f"{Q}/Animated Woman.glb", "CharacterArmature|Run", "characters/raylib/greenman.glb"),
    ("characters/kaykit/Knight.glb", "Running_A", "wild/retarget/packt/Woman.gltf"),
    (f"{Q}/Husky.glb", "AnimalArmature|Walk", f"{A}/Horse.glb"),
    (f"{Q}/Mike.glb", "Run", "characters/raylib/robot.glb"),
]


def methods() -> Iterator[str]:
    """Yield rows of mean differences of bone directions, by method."""
    yield "| method | other joint axes | other rest pose | both |"
    yield "| --- | --: | --: | --: |"
    for name, degrees in bone_errors().items():
        yield f"| {NAMES.get(name, name)} | {' | '.join(f'{value:.2f}' for value in degrees)} |"


def rotations(skeleton: lissom.Skeleton, poses: Any, joints: list[int]) -> Rotation:
    """Return rotations of joints in model space."""
    matrices = skeleton.model_matrices(poses.astype(np.float64))[:, joints, :3, :3]
    return Rotation.from_matrix(
        (matrices / np.linalg.norm(matrices, axis=-2, keepdims=True)).reshape(-1, 3, 3)
    )


def there_and_back(source: lissom.Character, target: lissom.Character, clip: lissom.Clip) -> float:
    """Return by how many degrees joints of the source's roles have turned in the mean after both ways."""
    poses = clip.sample(np.linspace(clip.start, clip.end, FRAMES)).astype(np.float64)
    there = lissom.Retarget(source, target, feet=False)
    again = lissom.Retarget(target, source, feet=False).poses(there.poses(poses))
    roles = lissom.roles(source)
    joints = [roles.index(role) for role in there.report.roles]
    first, second = (rotations(source.skeleton, each, joints) for each in (poses, again))
    return float(np.degrees((first.inv() * second).magnitude()).mean())


def pairs(folder: Path) -> Iterator[str]:
    """Yield rows of clips on other characters."""
    yield (
        "| source | clip | target | bones ° | with goals ° | slide %/s | its source's | while they stand % "
        "| in the ground % | reach % | there and back ° |"
    )
    yield "| --- | --- | --- | --: | --: | --: | --: | --: | --: | --: | --: |"
    for file, name, other in PAIRS:
        source, target = lissom.load(folder / file), lissom.load(folder / other)
        retarget = lissom.Retarget(source, target)
        clip = source.clips[name]
        retarget.clip(clip)
        found = retarget.report.clips[name]
        numbers = (
            found.bone_mean,
            found.bone_mean_with_goals,
            found.slide,
            found.source_slide,
            found.stance_share,
            found.penetration,
            found.reach_error,
            there_and_back(source, target, clip),
        )
        shown = " | ".join("-" if number is None else f"{number:.2f}" for number in numbers)
        title = name.split("|")[-1]
        yield f"| {Path(file).stem} | {title} | {Path(other).stem} | {shown} |"


def path_of(folder: Path, file: str) -> Path:
    """Return the path of a file that wild.json names."""
    return folder / file if (folder / file).exists() else folder / "wild" / file


def own_directions(first: lissom.Character, second: lissom.Character, clips: Any) -> float:
    """Return by how many degrees the bones of both files' own clips differ in the mean."""
    roles = (lissom.roles(first), lissom.roles(second))
    bones = [
        (upper, lower)
        for upper, lower in (
            ("UpperArm", "LowerArm"),
            ("LowerArm", "Hand"),
            ("UpperLeg", "LowerLeg"),
            ("LowerLeg", "Foot"),
        )
    ]
    kinds = ("Fore", "Hind") if roles[0].kind == "quadruped" else ("",)
    found = []
    for side in ("left", "right"):
        for kind in kinds:
            for upper, lower in bones:
                names = (side + kind + upper, side + kind + lower)
                if not all(name in each for name in names for each in roles):
                    continue
                for one, two in clips:
                    vectors = []
                    for who, role, clip in ((first, roles[0], one), (second, roles[1], two)):
                        places = who.skeleton.positions(clip.at(PHASES))
                        vector = places[:, role.index(names[1])] - places[:, role.index(names[0])]
                        vectors.append(vector / np.linalg.norm(vector, axis=1, keepdims=True))
                    cosines = np.clip((vectors[0] * vectors[1]).sum(axis=1), -1, 1)
                    found.append(np.degrees(np.arccos(cosines)))
    return float(np.mean(found))


def same_motion(folder: Path) -> Iterator[str]:
    """Yield rows of motion that its authors made for two rigs: ours on the second beside theirs."""
    yield "| source | target | clips | joints are apart, % of size | bones of both files differ by ° |"
    yield "| --- | --- | --: | --: | --: |"
    for pair in json.loads((folder / "wild" / "wild.json").read_text())["same_motion"]:
        names = [each["clip"] for each in pair.get("clips", ()) if each["grade"] == "same"]
        if not names or "compressed" in pair["a"]:
            continue
        both = [lissom.load(path_of(folder, pair[key])) for key in ("a", "b")]
        clips = [
            tuple(
                next(c for c in who.clips.values() if c.name.split("|")[-1] == name.split("|")[-1])
                for who in both
            )
            for name in names
        ]
        apart = own_directions(*both, clips)
        for (source, target), order in (((both[0], both[1]), (0, 1)), ((both[1], both[0]), (1, 0))):
            retarget = lissom.Retarget(source, target, feet=False)
            roles = lissom.roles(target)
            joints, hips = [roles.index(role) for role in roles.joints], roles.index("hips")
            distances = []
            for clip in clips:
                ours = target.skeleton.positions(retarget.poses(clip[order[0]].at(PHASES)))
                theirs = target.skeleton.positions(clip[order[1]].at(PHASES))
                ours, theirs = (each - each[:, hips, None] for each in (ours, theirs))
                distances.append(np.linalg.norm(ours - theirs, axis=-1)[:, joints].mean() / target.size)
            names_of = f"{source.name} | {target.name} | {len(clips)}"
            yield f"| {names_of} | {100 * np.mean(distances):.2f} | {apart:.1f} |"


def put(name: str, rows: Iterator[str]) -> None:
    """Put a table into the page in place of the one before."""
    begin = f"<!-- table of {name}: made by docs/tables/retargeting.py -->\n"
    lines = []
    for row in rows:
        lines.append(row)
        print(row, flush=True)
    page = PAGE.read_text(encoding="utf-8")
    at = page.index(begin) + len(begin)
    PAGE.write_text(
        page[:at] + "\n" + "\n".join(lines) + "\n\n" + page[page.index(END, at) :], encoding="utf-8"
    )


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # what loading repaired
    assets = Path(sys.argv[1]).resolve()
    put("methods", methods())
    put("pairs", pairs(assets))
    put("same motion", same_motion(assets))
