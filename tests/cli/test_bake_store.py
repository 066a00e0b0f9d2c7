# SPDX-License-Identifier: MIT
"""``lissom bake --on --store``: who bakes, and where bakes go."""

import json
import re
import threading

import pytest

import lissom
from batch_processes import wait_until
from dask_cluster import running

JOBS = """
[defaults]
clips = ["bend"]

[[job]]
source = "twisted_bar"
name = "bar"

[[job]]
source = "two_bone_tube"
name = "tube"
"""


@pytest.fixture
def job_file(tmp_path):
    path = tmp_path / "job.toml"
    path.write_text(JOBS)
    return path


def test_a_job_file_goes_into_a_store(run, job_file, tmp_path):
    store, summary = tmp_path / "store", tmp_path / "summary.json"
    first = run("bake", job_file, "--store", store, "--summary", summary)
    assert (first.code, first.err) == (0, "")
    assert re.search(rf"2 baked in [\d.]+ s: {store}, by names/\n", first.out)
    assert "worker" in first.out
    assert json.loads(summary.read_text())["statuses"] == {"baked": 2}
    assert len(list((store / "bakes").iterdir())) == len(list((store / "records").iterdir())) == 2
    again = run("bake", job_file, "--store", store, "--json")
    documents = json.loads(again.out)
    assert [(document["name"], document["reused"]) for document in documents] == [
        ("bar", True),
        ("tube", True),
    ]
    assert all(document["output"].startswith(str(store)) for document in documents)


def test_faults_are_said_once_and_what_is_unfinished_is_no_failure(run, tmp_path, bad_file):
    path, missing = tmp_path / "job.toml", tmp_path / "missing.glb"
    job = '[[job]]\nsource = "{}"\nname = "{}"\n'
    made = [("twisted_bar", "bar"), (bad_file, "bad"), (missing, "one"), (missing, "two"), (missing, "three")]
    path.write_text("".join(job.format(*names) for names in made))
    result = run("bake", path, "--store", tmp_path / "store")
    assert result.code == 1
    assert re.search(r"\n1 baked, 1 failed, 3 unfinished in ", result.out)
    assert sorted(re.findall(r"(?m)^\w+ +(failed|unfinished)$", result.out)) == ["failed", "unfinished"]
    both = result.out + result.err
    assert both.count(str(missing)) == both.count(str(bad_file)) == 1
    assert f"lissom: 3 of 5 jobs are unfinished: {missing}: there is no such file\n" in result.err


def test_a_scheduler_that_ends_is_told_in_one_sentence(run, tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    path, store, summary = tmp_path / "job.toml", tmp_path / "store", tmp_path / "summary.json"
    job = '[[job]]\nsource = "twisted_bar"\nname = "{}"\nrate = {}\n'
    path.write_text("".join(job.format(rate, rate) for rate in range(20, 220)))
    monkeypatch.setattr("lissom._jobs.engines.PATIENCE", 0.5)
    (tmp_path / "cluster").mkdir()
    with running(tmp_path / "cluster") as cluster:
        cluster.worker("only")

        def end():
            wait_until(lambda: any((store / "records").glob("*")), "the first bake")
            cluster.processes[0].kill()

        ending = threading.Thread(target=end)
        ending.start()
        result = run("bake", path, "--on", cluster.address, "--store", store, "--summary", summary)
        ending.join()
    statuses = json.loads(summary.read_text())["statuses"]
    baked, left = statuses.get("baked", 0), statuses["unfinished"]
    assert (result.code, baked + left) == (1, 200)
    assert result.err.splitlines()[-1] == (
        f"lissom: {left} of 200 jobs are unfinished: {cluster.tcp}: the scheduler has ended, or cannot be "
        "reached any more; start it and run the same again, what is done stays done"
    )
    assert (result.out + result.err).count("the scheduler has ended") == 1
    assert len(re.findall(r"(?m)^\d+ +unfinished$", result.out)) == 1


def test_a_summary_has_its_folder_made(run, job_file, tmp_path):
    summary = tmp_path / "new" / "folder" / "summary.json"
    result = run("bake", job_file, "--store", tmp_path / "store", "--summary", summary)
    assert (result.code, result.err) == (0, "")
    assert json.loads(summary.read_text())["statuses"] == {"baked": 2}


def test_a_summary_without_a_folder_is_refused_before_bakes(run, job_file, tmp_path):
    summary = job_file / "summary.json"
    result = run("bake", job_file, "--store", tmp_path / "store", "--summary", summary)
    assert result.code == 1
    assert f"--summary: {job_file}: must be a folder, got a file" in result.err
    assert [path.name for path in tmp_path.iterdir()] == ["job.toml"]


def test_jobs_of_several_outputs_go_into_a_store(run, tmp_path):
    path = tmp_path / "job.toml"
    job = '[[job]]\nsource = "twisted_bar"\nname = "bar"\nclips = ["bend"]\n'
    path.write_text(f'{job}output = "one"\nrate = 15\n{job}output = "two"\nrate = 30\n{job}rate = 60\n')
    result = run("bake", path, "--store", tmp_path / "store")
    assert (result.code, result.err) == (0, "")
    store = tmp_path / "store"
    assert len(list((store / "records").iterdir())) == 3
    # As the file says them, wherever it is.
    names = {name.relative_to(store).as_posix() for name in (store / "names").rglob("*.json")}
    assert names == {"names/one/bar.json", "names/two/bar.json", "names/bar.json"}
    catalog = tmp_path / "bakes.parquet"
    assert run("catalog", store, "-o", catalog).code == 0
    rows = lissom.Catalog(catalog).rows(["name", "rate"])
    assert [(row["name"], row["rate"]) for row in rows] == [("bar", 60), ("one/bar", 15), ("two/bar", 30)]


def test_reports_that_a_store_has_are_not_kept(run, job_file, tmp_path, monkeypatch):
    kept = []
    monkeypatch.setattr("lissom.cli.bake._Bakes.write_hints", lambda self, records: kept.extend(records))
    assert run("bake", job_file, "--store", tmp_path / "store").code == 0
    assert [list(record.report) for record in kept] == [["hints"]] * 2


REFUSALS = {
    ("--on", "slurm"): "'--on': must be processes, dask://HOST:PORT or",
    ("--store", "https://host/a"): "'--store': https://host/a cannot create a key only",
    ("--store", "s3//studio/b"): "'--store': must be s3://studio/b, or for a folder of that name ./s3",
    (
        "--store",
        "memory://tries",
    ): "'--store': must be a folder or a bucket, got memory://tries, which would be",
    ("--store", "s", "-o", "out"): "'-o': must be left out with --store",
    ("--store", "s", "--html"): "'--html': must be left out with --store",
    ("--summary", "s.json"): "'--summary': must come with --on or --store",
}


@pytest.mark.parametrize("options", REFUSALS, ids=" ".join)
def test_options_that_do_not_fit_are_refused(run, job_file, options, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("bake", job_file, *options)
    assert result.code == 2
    said = " ".join(word for word in result.err.replace("│", " ").split())
    assert REFUSALS[options] in said
    assert [path.name for path in tmp_path.iterdir()] == ["job.toml"]
