# SPDX-License-Identifier: MIT
"""`lissom show` and `lissom bake --html`: pages that play."""

import json
import re
from pathlib import Path

import lissom
from batch_files import models
from bvh_files import GOOD
from cli.files import BAR, TUBE, noted_file, words
from lissom.player._container import from_bytes
from lissom.player._packing import unpacked


def told(path: Path) -> dict:
    """The metadata of a page's player."""
    (text,) = re.findall(r'id="bundle">([^<]*)</script>', path.read_text(encoding="utf-8"))
    return json.loads(from_bytes(unpacked(text))[1]["player"])


def test_a_page_of_a_model_is_written_here_under_its_name(run, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("show", TUBE)
    assert (result.code, result.out, result.err) == (0, "two_bone_tube.html\n", "")
    facts = told(tmp_path / "two_bone_tube.html")
    assert facts["title"] == "two_bone_tube"
    assert [clip["name"] for clip in facts["clips"]] == list(lissom.samples.two_bone_tube().clips)


def test_clips_and_method_and_place_are_chosen(run, tmp_path: Path) -> None:
    out = tmp_path / "new" / "x.html"
    result = run("show", TUBE, "-o", out, "--clips", "twist", "--method", "side_by_side")
    assert result.code == 0, result.err
    assert [clip["name"] for clip in told(out)["clips"]] == ["twist"]
    assert '"method": "side_by_side"' in out.read_text(encoding="utf-8")


def test_a_page_of_a_bake(run, tmp_path: Path) -> None:
    path = tmp_path / "tube.safetensors"
    lissom.bake(lissom.samples.two_bone_tube(), "twist", layout="matrix").save(path)
    out = tmp_path / "tube.html"
    assert run("show", path, "-o", out).code == 0
    assert told(out)["methods"] == ["linear"]
    refused = run("show", path, "-o", out, "--method", "dual_quat")
    assert refused.code == 2
    assert "'--method': must be linear for the layout of this bake, got 'dual_quat'" in words(refused.err)
    refused = run("show", path, "-o", out, "--clips", "twist")
    assert refused.code == 2
    assert "must be left out for a bake, got" in words(refused.err)


def test_motion_capture_is_shown_as_bones(run, tmp_path: Path) -> None:
    source = tmp_path / "walk.bvh"
    source.write_text(GOOD)
    out = tmp_path / "walk.html"
    assert run("show", source, "-o", out).code == 0
    facts = told(out)
    assert facts["parts"][0]["count"] > 0
    assert facts["bones"]


def test_what_has_nothing_to_show_is_one_sentence(run, tmp_path: Path) -> None:
    result = run("show", noted_file(tmp_path), "-o", tmp_path / "x.html")
    assert result.code == 1
    assert result.err.count("\n") == 1
    assert "'camera' must have joints, got a skeleton without any" in result.err
    missing = run("show", "tub", "-o", tmp_path / "y.html")
    assert (missing.code, missing.err) == (1, "lissom: tub: there is no such file\n")
    assert not (tmp_path / "y.html").exists()


def test_open_has_the_browser_open_it(run, tmp_path: Path, monkeypatch) -> None:
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    out = tmp_path / "tube.html"
    assert run("show", TUBE, "-o", out, "--clips", "twist", "--open").code == 0
    assert opened == [out.as_uri()]


def test_bake_writes_a_page_beside_a_file_of_a_name(run, tmp_path: Path) -> None:
    out = tmp_path / "tube.safetensors"
    result = run("bake", TUBE, "-o", out, "--clips", "twist", "--html", "--json")
    assert result.code == 0, result.err
    (record,) = json.loads(result.out)
    assert record["page"] == str(tmp_path / "tube.html")
    assert told(tmp_path / "tube.html")["title"] == "tube"


def test_bake_says_where_the_page_is(run, tmp_path: Path) -> None:
    single = run("bake", TUBE, "-o", tmp_path / "tube.safetensors", "--rate", 10, "--html")
    said = single.out.splitlines()[-1]
    assert said == f"{tmp_path / 'tube.html'}  plays it: open this in a browser"
    assert "browser" not in run("bake", TUBE, "-o", tmp_path / "tube.safetensors", "--rate", 10).out

    both = run("bake", TUBE, BAR, "-o", tmp_path, "--rate", 10, "--html")
    assert both.out.splitlines()[-1].endswith("bakes.json; a page beside each bake plays it")
    assert "a page that plays" not in run("bake", TUBE, BAR, "-o", tmp_path, "--rate", 10).out


def test_pages_of_what_is_unchanged_are_kept(run, tmp_path: Path) -> None:
    folder, out = tmp_path / "models", tmp_path / "out"
    models(folder, 2)
    bake = ("bake", folder, "-o", out, "--html", "--rate", 10)
    assert run(*bake).code == 0
    pages = sorted(out.rglob("*.html"))
    assert [page.with_suffix("") for page in pages] == [
        bake.with_suffix("") for bake in sorted(out.rglob("*.safetensors"))
    ]
    marks = [page.stat().st_mtime_ns for page in pages]
    assert run(*bake).code == 0
    assert [page.stat().st_mtime_ns for page in pages] == marks  # resumed
    pages[0].unlink()
    text = pages[1].read_text(encoding="utf-8")
    pages[1].write_text(text.replace("'sha256-", "'sha256-x"), encoding="utf-8")  # of another player
    assert run(*bake).code == 0
    assert pages[0].is_file()
    assert pages[1].read_text(encoding="utf-8") == text
    pages[1].write_text(text.replace("</title>", " of yore</title>"), encoding="utf-8")
    assert run(*bake, "--anew").code == 0
    assert pages[1].read_text(encoding="utf-8") == text


def test_bakes_without_a_mesh_have_pages_of_bones(run, tmp_path: Path) -> None:
    assert run("bake", BAR, "-o", tmp_path, "--no-mesh", "--rate", 10, "--html").code == 0
    (page,) = tmp_path.glob("*.html")
    assert told(page)["parts"][0]["count"] > 0


def test_several_models_are_shown_side_by_side(run, tmp_path: Path) -> None:
    out = tmp_path / "both.html"
    result = run("show", "humanoid", "child", "-o", out, "--clips", "Walk", "--clips", "idle", "--equal-size")
    assert result.code == 0, result.err
    facts = told(out)
    assert [clip["name"] for clip in facts["clips"]] == ["Walk", "idle"]
    adult, child = (lissom.samples.humanoid(build) for build in ("adult", "child"))
    assert facts["palette_rows"] == len(adult.skin) + len(child.skin)
    assert facts["title"] == "humanoid_adult and humanoid_child"


def test_what_does_not_go_with_several_models_is_refused(run, tmp_path: Path) -> None:
    bake = tmp_path / "tube.safetensors"
    lissom.bake(lissom.samples.two_bone_tube(), "twist").save(bake)
    for arguments, message in (
        (("humanoid", bake), "'FILE': must be one bake alone, or models, got"),
        (("humanoid", "child", "--without", "Hair"), "'--without': needs a single file"),
        (("humanoid", "--equal-size"), "'--equal-size': needs several files"),
    ):
        refused = run("show", *arguments, "-o", tmp_path / "x.html")
        assert refused.code == 2
        assert message in words(refused.err)
    missing = run("show", "humanoid", TUBE, "--clips", "walk", "-o", tmp_path / "x.html")
    assert missing.code == 1
    assert "no clip is named 'walk'" in words(missing.err)
    assert not (tmp_path / "x.html").exists()
