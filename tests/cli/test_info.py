# SPDX-License-Identifier: MIT
"""`lissom info`: of models, bakes and motion capture."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import bvh_files
import lissom
import morph_faces
from cli.files import BAR, TUBE
from gltf_files import arm
from lissom.cli import output
from meshopt_streams import compressed
from morphed_characters import NAMES, faced
from vrm_avatars import avatar


def test_info_shows_tree_clips_and_parts(run) -> None:
    result = run("info", TUBE)
    tube = lissom.samples.two_bone_tube()
    assert result.code == 0
    for name in (*tube.skeleton.names, *tube.clips, *(part.name for part in tube.mesh.parts)):
        assert name in result.out


def many_clips(tmp_path: Path) -> Path:
    """A file of 76 clips."""
    tube = lissom.samples.two_bone_tube()
    bend = tube.clips["bend"]
    clips = [lissom.Clip(f"bend {i}", tube.skeleton, bend.keys, bend.tracks) for i in range(76)]
    path = tmp_path / "many.glb"
    lissom.save_glb(lissom.Character("many", tube.skeleton, tube.mesh, tube.skin, clips), path)
    return path


def test_info_begins_with_the_summary(run, tmp_path: Path) -> None:
    lines = run("info", many_clips(tmp_path)).out.splitlines()
    assert lines[0] == "many"
    assert re.match(r"\d+ joints, 76 clips, size [\d.]+, [\d,]+ vertices, [\d,]+ triangles, up to", lines[1])
    assert lines[2:4] == ["", "joints"]
    assert "\n".join(lines).count("76 clips") == 1  # a file or a pipe has all of it


def test_the_summary_stands_below_what_scrolls_it_away(
    run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def terminal() -> Console:
        return Console(file=sys.stdout, width=100, height=50, force_terminal=True, color_system=None)

    monkeypatch.setattr(output, "stdout", terminal)
    lines = run("info", many_clips(tmp_path)).out.splitlines()
    assert lines[-2:] == lines[:2]
    assert run("info", TUBE).out.count(" clips, ") == 1  # it fits


def test_info_json_holds_the_facts(run) -> None:
    facts = json.loads(run("info", BAR, "--json").out)
    bar = lissom.samples.twisted_bar()
    assert [joint["name"] for joint in facts["joints"]] == list(bar.skeleton.names)
    assert [joint["parent"] for joint in facts["joints"]] == bar.skeleton.parents.tolist()
    assert facts["mesh"]["vertices"] == bar.mesh.vertex_count
    assert {clip["name"]: clip["duration"] for clip in facts["clips"]} == pytest.approx(
        {name: clip.duration for name, clip in bar.clips.items()}
    )
    assert facts["size"] == pytest.approx(bar.size)


def test_info_lists_morph_targets_by_node(run, tmp_path: Path) -> None:
    path = tmp_path / "face.glb"
    face = faced(lissom.samples.two_bone_tube())
    lissom.save_glb(face, path)
    text = run("info", path).out
    assert ", 6 morph targets\n" in text
    assert "morph targets\n  face  smile, blink\n  hair  smile\n  body  round, thin, none\n" in text
    morphs = json.loads(run("info", path, "--json").out)["mesh"]["morphs"]
    counts = np.diff(face.mesh.morphs.offsets).tolist()
    assert morphs[1] == {"name": "face/blink", "default": 0.5, "vertices": counts[1]}
    assert [one["name"] for one in morphs] == list(NAMES)
    assert "morph" not in run("info", TUBE).out
    assert json.loads(run("info", TUBE, "--json").out)["mesh"]["morphs"] == []


def test_info_says_what_compressed_a_file(run, tmp_path: Path) -> None:
    path = tmp_path / "arm.glb"
    path.write_bytes(compressed(arm()).glb())
    assert "compressed by EXT_meshopt_compression; saved files are plain\n" in run("info", path).out
    assert json.loads(run("info", path, "--json").out)["compression"] == ["EXT_meshopt_compression"]
    assert "compressed by" not in run("info", BAR).out
    assert json.loads(run("info", BAR, "--json").out)["compression"] == []


def test_info_shows_roles_and_what_is_uncertain_of_them(run, tmp_path: Path) -> None:
    """Of a figure without a hand, whose toes point backwards: it names the sides that a viewer sees."""
    path = tmp_path / "figure.bvh"
    body = {name: (parent, (x, y, -z)) for name, (parent, (x, y, z)) in bvh_files.BODY.items()}
    path.write_text(bvh_files.figure(body=body))
    text = run("info", path).out
    assert "roles  humanoid\nhips: Hips, spine: Spine, head: Head\n" in text
    rows = [line.split() for line in text.splitlines()]
    assert ["role", "left", "right"] in rows
    assert ["LowerLeg", "RightLeg", "LeftLeg"] in rows
    assert ["Shoulder", "RightShoulder", "-"] in rows
    lost = "no joint below 'LeftForeArm' is one by its name or place"
    assert f"missing: rightHand: {lost}\n" in text
    doubt = "left by name, but on the right of where the feet point"
    bones = ("UpperArm", "LowerArm", "UpperLeg", "LowerLeg", "Foot", "Toes")
    assert f"ambiguous: {', '.join(f'right{bone}' for bone in bones)}: {doubt}\n" in text

    facts = json.loads(run("info", path, "--json").out)["roles"]
    assert facts["kind"] == "humanoid"
    assert (facts["joints"]["hips"], facts["joints"]["rightLowerLeg"]) == ("Hips", "LeftLeg")
    assert facts["missing"]["rightHand"] == lost
    assert facts["ambiguous"]["rightFoot"] == doubt


def test_info_draws_roles_and_takes_hints(run, tmp_path: Path) -> None:
    hints, picture = tmp_path / "hints.toml", tmp_path / "new" / "roles.svg"
    hints.write_text('chest = ""\n')
    result = run("info", "humanoid", "--roles", hints, "--picture", picture, "--json")
    assert result.code == 0, result.err
    found = lissom.roles(lissom.samples.humanoid(), hints)
    assert json.loads(result.out)["roles"]["joints"] == found.joints
    assert "chest" not in found
    assert picture.read_bytes() == found.save_svg(tmp_path / "same.svg").read_bytes()
    wrong = run("info", "humanoid", "--picture", tmp_path / "roles.png")
    assert wrong.code == 2
    assert "must end in .svg, got 'roles.png'" in wrong.err
    bake = tmp_path / "bar.safetensors"
    lissom.bake(lissom.samples.twisted_bar(), "bend", rate=5.0).save(bake)
    refused = run("info", bake, "--picture", picture)
    assert (refused.code, refused.err) == (
        1,
        f"lissom: --picture: roles must be those of a model, got the bake {bake}\n",
    )


def test_info_lists_expressions(run, tmp_path: Path) -> None:
    path = tmp_path / "avatar.vrm"
    path.write_bytes(avatar().glb())
    names = list(lissom.load(path).expressions)
    assert f"expressions {', '.join(names)}\n" in run("info", path).out
    facts = json.loads(run("info", path, "--json").out)["expressions"]
    assert [each["name"] for each in facts] == names
    assert facts[0]["morphs"] == {"face/smile": 1.0, "face/open": 0.3}
    assert facts[0]["override_mouth"] == "block"
    assert json.loads(run("info", TUBE, "--json").out)["expressions"] is None


def test_info_says_where_there_is_no_body(run) -> None:
    assert "roles  no body found\n" in run("info", BAR).out
    nothing = {"kind": None, "joints": {}, "missing": {}, "ambiguous": {}}
    assert json.loads(run("info", BAR, "--json").out)["roles"] == nothing


def test_info_of_every_real_character(run, asset) -> None:
    for path in sorted(asset("characters").rglob("*.glb"))[:6]:
        result = run("info", path)
        assert result.code == 0, result.err
        assert " joints, " in result.out


def test_info_of_a_bake(run, tmp_path: Path) -> None:
    out = tmp_path / "bar.safetensors"
    (record,) = json.loads(run("bake", BAR, "-o", out, "--json").out)
    bake = lissom.load_bake(out)
    facts = json.loads(run("info", out, "--json").out)
    assert facts["joints"] == list(bake.joints)
    of_the_run = {"file", "ok", "skipped", "name", "status", "key", "reused", "output", "seconds", "hints"}
    of_the_run |= {"tags", "licence"}  # of the job and of its source
    assert set(facts) == set(record) - of_the_run | {"joints", "mesh", "methods", "morphs"}
    assert facts["morphs"] == []
    assert facts["mesh"] == {"vertices": bake.mesh.vertex_count, "triangles": len(bake.mesh.triangles)}
    assert facts["clips"]["twist"]["error"]["max"] == bake.clips["twist"].error.max
    assert (facts["layout"], facts["dtype"], facts["frames"]) == ("dual_quat", "float16", len(bake.texels))
    text = run("info", out)
    assert text.code == 0
    for word in (
        "dual_quat float16",
        "rows, 2 texels each",
        "plays linear and dual_quat skinning",
        *bake.clips,
        *bake.joints,
        f"{bake.mesh.vertex_count:,} vertices",
    ):
        assert word in text.out


def test_info_of_a_bake_names_its_morph_targets(run, tmp_path: Path) -> None:
    out = lissom.bake(morph_faces.character(), rate=20).save(tmp_path / "face.safetensors")
    names = ["face/shape0", "face/shape1", "face/shape2", "face/shape3", "teeth/shape0", "teeth/shape1"]
    facts = json.loads(run("info", out, "--json").out)
    assert (facts["morphs"], facts["morph_count"]) == (names, 6)
    assert "morph targets face/shape0, face/shape1" in run("info", out).out


def test_info_takes_motion_capture(run, tmp_path: Path) -> None:
    path = tmp_path / "walk.bvh"
    path.write_text(bvh_files.GOOD)
    assert " joints, 1 clip, size " in run("info", path).out
    facts = json.loads(run("info", path, "--json").out)
    assert [joint["name"] for joint in facts["joints"]] == ["Hips", "Leg", "Leg_end"]
    assert [(clip["name"], clip["duration"], clip["key_rate"]) for clip in facts["clips"]] == [
        ("walk", 0.5, 4.0)
    ]
    path.write_text("HIERARCHY\n")
    result = run("info", path)
    assert (result.code, result.err) == (
        1,
        f"lissom: {path}: line 2: the file ends before its MOTION section\n",
    )
