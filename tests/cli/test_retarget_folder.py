# SPDX-License-Identifier: MIT
"""`lissom retarget` into a folder and by job files: a file for each source, and nothing done twice."""

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

import lissom
from batch_files import contents, with_own_children
from batch_processes import LONGEST_SECONDS, processes, started, wait_until
from cli.files import job_file, recording, words
from lissom._jobs import guard as guards

HUMANOID, CHILD = "sample:humanoid", "sample:child"
BAD = "line 2: an opening brace must follow 'joint', got the end of the file"


@pytest.fixture(scope="module")
def pack(tmp_path_factory) -> Path:
    """Two recordings, a file with two clips, one without, and one that cannot be read."""
    hero = lissom.samples.humanoid()
    folder = tmp_path_factory.mktemp("retarget") / "pack"
    (folder / "more").mkdir(parents=True)
    (folder / "walk.bvh").write_text(hero.clips["walk"].to_bvh())
    (folder / "more" / "run.bvh").write_text(hero.clips["run"].to_bvh())
    lissom.save_glb(hero, folder / "two.glb", clips=["wave", "idle"])
    lissom.save_glb(hero, folder / "still.glb", clips=[])
    (folder / "bad.bvh").write_text("HIERARCHY\nROOT")
    return folder


@pytest.fixture(scope="module")
def whole(pack: Path, tmp_path_factory) -> Path:
    """What one run makes of it."""
    output = tmp_path_factory.mktemp("retarget") / "out"
    with started(pack, output, "retarget", pack, CHILD) as run:
        _, said = run.communicate(timeout=LONGEST_SECONDS)
    assert run.returncode == 1
    assert said.decode().splitlines() == [f"lissom: {pack}/bad.bvh: {BAD}"]
    return output


def copied(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder, tmp_path / folder.name))


def by_name(result) -> dict[str, dict]:
    return {document["name"]: document for document in json.loads(result.out)}


def test_each_source_becomes_a_file_with_its_clips(whole: Path) -> None:
    hero, child = lissom.samples.humanoid(), lissom.samples.humanoid("child")
    names = {
        path.relative_to(whole).as_posix().rpartition("-")[0]: path for path in sorted(whole.rglob("*.glb"))
    }
    assert {name: list(lissom.load(path).clips) for name, path in names.items()} == {
        "more/run": ["run"],
        "two": ["wave", "idle"],
        "walk": ["walk"],
    }
    made = lissom.load(names["two"])
    assert made.mesh.vertex_count == child.mesh.vertex_count
    expected = lissom.Retarget(hero, child).clip(hero.clips["wave"])
    for phase in (0.0, 0.4, 1.0):
        np.testing.assert_allclose(
            made.skeleton.positions(made.clips["wave"].at(phase)),
            child.skeleton.positions(expected.at(phase)),
            atol=1e-5,  # metres, of the rounding of trs in files
        )
    entries = json.loads((whole / "retargets.json").read_text())["retargets"]
    assert [(entry["name"], entry["status"]) for entry in entries] == [
        ("bad", "failed"),
        ("more/run", "retargeted"),
        ("still", "no clips"),
        ("two", "retargeted"),
        ("walk", "retargeted"),
    ]
    assert [entry.get("clips") for entry in entries] == [None, ["run"], None, ["wave", "idle"], ["walk"]]
    assert {whole / entry["file"] for entry in entries if "file" in entry} == set(names.values())


def test_what_is_done_is_not_done_again(run, pack: Path, whole: Path, tmp_path: Path, monkeypatch) -> None:
    with_own_children(monkeypatch)
    output = copied(whole, tmp_path)
    monkeypatch.setattr(guards, "_start", None)  # a child would be an error
    result = run("retarget", pack, CHILD, "-o", output)
    assert result.code == 1
    assert "3 unchanged, 1 without clips, 1 failed in" in words(result.out)
    assert result.err == (f"lissom: {pack}/bad.bvh: {BAD} (in an earlier run; --anew tries again)\n")
    assert contents(output) == contents(whole)


