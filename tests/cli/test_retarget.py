# SPDX-License-Identifier: MIT
"""`lissom retarget`: clips of files onto a character."""

import json
from pathlib import Path

import pytest

import lissom
from cli.files import words
from conftest import asset

HUMANOID, CHILD = "sample:humanoid", "sample:child"


def test_all_clips_of_a_character_onto_another(run, tmp_path: Path) -> None:
    out = tmp_path / "new" / "child.glb"
    result = run("retarget", HUMANOID, CHILD, "-o", out)
    assert (result.code, result.err) == (0, "")
    assert words(result.out).endswith(words(str(out)))
    hero, child = lissom.samples.humanoid(), lissom.load(out)
    assert list(child.clips) == list(hero.clips)
    assert len(child.skeleton) == 34
    assert child.mesh.vertex_count == lissom.samples.humanoid("child").mesh.vertex_count
    ratio = child.clips["walk"].skeleton.size / hero.skeleton.size
    assert 0.4 < ratio < 0.8


def test_a_folder_of_files_with_a_report_and_a_picture(run, tmp_path: Path) -> None:
    hero = lissom.samples.humanoid()
    folder = tmp_path / "moves"
    folder.mkdir()
    (folder / "first.bvh").write_text(hero.clips["walk"].to_bvh())
    (folder / "second.bvh").write_text(hero.clips["run"].to_bvh())
    lissom.save_glb(hero, folder / "third.glb", clips=["wave"])
    picture, out = tmp_path / "moves.png", tmp_path / "child.glb"
    result = run("retarget", folder, CHILD, "-o", out, "--picture", picture, "--json")
    assert (result.code, result.err) == (0, "")
    report = json.loads(result.out)
    assert [Path(name).name for name in report["sources"]] == ["first.bvh", "second.bvh", "third.glb"]
    assert list(lissom.load(out).clips) == ["first", "second", "wave"]
    for source in report["sources"].values():
        for clip in source["clips"].values():
            assert clip["bone_mean"] < 0.5
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_clips_of_one_name_take_the_files_name(run, tmp_path: Path) -> None:
    hero = lissom.samples.humanoid()
    for name in ("a", "b"):
        lissom.save_glb(hero, tmp_path / f"{name}.glb", clips=["wave"])
    out = tmp_path / "child.glb"
    result = run("retarget", tmp_path / "a.glb", tmp_path / "b.glb", CHILD, "-o", out, "--no-feet", "--keep")
    assert result.code == 0, result.err
    assert list(lissom.load(out).clips)[:2] == ["wave", "b wave"]
    assert "walk" in lissom.load(out).clips


def test_roles_from_files(run, tmp_path: Path) -> None:
    roles = tmp_path / "child.toml"
    roles.write_text('leftHand = "LowerArm.L"\nleftLowerArm = "UpperArm.L"\n')
    result = run(
        "retarget", HUMANOID, CHILD, "--roles", roles, "-o", tmp_path / "x.glb", "--clips", "wave", "--json"
    )
    assert result.code == 0, result.err
    (source,) = json.loads(result.out)["sources"].values()
    assert "leftUpperArm" in source["unused"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((HUMANOID, "sample:twisted_bar"), "no hips were found in the target"),
        ((HUMANOID, CHILD, "--clips", "swim"), "no clip"),
        ((HUMANOID, CHILD, "--rate", "0"), "'--rate': must be above zero and finite"),
    ],
)
def test_what_does_not_fit_is_one_sentence(run, tmp_path: Path, arguments, sentence: str) -> None:
    out = tmp_path / "x.glb"
    result = run("retarget", *arguments, "-o", out)
    assert result.code in (1, 2)
    assert sentence in words(result.err)
    assert not out.exists()


def test_the_output_ends_in_glb(run, tmp_path: Path) -> None:
    result = run("retarget", HUMANOID, CHILD, "-o", tmp_path / "x.fbx")
    assert result.code == 2
    assert "must be a folder, or end in .glb, got" in words(result.err)


def test_motion_capture_onto_a_knight(run, tmp_path: Path) -> None:
    out = tmp_path / "knight.glb"
    result = run("retarget", asset("bvh/dab.bvh"), asset("characters/kaykit/Knight.glb"), "-o", out, "--json")
    assert result.code == 0, result.err
    (source,) = json.loads(result.out)["sources"].values()
    assert source["clips"]["dab"]["slide"] <= source["clips"]["dab"]["source_slide"] + 1
    assert list(lissom.load(out).clips) == ["dab"]


def test_files_of_a_folder_that_do_not_fit_are_all_named(run, tmp_path: Path) -> None:
    folder = tmp_path / "moves"
    folder.mkdir()
    text = lissom.samples.humanoid().clips["walk"].to_bvh()
    (folder / "good.bvh").write_text(text)
    (folder / "bad.bvh").write_text(text[:300])
    lissom.save_glb(lissom.samples.twisted_bar(), folder / "bar.glb")
    out = tmp_path / "child.glb"
    result = run("retarget", folder, CHILD, "-o", out)
    assert result.code == 1
    assert not out.exists()
    *failures, last = result.err.splitlines()
    assert [Path(line.split(": ")[1].split(" onto ")[0]).name for line in failures] == ["bad.bvh", "bar.glb"]
    assert "2 of 3 sources cannot be carried over; -o FOLDER writes a file of each of the others" in last


def test_what_a_recording_lacks_is_said(run, tmp_path: Path) -> None:
    lines = lissom.samples.humanoid().clips["walk"].to_bvh().splitlines()
    cut = tmp_path / "cut.bvh"
    cut.write_text("\n".join(lines[:-5]))
    result = run("retarget", cut, CHILD, "-o", tmp_path / "child.glb")
    assert result.code == 0
    assert f"{cut}: Frames says " in result.err
    report = json.loads(run("retarget", cut, CHILD, "-o", tmp_path / "child.glb", "--json").out)
    assert any("Frames says " in repair for repair in report["sources"][str(cut)]["repairs"])


def test_measures_beyond_those_of_usual_pairs_are_said(run, tmp_path: Path) -> None:
    """A hand that flies off its arm is not followed, and the table alone looks like any."""
    hero = lissom.samples.humanoid()
    poses = hero.clips["idle"].sample([0.0, 0.5])
    poses[1, hero.skeleton.index("Hand.L"), :3] += 0.2 * hero.size
    clip = lissom.Clip.from_poses(hero.skeleton, [0.0, 0.5], poses, name="thrown")
    lissom.save_glb(hero, tmp_path / "hero.glb", clips=[clip])
    result = run("retarget", tmp_path / "hero.glb", CHILD, "-o", tmp_path / "child.glb")
    assert result.code == 0
    assert "thrown: 3" in result.err
    assert "% of the size that joints moved from their places, which is not followed: look at" in result.err
    usual = run("retarget", HUMANOID, CHILD, "--clips", "walk", "-o", tmp_path / "child.glb")
    assert usual.err == ""
