# SPDX-License-Identifier: MIT
"""Makes the characters beside it out of the files that their authors published: the same bytes every time.

    python tests/data/characters/cut.py ASSETS [FOLDER]

ASSETS holds the whole files under ``characters`` and tells in ``assets.json`` where they come from. What is
cut off is cut off in the glTF: clips, meshes and primitives, then the accessors and buffer views that nothing
names any more. What stays has its bytes, its nodes and its names.
"""

import hashlib
import json
import shutil
import struct
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import measure

Gltf = dict[str, Any]


@dataclass(frozen=True)
class Cut:
    """What a file keeps: these clips, no mesh on these nodes, of these meshes only these primitives."""

    clips: tuple[str, ...]
    bare_nodes: tuple[str, ...] = ()
    primitives: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def __str__(self) -> str:
        parts = [f"clips {', '.join(self.clips)}"] if self.clips else []
        parts += [f"no meshes of {', '.join(self.bare_nodes)}"] if self.bare_nodes else []
        parts += [
            f"of mesh {name} primitives {', '.join(map(str, p))}" for name, p in self.primitives.items()
        ]
        return "; ".join(parts)


WHOLE = None
RECIPES: dict[str, Cut | None] = {
    "kaykit/Knight.glb": Cut(
        ("Death_A", "Death_A_Pose", "Dodge_Left", "Idle", "Running_A", "Walking_A"),
        bare_nodes=(
            *("1H_Sword", "1H_Sword_Offhand", "Knight_Helmet"),
            *("Badge_Shield", "Rectangle_Shield", "Spike_Shield"),
        ),
    ),
    "kaykit/Med_General.glb": Cut(("Rig_Medium|Hit_A", "Rig_Medium|Spawn_Ground", "Rig_Medium|T-Pose")),
    "kaykit/manny_med_mod.gltf": Cut(
        (),
        bare_nodes=tuple(
            f"Mannequin_Medium_{part}"
            for part in ("ArmLeft", "ArmRight", "Head", "Head_Screen", "LegLeft", "LegRight")
        ),
    ),
    "kenney/character.glb": WHOLE,
    "quaternius/animals_pack/Wolf.glb": Cut(("AnimalArmature|Gallop", "AnimalArmature|Walk")),
    "quaternius/cyberpunk_pack/Enemy_2Legs.glb": Cut(
        ("CharacterArmature|Idle", "CharacterArmature|Run", "CharacterArmature|Walk"),
        primitives={"Enemy_Robot_2Legs": (3, 4)},
    ),
    "quaternius/fish_pack/Dolphin.glb": WHOLE,
    "quaternius/platformer_game_pack/Bee.glb": WHOLE,
    "quaternius/platformer_game_pack/Character.glb": Cut(
        ("CharacterArmature|Idle", "CharacterArmature|Run", "CharacterArmature|Walk")
    ),
    "raylib/greenman_hat.glb": WHOLE,
}
ORIGIN = ("source", "commit", "source_path", "licence", "author", "note", "companions")


def without_rest(gltf: Gltf, cut: Cut) -> None:
    """Take clips, meshes and primitives out of the JSON."""
    clips = {clip["name"]: clip for clip in gltf.pop("animations", [])}
    if cut.clips:
        gltf["animations"] = [clip for name, clip in clips.items() if name in cut.clips]
        assert len(gltf["animations"]) == len(cut.clips), "a clip that is not there"
    for name in cut.bare_nodes:
        (node,) = (node for node in gltf["nodes"] if node.get("name") == name)
        del node["mesh"]
        node.pop("skin", None)
    for name, kept in cut.primitives.items():
        (mesh,) = (mesh for mesh in gltf["meshes"] if mesh["name"] == name)
        mesh["primitives"] = [mesh["primitives"][i] for i in kept]


def keep_used(gltf: Gltf, key: str, references: list[tuple[dict, str]]) -> list[int]:
    """Drop the members of a list of the glTF that no reference names; number the references anew."""
    used = sorted({place[name] for place, name in references})
    gltf[key] = [gltf[key][i] for i in used]
    for place, name in references:
        place[name] = used.index(place[name])
    return used


def packed(gltf: Gltf, buffer: bytes) -> bytes:
    """Drop meshes, accessors and buffer views that nothing names; return the buffer of those that stay."""
    if "meshes" in gltf:
        keep_used(gltf, "meshes", [(node, "mesh") for node in gltf["nodes"] if "mesh" in node])
    primitives = [p for mesh in gltf.get("meshes", []) for p in mesh["primitives"]]
    accessors = [(p["attributes"], name) for p in primitives for name in p["attributes"]]
    accessors += [(p, "indices") for p in primitives]
    accessors += [(skin, "inverseBindMatrices") for skin in gltf.get("skins", [])]
    samplers = [sampler for clip in gltf.get("animations", []) for sampler in clip["samplers"]]
    accessors += [(sampler, name) for sampler in samplers for name in ("input", "output")]
    keep_used(gltf, "accessors", accessors)
    holders = gltf["accessors"] + gltf.get("images", [])
    keep_used(gltf, "bufferViews", [(one, "bufferView") for one in holders if "bufferView" in one])
    result = bytearray()
    for view in gltf["bufferViews"]:
        start = view.get("byteOffset", 0)
        result += bytes(-len(result) % 4)
        view["byteOffset"] = len(result)
        result += buffer[start : start + view["byteLength"]]
    gltf["buffers"][0]["byteLength"] = len(result)
    return bytes(result)


def write(path: Path, gltf: Gltf, buffer: bytes) -> None:
    """Write a .glb, or a .gltf and its .bin."""
    text = json.dumps(gltf, ensure_ascii=False, separators=(",", ":")).encode()
    if path.suffix == ".gltf":
        path.write_bytes(text + b"\n")
        (path.parent / gltf["buffers"][0]["uri"]).write_bytes(buffer)
        return
    chunks = b""
    for kind, data, filler in ((b"JSON", text, b" "), (b"BIN\0", buffer, b"\0")):
        data += filler * (-len(data) % 4)
        chunks += struct.pack("<I4s", len(data), kind) + data
    path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)


def record(path: Path, file: str, original: dict[str, Any], cut: Cut | None) -> dict[str, Any]:
    """Return what assets.json says of a file: whence it is, what it is, and where its vertices stand."""
    data = path.read_bytes()
    result = {"file": file, "size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    result |= {name: original[name] for name in ORIGIN} | {"kept": str(cut) if cut else "whole"}
    if "reference_lbs" in original:
        result["reference_lbs"] = measure.reference_boxes(path)
    return result


def main(assets: Path, folder: Path) -> None:
    originals = {one["file"]: one for one in json.loads((assets / "assets.json").read_text())["assets"]}
    records = []
    for name, cut in RECIPES.items():
        file = f"characters/{name}"
        for one in (file, *originals[file]["companions"]):
            target = folder / Path(one).relative_to("characters")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(assets / one, target)
        if cut:
            gltf, buffer = measure.read(assets / file)
            without_rest(gltf, cut)
            write(folder / name, gltf, packed(gltf, buffer))
        records.append(record(folder / name, file, originals[file], cut))
    about = "Written by cut.py: origins as recorded when the files were collected, boxes by measure.py."
    text = json.dumps({"about": about, "assets": records}, ensure_ascii=False, indent=1)
    (folder / "assets.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(*sys.argv[2:3]) if sys.argv[2:] else Path(__file__).parent)
