# SPDX-License-Identifier: MIT
"""Job files of `lissom bake`: what they set is applied, faults are reported with their lines."""

import json
import re
from pathlib import Path

import pytest

import lissom
from batch_files import models
from cli.files import TUBE, job_file, words


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    models(tmp_path / "models", 3)
    return tmp_path / "models"


def test_a_job_file_is_followed(run, folder: Path, tmp_path: Path) -> None:
    path = job_file(
        tmp_path,
        """
        [defaults]
        output = "out"
        rate = 10
        extra_joints = 0
        [[job]]
        source = "models"
        name = "all"
        dtype = "float32"
        [[job]]
        source = "humanoid"
        clips = ["walk", "run"]
        no_loop = "walk"
        include_mesh = false
        root_motion = true
        rate = { Walk = 20, RUN = 10 }
        [[job]]
        source = "models/model_0.glb"
        output = "other"
        name = "tube.safetensors"
        rate = 20
        """,
    )
    result = run("bake", path, "--json")
    assert result.code == 0, result.err
    records = {record["name"]: record for record in json.loads(result.out)}
    assert list(records) == ["all/model_0", "all/model_2", "all/more/model_1", "humanoid", "tube.safetensors"]
    assert records["all/model_0"]["dtype"] == "float32"
    person = lissom.load_bake(records["humanoid"]["output"])
    assert (list(person.clips), person.clips["walk"].loop, person.mesh) == (["walk", "run"], False, None)
    assert person.clips["run"].rate == pytest.approx(10, rel=0.1)
    assert person.clips["walk"].rate == pytest.approx(20, rel=0.1)
    assert person.clips["walk"].root_motion is not None
    assert len(person.joints) == len(person.skin) == len(lissom.samples.humanoid().skin) + 1
    assert records["tube.safetensors"]["output"] == str(tmp_path / "other" / "tube.safetensors")
    assert (tmp_path / "out" / "bakes.json").exists()
    result = run("bake", path, "-o", tmp_path / "elsewhere")
    assert result.code == 0
    assert (tmp_path / "elsewhere" / "tube.safetensors").exists()


def test_lines_say_which_rates_max_error_raised(run, tmp_path: Path) -> None:
    job = '[[job]]\nsource = "humanoid"\nname = "{}"\n{}\n'
    options = {
        "raised": "rate = 10\nmax_error = 0.002",
        "walk": "rate = { WALK = 10 }\nmax_error = 0.002",
        "chosen": "max_error = 0.0005",
        "enough": "rate = 10\nmax_error = 0.5",
        "no_bound": "rate = 10",
    }
    path = job_file(
        tmp_path,
        '[defaults]\noutput = "out"\nclips = ["walk", "idle", "lean"]\ninclude_mesh = false\n'
        + "".join(job.format(*it) for it in options.items()),
    )
    for state in (r"\d+\.\d s", "unchanged"):  # baked, and of records
        said = dict(re.findall(rf"(?m)^(\w+) .* {state}(?:  (.*))?$", run("bake", path).out))
        rates = {}
        for document in json.loads(run("bake", path, "--json").out):
            clips = lissom.load_bake(document["output"]).clips
            rates[document["name"]] = {clip: f"{clips[clip].rate:.4g}" for clip in ("walk", "idle", "lean")}
        walk, idle, lean = rates["raised"].values()
        assert (float(walk) > float(lean) >= float(idle), idle) == (True, "10")
        raised = [rate for rate in (lean, walk) if rate != "10"]
        range_of = " to ".join(dict.fromkeys(raised))
        low, high = rates["chosen"]["idle"], rates["chosen"]["walk"]
        assert said == {
            "raised": f"rate {range_of} instead of 10 in {len(raised)} of 3 clips, to keep max_error 0.002",
            "walk": f"rate {rates['walk']['walk']} instead of 10 in 1 of 3 clips, to keep max_error 0.002",
            "chosen": f"rate {low} to {high}, to keep max_error 0.0005",
            "enough": "",
            "no_bound": "",
        }


WRONG = {
    "no TOML": ("[defaults\n", "must be a TOML file: ", "line 1"),
    "no jobs": ("[defaults]\n", "must hold a [[job]] table, got none"),
    "table": (
        "[default]\nrate = 3\n[[job]]\n",
        "line 1: no table is named 'default'; did you mean 'defaults'?",
    ),
    "job": ("\n[job]\nsource = 'x'\n", "line 2: job must be a list of tables"),
    "key": (
        "[[job]]\nsource = 'x'\n\n[[job]]\nsource = 'y'\nmaxerror = 1\n",
        "line 6: no option is named 'maxerror'; did you mean 'max_error'?",
    ),
    "type": (
        "[[job]]\nsource = 'x'\noutput = 'o'\nrate = 'fast'",
        "line 4: rate must be float | table, got str",
    ),
    "default type": (
        "[defaults]\noutput = 'o'\ninclude_mesh = 1\n[[job]]\nsource = 'x'\n",
        "line 3: include_mesh must be bool, got int",
    ),
    "value": (
        "[defaults]\noutput = 'o'\nlayout = 'cube'\n[[job]]\nsource = 'x'\n",
        "line 3: layout must be one of 'dual_quat', ",
    ),
    "source": ("[defaults]\noutput = 'o'\n[[job]]\nrate = 3\n", "line 3: job 1 must have a source: a file"),
    "empty source": (
        "[[job]]\nsource = ''\noutput = 'o'\n",
        "line 2: source must be the name of a file, got ''",
    ),
    "miswritten address": (
        "[[job]]\nsource = 's3:/bucket/hero.glb'\noutput = 'out'",
        "line 2: source must be s3://bucket/hero.glb, or for a file of that name ./s3:/bucket/hero.glb, got",
    ),
    "unknown address": (
        "[[job]]\nsource = 'htps://host/hero.glb'\noutput = 'out'",
        "line 2: source must be a file, a sample or an address, s3://BUCKET/KEY, gs://BUCKET/KEY, "
        "az://CONTAINER/KEY or file:///PATH, got 'htps://host/hero.glb'",
    ),
    "output": ("[[job]]\nsource = 'x'\n", "line 1: job 1 must have an output: a folder"),
    "default name": (
        "[defaults]\nname = 'x'\n[[job]]\n",
        "line 2: 'name' must be set in a [[job]], got it in [defaults]",
    ),
    "name": ("[[job]]\nsource = 'x'\noutput = 'o'\nname = '../x'", "line 4: name must be relative"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_job_file_is_refused_with_the_line(run, tmp_path: Path, name: str) -> None:
    text, *sentences = WRONG[name]
    path = job_file(tmp_path, text)
    result = run("bake", path)
    assert result.code == 1
    assert result.err.startswith(f"lissom: {path}: ")
    assert result.err.count("\n") == 1
    assert all(sentence in result.err for sentence in sentences), result.err
    assert [entry.name for entry in tmp_path.iterdir()] == ["job.toml"]


def test_a_job_file_stands_alone(run, tmp_path: Path) -> None:
    path = job_file(tmp_path, "")
    result = run("bake", path, TUBE, "-o", tmp_path)
    assert (result.code, "a job file must be the only input, got 2" in words(result.err)) == (2, True)
    result = run("bake", path, "--max-error", 0.1)
    assert (result.code, "'--max-error': must be set in" in words(result.err)) == (2, True)
