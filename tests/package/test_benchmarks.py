# SPDX-License-Identifier: MIT
"""Benchmarks measure by turns, leave records, and records are compared; each file goes through the runner."""

import ast
import copy
import importlib
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytestmark = pytest.mark.tree
ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "benchmarks"
BENCHMARKS = sorted(FOLDER.glob("[a-z]*.py"))


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import a module of the benchmarks by its name."""
    monkeypatch.syspath_prepend(FOLDER)

    def load(name: str) -> ModuleType:
        return importlib.import_module(name)

    return load


def row(name: str, seconds: float, **facts: Any) -> dict[str, Any]:
    base = {
        "table": "poses",
        "name": name,
        "kind": "ours",
        "seconds": seconds,
        "spread": 1.01,
        "unit": "joint",
    }
    return base | {"ratio": None, "beside": None} | facts


def record(*rows: dict[str, Any], **facts: Any) -> dict[str, Any]:
    machine = {"processor": "Xeon", "cores": 2, "system": "Linux x86_64", "instruction_set": "v4"}
    base = {
        "format": "lissom-benchmark",
        "version": 1,
        "benchmark": "posing",
        "date": "2026-11-27T20:00:00+00:00",
    }
    return base | {"machine": machine, "versions": {"numpy": "2.4.6"}, "rows": list(rows)} | facts


def saved(folder: Path, name: str, content: dict[str, Any]) -> Path:
    path = folder / name / f"{content['benchmark']}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content))
    return path


def compared(old: Path, new: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(FOLDER / "_compare.py"), str(old), str(new)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


# ---- Measuring ----


class Work:
    """Calls that last as long as they say, on a clock of their own."""

    def __init__(self) -> None:
        self.now = 0.0
        self.calls: list[str] = []

    def clock(self) -> float:
        return self.now

    def lasting(self, name: str, *seconds: float) -> Any:
        left = list(seconds)

        def call() -> None:
            self.calls.append(name)
            self.now += left.pop(0) if len(left) > 1 else left[0]

        return call


def test_runs_take_turns_round_by_round(tool: Any) -> None:
    measure, work = tool("_measure"), Work()
    runs = {name: measure.Run(work.lasting(name, 0.5)) for name in "abc"}
    measure.by_turns(runs, rounds=3, block=0.5, budget=10, clock=work.clock)
    # Two calls of each to find how many are a block; then each round begins with another.
    assert "".join(work.calls) == "aabbcc" + "abc" + "bca" + "cab"


def test_least_time_of_a_call_counts_and_the_median_tells_the_spread(tool: Any) -> None:
    measure, work = tool("_measure"), Work()
    run = measure.Run(work.lasting("a", 9.0, 2.0, 4.0, 1.0, 3.0))
    timing = measure.by_turns({"a": run}, rounds=3, block=0.5, budget=99, clock=work.clock)["a"]
    assert (timing.least, timing.median, timing.rounds) == (1.0, 3.0, 3)


def test_short_calls_are_timed_in_blocks_and_long_ones_in_fewer_rounds(tool: Any) -> None:
    measure, work = tool("_measure"), Work()
    runs = {"short": measure.Run(work.lasting("s", 0.125)), "long": measure.Run(work.lasting("l", 4.0))}
    timings = measure.by_turns(runs, rounds=12, block=0.5, budget=16.0, clock=work.clock)
    assert (timings["short"].least, timings["short"].rounds) == (0.125, 12)
    assert (timings["long"].least, timings["long"].rounds) == (4.0, 4)
    # The slow one's rounds are spread over all: three rounds of the other between any two.
    turns = "".join(work.calls[4:]).replace("sssss", "s")  # four in a block, one before it that is not timed
    assert turns.count("l") == 4
    assert {len(part) for part in turns.split("l")[1:-1]} <= {2, 3, 4}


def test_a_clock_of_its_own_is_believed(tool: Any) -> None:
    measure = tool("_measure")
    timing = measure.by_turns({"node": measure.Run(block=lambda count: 0.25 * count)}, rounds=3)["node"]
    assert timing.least == 0.25


def test_ratios_above_one_say_that_lissom_is_faster(tool: Any) -> None:
    rows = [
        row("lissom", 2.0, bytes=1.0),
        row("lissom, wide", 4.0, bytes=2.0),
        row("numba", 6.0, kind="rival"),
        row("NumPy", 20.0, kind="rival"),
        row("copying", 1.0, kind="copy"),
        row("decoder", 1.0, kind="part"),
    ]
    tool("_bench").relate(rows)
    found = {each["name"]: (each["ratio"], each["beside"], each.get("share")) for each in rows}
    assert found["lissom"] == (3.0, "numba", 0.5)
    assert found["lissom, wide"] == (1.5, "numba", 0.5)  # twice the bytes in twice the time of a copy
    assert found["numba"] == (3.0, "lissom", None)
    assert found["NumPy"] == (10.0, "lissom", None)
    assert found["copying"] == found["decoder"] == (None, None, None)


def test_ratios_are_to_the_row_that_is_named(tool: Any) -> None:
    rows = [
        row("lissom", 2.0, bytes=1.0),
        row("lissom, all faces", 4.0, bytes=1.0, beside="lesson, all faces"),
        row("lesson", 6.0, kind="rival"),
        row("lesson, all faces", 8.0, kind="rival", beside="lissom, all faces"),
    ]
    tool("_bench").relate(rows)
    assert [each["ratio"] for each in rows] == [3.0, 2.0, 3.0, 2.0]


@pytest.mark.parametrize(
    ("seconds", "text"), [(4.776e-9, "4.78 ns/joint"), (15.24e-6, "15.2 us/joint"), (0.152, "152 ms/joint")]
)
def test_times_are_told_in_a_readable_unit(tool: Any, seconds: float, text: str) -> None:
    assert tool("_record").in_unit(seconds, "joint") == text


def test_rivals_that_are_missing_are_told_with_how_to_install_them(tool: Any, monkeypatch: Any) -> None:
    bench = tool("_bench")
    monkeypatch.setattr(bench.importlib.util, "find_spec", lambda name: None)
    assert bench.why_not("pxr") == "usd-core is not installed and was left out: uv pip install --group bench"
    monkeypatch.setattr(bench._machine, "NODE", ROOT / "nowhere")
    monkeypatch.setattr(bench.shutil, "which", lambda name: "/usr/bin/node")
    assert bench.why_not("three") == (
        "three is not installed in tests/node and was left out: make tests/node/node_modules/.installed"
    )
    with pytest.raises(SystemExit, match=r"^this benchmark needs libigl: uv pip install --group bench$"):
        bench.require("igl")


# ---- Every benchmark ----


@pytest.mark.parametrize("path", BENCHMARKS, ids=lambda path: path.stem)
def test_every_benchmark_asks_a_question_and_goes_through_the_runner(path: Path) -> None:
    text = path.read_text()
    tree = ast.parse(text)
    question = (ast.get_docstring(tree) or "").splitlines()[0]
    assert question.endswith("?")
    assert "Bench(__file__, __doc__)" in text
    assert "print(" not in text  # what is found is kept in the record, too


@pytest.mark.parametrize("path", [*FOLDER.glob("*.mjs")], ids=lambda path: path.stem)
def test_rivals_in_node_wait_for_their_turns(path: Path) -> None:
    assert path.name == "_turns.mjs" or 'from "./_turns.mjs"' in path.read_text()


def test_a_run_leaves_a_record_that_can_be_read(tool: Any, tmp_path: Path) -> None:
    path = tmp_path / "playing.json"
    command = [sys.executable, str(FOLDER / "playing.py"), "--quick", "--json", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = tool("_record").read(path)
    assert found["benchmark"] == "playing"
    assert {"processor", "cores", "system", "instruction_set"} == set(found["machine"])
    names = [each["name"] for each in found["rows"]]
    assert "lissom.CrossFade, two clips" in names
    for each in found["rows"]:
        assert each["spread"] >= 1
        assert each["rounds"] >= 3
        assert each["name"] in done.stdout
    rival = next(each for each in found["rows"] if each["kind"] == "rival")
    ours = found["rows"][0]
    assert rival["ratio"] == pytest.approx(rival["seconds"] / ours["seconds"])
    assert rival["lacks"] in done.stdout
    assert "\n".join(tool("_record").printed(found)).count(rival["name"]) == 1


def test_ozz_is_left_out_in_one_sentence_where_its_source_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "ozz.json"
    done = subprocess.run(
        [sys.executable, str(FOLDER / "ozz.py"), "--json", str(path)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"OZZ_SOURCE": str(tmp_path / "nowhere")},
    )
    place = tmp_path / "nowhere"
    assert done.stdout == (
        f"ozz-animation was left out: its source is not at {place}; say where it is by OZZ_SOURCE=\n"
    )
    assert not path.exists()


# ---- Comparing ----


def test_rows_that_got_slower_or_faster_are_named(tmp_path: Path) -> None:
    old = saved(tmp_path, "old", record(row("a", 1e-9), row("b", 1e-9), row("c", 1e-9), row("d", 2e-9)))
    new = saved(
        tmp_path, "new", record(row("a", 1.2e-9), row("b", 1.04e-9), row("c", 0.98e-9), row("d", 1e-9))
    )
    done = compared(old.parent, new.parent)
    assert done.stdout.splitlines() == [
        "1 of 4 rows are slower by more than 5%",
        "  posing | poses | a: 1.20 times slower, 1.00 ns/joint to 1.20 ns/joint",
        "1 of 4 rows are faster by more than 5%",
        "  posing | poses | d: 2.00 times faster, 2.00 ns/joint to 1.00 ns/joint",
    ]
    assert done.returncode == 1
    assert compared(new, new).returncode == 0


def test_a_change_within_the_spread_is_told_as_such(tmp_path: Path) -> None:
    old = saved(tmp_path, "old", record(row("a", 1e-9, spread=1.3), row("b", 1e-9)))
    new = saved(tmp_path, "new", record(row("a", 1.2e-9), row("b", 1.2e-9)))
    done = compared(old, new)
    assert (
        "| a: 1.20 times slower, 1.00 ns/joint to 1.20 ns/joint (within the spread of 30%: run again)"
        in done.stdout
    )
    assert "| b: 1.20 times slower, 1.00 ns/joint to 1.20 ns/joint\n" in done.stdout


def test_a_machine_on_which_others_worked_is_named(tmp_path: Path) -> None:
    old = saved(tmp_path, "old", record(row("a", 1e-9), load=1.9))
    new = saved(tmp_path, "new", record(row("a", 1e-9), load=2.0))
    done = compared(old, new)
    assert done.stdout.splitlines()[0] == (
        "others worked on the machine of the new run, too (load average): posing"
    )
    assert "old run" not in done.stdout


def test_between_machines_only_ratios_are_compared(tmp_path: Path) -> None:
    beside = {"ratio": 3.0, "beside": "numba"}
    first = record(row("a", 1e-9, **beside), row("b", 1e-9), row("c", 1e-9, ratio=2.0, beside="NumPy"))
    second = copy.deepcopy(first)
    second["machine"]["processor"] = "EPYC"
    for each, seconds in zip(second["rows"], (9e-9, 9e-9, 9e-9), strict=True):
        each["seconds"] = seconds
    old, new = saved(tmp_path, "old", first), saved(tmp_path, "new", second)
    done = compared(old, new)
    assert done.stdout.splitlines()[0] == (
        "posing: the machines differ (Xeon, v4 and EPYC, v4): "
        "only ratios to rivals of the same run are compared"
    )
    assert "0 of 2 rows are slower" in done.stdout
    assert done.returncode == 0
    second["rows"][0]["ratio"] = 1.5
    second["rows"][2]["beside"] = "SciPy"
    done = compared(old, saved(tmp_path, "new", second))
    assert "1 of 1 rows are slower" in done.stdout
    assert "| a: 2.00 times slower, 3.00 to 1.50 times as fast as numba" in done.stdout
    assert done.returncode == 1


def test_rivals_do_not_count_and_rows_that_are_gone_are_named(tmp_path: Path) -> None:
    old = saved(tmp_path, "old", record(row("a", 1e-9), row("b", 1e-9), row("numba", 1e-9, kind="rival")))
    new = saved(tmp_path, "new", record(row("a", 1e-9), row("numba", 5e-9, kind="rival")))
    saved(tmp_path, "new", record(row("x", 1e-9), benchmark="ik"))
    done = compared(old.parent, new.parent)
    assert done.stdout.splitlines() == [
        "posing: 1 rows are not in the new run, first poses | b",
        "ik: not in the old run",
        "0 of 1 rows are slower by more than 5%",
        "0 of 1 rows are faster by more than 5%",
    ]
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "is not there; name a file or a folder of runs"),
        ("{", "is not JSON; name files that a benchmark wrote"),
        ("[]", "is no record of a benchmark: its format must be 'lissom-benchmark', got None"),
        (
            '{"format": "other"}',
            "is no record of a benchmark: its format must be 'lissom-benchmark', got 'other'",
        ),
        (record(version=2), "must have version 1 of the format, got 2; run the benchmark anew"),
        (record(rows={}), "is no record of a benchmark: 'rows' must be a list, got {}"),
        (record(machine=None), "is no record of a benchmark: 'machine' must be a dict, got None"),
        (record(3), "is no record of a benchmark: a row must be an object, got 3"),
        (record(row("a", 0)), "is no record of a benchmark: 'seconds' must be a float above 0, got 0"),
        (record(row("a", True)), "is no record of a benchmark: 'seconds' must be a float above 0, got True"),
        (
            record(row("a", float("nan"))),
            "is no record of a benchmark: 'seconds' must be a float above 0, got nan",
        ),
        (record(row("a", float("inf"))), "'seconds' must be a float above 0, got inf"),
        ("[" * 100_000, "is not JSON"),
        (record(row("a", 1, kind=None)), "is no record of a benchmark: 'kind' must be a str, got None"),
    ],
)
def test_other_files_are_refused_in_one_sentence(tmp_path: Path, content: Any, why: str) -> None:
    good, bad = saved(tmp_path, "good", record(row("a", 1e-9))), tmp_path / "bad.json"
    if content is not None:
        bad.write_text(content if isinstance(content, str) else json.dumps(content))
    for pair in ((good, bad), (bad, good)):
        done = compared(*pair)
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr.startswith(f"bench-compare: {bad} ")
        assert why in done.stderr
        assert done.stderr.count("\n") == 1


def test_an_empty_folder_and_runs_without_a_common_row_are_refused(tmp_path: Path) -> None:
    good = saved(tmp_path, "good", record(row("a", 1e-9)))
    (tmp_path / "empty").mkdir()
    assert "holds no JSON files" in compared(good, tmp_path / "empty").stderr
    other = saved(tmp_path, "other", record(row("b", 1e-9)))
    assert "no row of lissom in common" in compared(good, other).stderr


# ---- The page of the docs ----


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Import the script that writes the page."""
    spec = importlib.util.spec_from_file_location(
        "benchmarks_page", ROOT / "docs" / "tables" / "benchmarks.py"
    )
    assert spec is not None
    assert spec.loader is not None
    monkeypatch.setattr(sys, "path", [*sys.path])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_shows_what_the_records_say(tables: ModuleType) -> None:
    text = tables.PAGE.read_text()
    assert tables.page(text) == text
    for path in tables.KEPT.glob("*.json"):
        assert path.with_suffix(".txt").read_text() == tables.as_text(tables.read(path))


def test_a_row_of_the_page_has_time_share_and_ratios(tables: ModuleType) -> None:
    rows = [
        row("lissom", 2e-9, share=0.871, fma_share=None),
        row("lissom, wide", 4e-9),
        row("numba", 6e-9, kind="rival", ratio=3.0, beside="lissom", lacks=""),
        row("three.js", 2e-7, kind="rival", ratio=100.0, beside="lissom", lacks="normals"),
        row("lesson", 1e-8, kind="rival", ratio=2.5, beside="lissom, wide", lacks=""),
    ]
    assert tables.row_of(record(*rows), "poses", "256 poses") == (
        "| 256 poses | 2.00 ns/joint | 87% of memcpy | numba 3.00x; three.js 100x (without normals) |"
    )
    assert tables.row_of(record(row("lissom", 2e-9)), "poses", "256 poses") is None
    assert tables.row_of(record(*rows), "other", "256 poses") is None