def test_a_change_of_either_side_or_of_roles_is_done_again(run, tmp_path: Path) -> None:
    hero, child = lissom.samples.humanoid(), lissom.samples.humanoid("child")
    source, other, target, roles = (tmp_path / name for name in ("a.bvh", "b.bvh", "child.glb", "roles.toml"))
    for path in (source, other):
        path.write_text(hero.clips["wave"].to_bvh())
    lissom.save_glb(child, target, clips=[])
    roles.write_text('leftHand = "Hand.L"\n')

    def reused(*options: object) -> dict[str, bool]:
        result = run(
            "retarget", source, other, target, "-o", tmp_path / "out", "--roles", roles, "--json", *options
        )
        assert result.code == 0, result.err
        return {name: document["reused"] for name, document in by_name(result).items()}

    assert reused() == {"a": False, "b": False}
    assert reused() == {"a": True, "b": True}
    assert reused("--anew") == {"a": False, "b": False}
    assert reused("--no-feet") == {"a": False, "b": False}
    source.write_text(hero.clips["walk"].to_bvh())
    assert reused() == {"a": False, "b": True}
    roles.write_text('leftHand = "LowerArm.L"\nleftLowerArm = "UpperArm.L"\n')
    assert reused() == {"a": False, "b": False}
    lissom.save_glb(child, target, clips=["walk"])
    assert reused() == {"a": False, "b": False}
    assert reused() == {"a": True, "b": True}


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_a_killed_run_goes_on_where_it_was(pack: Path, whole: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    with started(pack, output, "retarget", pack, CHILD) as killed:
        wait_until(lambda: any(output.rglob("*.glb")) or killed.poll() is not None, "a file")
        killed.kill()
        killed.wait()
        wait_until(lambda: not processes(output), "the processes' end")
    assert killed.returncode < 0
    for path in output.rglob("[!.]*.glb"):  # whole, or not there
        assert lissom.load(path).clips
    with started(pack, output, "retarget", pack, CHILD) as again:
        again.communicate(timeout=LONGEST_SECONDS)
    assert again.returncode == 1
    assert contents(output) == contents(whole)


def test_ctrl_c_says_how_to_go_on(run, pack: Path, tmp_path: Path, monkeypatch) -> None:
    def interrupted(jobs, **options):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr("lissom.cli.retarget.run_many", interrupted)
    result = run("retarget", pack, CHILD, "-o", tmp_path / "out")
    assert result.code == 130
    assert result.err == "lissom: interrupted: 0 of 5 are done; run the same command again to continue\n"


def test_a_job_file_is_followed(run, pack: Path, tmp_path: Path) -> None:
    shutil.copytree(pack, tmp_path / "pack")
    (tmp_path / "child.toml").write_text('leftHand = "LowerArm.L"\nleftLowerArm = "UpperArm.L"\n')
    path = job_file(
        tmp_path,
        """
        [defaults]
        output = "out"
        target = "child"
        rate = 20
        [[job]]
        source = "pack/two.glb"
        clips = "WAVE"
        roles = "child.toml"
        keep = true
        [[job]]
        source = "pack/more"
        name = "giants"
        target = "sample:giant"
        source_roles = { leftHand = "LowerArm.L", leftLowerArm = "UpperArm.L" }
        feet = false
        [[job]]
        source = "pack/walk.bvh"
        name = "fixed.glb"
        output = "other"
        """,
    )
    result = run("retarget", path, "--json")
    assert result.code == 0, result.err
    found = by_name(result)
    assert {name: document["target"] for name, document in found.items()} == {
        "two": CHILD,
        "giants/run": "sample:giant",
        "fixed.glb": CHILD,
    }
    clips = lissom.load(found["two"]["output"]).clips
    assert set(clips) == set(lissom.samples.humanoid("child").clips)  # its own are kept, and one is replaced
    assert clips["wave"].key_rate == pytest.approx(20, rel=0.1)
    assert set(found["two"]["clips"]) == {"wave"}
    assert "leftUpperArm" in found["two"]["unused"]
    assert "leftUpperArm" not in found["giants/run"]["roles"]
    assert found["giants/run"]["clips"]["run"]["slide"] is None
    assert Path(found["fixed.glb"]["output"]) == tmp_path / "other" / "fixed.glb"
    assert [entry.name for entry in (tmp_path / "other").iterdir()] == ["fixed.glb"]  # of its own, no record
    again = by_name(run("retarget", path, "--json"))
    assert {name: document["reused"] for name, document in again.items()} == {
        "two": True,
        "giants/run": True,
        "fixed.glb": False,
    }


WRONG = {
    "target": (
        "[defaults]\noutput = 'o'\n[[job]]\nsource = 'x'\n",
        "line 3: job 1 must have a target: a file or a sample, set here or in [defaults]",
    ),
    "source": ("[[job]]\ntarget = 'x'\noutput = 'o'\n", "line 1: job 1 must have a source: a file"),
    "output": ("[[job]]\nsource = 'x'\ntarget = 'y'\n", "line 1: job 1 must have an output: a folder"),
    "key": (
        "[[job]]\nsource = 'x'\nrols = 'y'\n",
        "line 3: no option is named 'rols'; did you mean 'roles'?",
    ),
    "of a bake": ("[[job]]\nsource = 'x'\nlayout = 'trs'\n", "line 3: no option is named 'layout'"),
    "roles": (
        "[[job]]\nsource = 'x'\ntarget = 'y'\noutput = 'o'\nroles = 3\n",
        "line 5: roles must be str | table, got int",
    ),
    "rate": (
        "[[job]]\nsource = 'x'\ntarget = 'y'\noutput = 'o'\nrate = -3\n",
        "line 5: rate must be above zero and finite, got -3",
    ),
    "empty target": (
        "[[job]]\nsource = 'x'\ntarget = ''\noutput = 'o'\n",
        "line 3: target must be the name of a file, got ''",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_job_file_is_refused_with_the_line(run, tmp_path: Path, name: str) -> None:
    text, sentence = WRONG[name]
    path = job_file(tmp_path, text)
    result = run("retarget", path)
    assert result.code == 1
    assert result.err.startswith(f"lissom: {path}: ")
    assert result.err.count("\n") == 1
    assert sentence in result.err
    assert [entry.name for entry in tmp_path.iterdir()] == ["job.toml"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("job.toml", CHILD, "-o", "out"), "a job file must be the only input, got 2"),
        (("job.toml", "--rate", 30), "'--rate': must be set in job.toml"),
        (("job.toml", "-o", "x.glb"), "'-o': must be a folder for a job file, got x.glb"),
        ((HUMANOID,), "'TARGET': is required: the character that is to move"),
        ((HUMANOID, CHILD, "-o", "out", "--picture", "x.png"), "'--picture': is for one file"),
    ],
)
def test_wrong_usage_is_refused(run, tmp_path: Path, monkeypatch, arguments, sentence: str) -> None:
    monkeypatch.chdir(tmp_path)
    job_file(tmp_path, "")
    result = run("retarget", *arguments)
    assert (result.code, sentence in words(result.err)) == (2, True), result.err
    assert [entry.name for entry in tmp_path.iterdir()] == ["job.toml"]


def test_what_is_written_is_no_source_of_the_next_run(run, tmp_path: Path) -> None:
    folder = tmp_path / "moves"
    folder.mkdir()
    (folder / "wave.bvh").write_text(lissom.samples.humanoid().clips["wave"].to_bvh())
    result = run("retarget", folder, CHILD, "-o", folder / "out")
    assert result.code == 1
    assert "the output must lie outside the folder of sources" in result.err
    for _ in range(2):  # one file may lie there: it is known by its name
        assert run("retarget", folder, CHILD, "-o", folder / "all.glb").code == 0
        assert list(lissom.load(folder / "all.glb").clips) == ["wave"]


def test_files_of_one_name_get_names_of_their_own(run, tmp_path: Path) -> None:
    hero = lissom.samples.humanoid()
    folder = tmp_path / "moves"
    folder.mkdir()
    (folder / "wave.bvh").write_text(hero.clips["wave"].to_bvh())
    lissom.save_glb(hero, folder / "wave.glb", clips=["wave"])
    found = by_name(run("retarget", folder, CHILD, "-o", tmp_path / "out", "--json"))
    assert set(found) == {"wave.bvh", "wave_glb"}
    assert all(document["key"][:12] in document["output"] for document in found.values())


def test_a_source_that_is_named_must_have_clips(run, pack: Path, tmp_path: Path) -> None:
    result = run("retarget", pack / "still.glb", pack / "walk.bvh", CHILD, "-o", tmp_path / "out")
    assert (result.code, result.err) == (1, f"lissom: {pack}/still.glb: has no clips to carry over\n")
    assert "1 retargeted, 1 failed in" in words(result.out)


def test_what_has_no_body_is_one_sentence_and_the_others_are_done(run, pack: Path, tmp_path: Path) -> None:
    bar = recording(tmp_path / "bar.bvh")
    result = run("retarget", bar, pack / "walk.bvh", CHILD, "-o", tmp_path / "out")
    assert result.code == 1
    assert result.err.count("\n") == 1
    assert result.err.startswith(f"lissom: {bar} onto {CHILD}: no hips were found in the source")
    assert len(list((tmp_path / "out").glob("walk-*.glb"))) == 1


def test_one_source_shows_its_clips_and_where_they_are(run, pack: Path, tmp_path: Path) -> None:
    result = run("retarget", pack / "two.glb", CHILD, "-o", tmp_path / "out")
    assert result.code == 0, result.err
    (path,) = (tmp_path / "out").glob("*.glb")
    assert words(result.out).endswith(words(str(path)))
    assert "wave" in result.out
    assert "idle" in result.out
    assert "unchanged" in run("retarget", pack / "two.glb", CHILD, "-o", tmp_path / "out").out
