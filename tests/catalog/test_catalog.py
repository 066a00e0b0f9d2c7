# SPDX-License-Identifier: MIT
"""Catalogues: rows are what the bakes say, questions are answered as NumPy answers them, files are whole."""

import hashlib
import json
import os
import re
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import lissom
from catalog.conftest import bake_bars
from lissom._catalog.rows import _exact_rate
from lissom._catalog.schema import COLUMNS

EVERY = ", ".join(COLUMNS)


def test_rows_say_what_the_bakes_say(catalog, bakes):
    rows = list(catalog.rows())
    assert [(row["name"], row["clip"]) for row in rows] == [
        ("bars/10", "twist"), ("bars/10", "bend"), ("bars/60", "twist"), ("bars/60", "bend"),
        *(("own", name) for name in lissom.samples.two_bone_tube().clips),
    ]  # fmt: skip
    for row in rows:
        path = bakes / row["output"]
        bake = lissom.load_bake(path)
        clip = bake.clips[row["clip"]]
        assert row["hash"] == hashlib.sha256(path.read_bytes()).hexdigest()
        assert (row["frames"], row["first_frame"], row["rate"]) == (
            clip.frame_count,
            clip.first_frame,
            clip.rate,
        )
        assert (row["loop"], row["start"], row["duration"]) == (clip.loop, clip.start, clip.duration)
        assert row["bytes"] == bake.texels[clip.first_frame : clip.first_frame + clip.frame_count].nbytes
        assert (row["rows"], row["texels_per_row"]) == bake.texels.shape[1:3]
        assert (row["layout"], row["dtype"], row["size"]) == ("dual_quat", "float16", bake.size)
        relative = [row[f"{name}_relative"] * bake.size for name in ("max", "p99", "rms")]
        np.testing.assert_allclose(relative, [clip.error.max, clip.error.p99, clip.error.rms], rtol=1e-12)
        assert (row["worst_joint"], row["worst_time"]) == (clip.error.worst.joint, clip.error.worst.time)


@pytest.mark.parametrize("store", [False, True])
def test_rates_are_those_that_were_asked_for(tmp_path, store):
    place = tmp_path / "baked"
    options = {"clips": ("walk", "run"), "include_mesh": False}
    jobs = [
        lissom.BakeJob("sample:humanoid", "." if store else place, str(rate), rate=rate, **options)
        for rate in (12.5, 30, 60)
    ]
    jobs.append(lissom.BakeJob("sample:twisted_bar", jobs[0].output, "bar", rate={"BEND": 3.1}))
    records = list(lissom.bake_many(jobs, store=place if store else None, workers=1))
    clips = {name: clip for record in records for name, clip in record.report["clips"].items()}
    # As float32 has their times: 1.1 s and 0.7 s.
    assert (clips["walk"]["duration"], clips["run"]["duration"]) == (
        float(np.float32(1.1)),
        float(np.float32(0.7)),
    )
    catalog = lissom.Catalog.build(place, tmp_path / "a.parquet")
    found = {(row["name"], row["clip"]): (row["rate"], row["asked_rate"]) for row in catalog.rows()}
    for rate in (30.0, 60.0):
        assert {found[str(int(rate)), clip] for clip in ("walk", "run")} == {(rate, rate)}
        assert {row["clip"] for row in catalog.filter(pc.field("rate") == rate).rows()} >= {"walk", "run"}
    # 1.1 s are no whole number of intervals at 12.5: 14 of them, and 9 in 0.7 s.
    assert found["12.5", "walk"] == (pytest.approx(14 / 1.1, rel=1e-6), 12.5)
    assert found["12.5", "run"] == (pytest.approx(9 / 0.7, rel=1e-6), 12.5)
    assert len(catalog.filter(pc.field("asked_rate") == 12.5)) == 2
    assert [found["bar", clip][1] for clip in ("bend", "twist")] == [3.1, None]


@pytest.mark.parametrize(
    ("true", "intervals"),
    [(23.976, 100), (29.97, 1), (30, 40_000), (59.94, 7), (12.5, 3), (0.5, 2), (960, 9)],
)
@pytest.mark.parametrize("start", [0.0, 0.1, 77.7])
def test_a_rate_is_found_through_times_of_float32(true, intervals, start):
    first, last = (float(np.float32(time)) for time in (start, start + intervals / true))
    stated = intervals / (last - first)
    assert _exact_rate(stated, intervals, first, last - first) == true


@pytest.mark.parametrize(
    ("intervals", "duration"), [(34, 1.125), (38, 1.25), (22, 17 / 24), (0, 0.0), (1, 1 / 7)]
)
def test_a_rate_that_is_not_round_stays(intervals, duration):
    rate = intervals / duration if duration else 0.0
    assert _exact_rate(rate, intervals, 0.0, duration) == rate


def test_rows_say_where_a_bake_is_from(catalog, bakes):
    record = json.loads(next((bakes / "bars").glob("10-*.json")).read_text())
    row = next(catalog.rows())
    assert (row["key"], row["source"], row["tags"]) == (record["key"], "sample:twisted_bar", ["bars", "slow"])
    assert (row["lissom"], row["seconds"]) == (lissom.__version__, record["seconds"])
    own = next(catalog.filter(pc.field("name") == "own").rows())
    assert (own["key"], own["source"], own["tags"]) == (None, None, None)
    assert own["source_hash"] == lissom.load_bake(bakes / "own.safetensors").source_hash


def test_the_hash_and_the_licence_of_a_source(tmp_path):
    source = lissom.save_glb(lissom.samples.two_bone_tube(), tmp_path / "tube.glb")
    data = source.read_bytes()
    length = int.from_bytes(data[12:16], "little")
    document = json.loads(data[20 : 20 + length])
    document["asset"] |= {
        "copyright": "2026 A. Maker",
        "extras": {"license": "CC0-1.0", "tags": ["tube", "test"]},
    }
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    rest = data[20 + length :]
    head = b"glTF" + np.array([2, 20 + len(text) + len(rest), len(text)], "<u4").tobytes() + b"JSON"
    source.write_bytes(head + text + rest)
    list(
        lissom.bake_many(
            [lissom.BakeJob(source, tmp_path / "out", rate=10, tags=("mine", "test"))], workers=1
        )
    )
    row = next(lissom.Catalog.build(tmp_path / "out", tmp_path / "a.parquet").rows())
    assert row["source_hash"] == hashlib.sha256(source.read_bytes()).hexdigest()
    assert (row["licence"], row["tags"]) == ("CC0-1.0", ["mine", "test", "tube"])


def test_questions_are_answered_as_numpy_answers_them(catalog):
    every = catalog.arrays()
    assert tuple(every) == catalog.columns
    assert len(catalog) == len(every["clip"])
    for condition, mask in (
        (pc.field("max_relative") > 0.001, every["max_relative"] > 0.001),
        ([("loop", "==", True), ("frames", "<", 50)], every["loop"] & (every["frames"] < 50)),
        (pc.field("clip").isin(["bend"]), every["clip"] == "bend"),
    ):
        asked = catalog.filter(condition)
        assert 0 < len(asked) == mask.sum() < len(mask)
        assert asked.table(["name", "clip"]).to_pydict() == {
            name: every[name][mask].tolist() for name in ("name", "clip")
        }
        assert [row["name"] for row in asked.rows()] == every["name"][mask].tolist()
    both = catalog.filter(pc.field("clip") == "bend").filter(pc.field("rate") > 50)
    assert both.arrays(["name"])["name"].tolist() == ["bars/60"]
    assert len(catalog) == len(every["clip"])  # filters leave the catalogue as it is


def test_equal_folders_make_equal_files(catalog, bakes, tmp_path):
    again = lissom.Catalog.build(bakes, tmp_path / "again.parquet", resume=False)
    assert again.path.read_bytes() == catalog.path.read_bytes()
    lissom.Catalog.build(bakes, catalog.path)  # from its own rows
    assert again.path.read_bytes() == catalog.path.read_bytes()
    assert catalog.store == str(bakes)


def test_only_new_records_are_read(bakes, tmp_path, monkeypatch):
    folder = tmp_path / "bakes"
    shutil.copytree(bakes, folder)
    catalog = lissom.Catalog.build(folder, tmp_path / "bakes.parquet")
    bake_bars(folder, 20)
    read = []
    original = lissom._jobs.records.read
    monkeypatch.setattr(
        lissom._jobs.records, "read", lambda path, kind: (read.append(path.name[:3]), original(path, kind))[1]
    )
    lissom.Catalog.build(folder, catalog.path)
    assert read == ["20-"]
    names = lissom.Catalog(catalog.path).arrays(["name"])["name"]
    assert list(dict.fromkeys(names)) == ["bars/10", "bars/20", "bars/60", "own"]
    for path in (folder / "bars").glob("10-*"):
        path.unlink()
    assert "bars/10" not in lissom.Catalog.build(folder, catalog.path).arrays(["name"])["name"]


def test_of_several_bakes_of_a_name_the_listed_one_counts(tmp_path):
    jobs = [lissom.BakeJob("sample:twisted_bar", tmp_path, "bar", rate=rate) for rate in (10, 20)]
    (old,), (new,) = (list(lissom.bake_many([job], workers=1)) for job in jobs)
    for age, record in enumerate((new, old)):  # by their times the other counts
        os.utime(record.path, (1e9 + age, 1e9 + age))
    rows = list(lissom.Catalog.build(tmp_path, tmp_path / "bakes.parquet").rows())
    assert {row["key"] for row in rows} == {new.key}
    (tmp_path / "bakes.json").unlink()
    rows = list(lissom.Catalog.build(tmp_path, tmp_path / "bakes.parquet").rows())
    assert {row["key"] for row in rows} == {old.key}


def test_what_is_no_bake_is_named_and_left_out(tmp_path, caplog):
    lissom.bake(lissom.samples.twisted_bar(), rate=10).save(tmp_path / "bar.safetensors")
    (tmp_path / "junk.safetensors").write_bytes(b"junk" * 10)
    bake_bars(tmp_path, 10)
    record = next((tmp_path / "bars").glob("*.json"))
    stored = json.loads(record.read_text())
    del stored["report"]["clips"]["bend"]["error"]["rms"]
    record.write_text(json.dumps(stored))
    catalog = lissom.Catalog.build(tmp_path, tmp_path / "bakes.parquet")
    assert set(catalog.arrays(["name"])["name"]) == {"bar"}
    said = sorted(caplog.messages)
    assert len(said) == 2
    assert said[0] == f"Catalog.build: left out: {record} has a report that cannot be read: KeyError('rms')"
    assert said[1].startswith(
        f"Catalog.build: left out: {tmp_path / 'junk.safetensors'}: a safetensors file must"
    )


def test_an_empty_folder_has_an_empty_catalogue(tmp_path):
    catalog = lissom.Catalog.build(tmp_path, tmp_path / "bakes.parquet")
    assert (len(catalog), list(catalog.rows()), len(catalog.filter(pc.field("loop")))) == (0, [], 0)


@pytest.mark.parametrize(
    ("condition", "error", "sentence"),
    [
        (pc.field("foo") > 1, ValueError, f"Catalog.filter: no column is named 'foo'; there are: {EVERY}"),
        ([("loopp", "==", True)], ValueError, "no column is named 'loopp'; did you mean 'loop'\\?"),
        ([("loop", "~", True)], ValueError, 'Catalog.filter: condition cannot be read: "~" is not a valid'),
        ("loop", TypeError, "condition must be an expression of pyarrow.compute or a list of .*, got str"),
        (pc.field("rate") + 1, ValueError, "must be true or false, such as field > 1, got .* of type double"),
        (pc.field("clip") > 1, ValueError, "pyarrow refuses the condition: Function 'greater' has no kernel"),
    ],
)
def test_a_wrong_condition_is_one_sentence(catalog, condition, error, sentence):
    with pytest.raises(error, match=sentence):
        catalog.filter(condition)


def test_a_wrong_column_is_one_sentence(catalog):
    with pytest.raises(ValueError, match="no column is named 'fraems'; did you mean 'frames'"):
        catalog.table(["fraems"])
    with pytest.raises(TypeError, match="columns must be a list of names, got 'clip' alone"):
        catalog.arrays("clip")
    with pytest.raises(TypeError, match="columns must be names of columns, got int"):
        catalog.rows([1])


@pytest.mark.parametrize("method", ["table", "arrays", "rows"])
def test_methods_name_themselves_at_once_and_what_is_like_no_column(catalog, method):
    with pytest.raises(
        ValueError, match=f"^Catalog.{method}: no column is named 'max_eror'; there are: {EVERY}$"
    ):
        getattr(catalog, method)(["max_eror"])
    with pytest.raises(TypeError, match=f"^Catalog.{method}: columns must be a list of names, got 'clip'"):
        getattr(catalog, method)("clip")


def test_an_empty_list_of_conditions_leaves_all_rows(catalog):
    assert catalog.filter([]).table() == catalog.table()
    assert len(catalog.filter([("clip", "==", "bend")]).filter([])) == 3


def test_the_questions_of_the_guide_have_answers(tmp_path, monkeypatch):
    page = Path(__file__).parents[2] / "docs" / "howto" / "catalog-bakes.md"
    code = re.search(r"(?m)^loops = (?s:.*?)(?=^heavy)", page.read_text(encoding="utf-8"))[0]
    jobs = [
        lissom.BakeJob("sample:humanoid", tmp_path, name, rate=5, tags=(tag, "all"))
        for name, tag in (("a", "hero"), ("b", "superhero"))
    ]
    assert [record.status for record in lissom.bake_many(jobs, workers=1)] == ["baked"] * 2
    catalog = lissom.Catalog.build(tmp_path, tmp_path / "bakes.parquet")
    printed = []
    exec(code, {"catalog": catalog, "pc": pc, "print": printed.append})
    *loops, tagged = printed
    assert [row["clip"] for row in loops] == ["walk", "walk"]
    assert tagged == catalog.arrays(["name"])["name"].tolist().count("a") == len(catalog) / 2


def test_other_files_and_versions_are_refused(bakes, tmp_path):
    path = tmp_path / "bakes.parquet"
    with pytest.raises(FileNotFoundError) as told:
        lissom.Catalog(path)
    assert str(told.value) == (
        f"Catalog: {path} does not exist; `lissom catalog FOLDER -o {path}` writes it, or Catalog.build"
    )
    with pytest.raises(IsADirectoryError) as told:
        lissom.Catalog(bakes)
    assert str(told.value) == (
        f"Catalog: {bakes} is a folder, not a catalogue; run `lissom catalog {bakes} -o bakes.parquet`, or "
        "Catalog.build, and open what that writes"
    )
    path.write_text("no table")
    with pytest.raises(ValueError, match=r"bakes.parquet must be a Parquet file that `lissom catalog` wrote"):
        lissom.Catalog(path)
    with pytest.raises(ValueError, match=r"bakes.parquet is no Parquet file; write the catalogue elsewhere"):
        lissom.Catalog.build(bakes, path)
    table = pa.table({"a": [1]})
    pq.write_table(table, path)
    for wrong in (lambda: lissom.Catalog(path), lambda: lissom.Catalog.build(bakes, path)):
        with pytest.raises(ValueError, match="is a Parquet file but no catalogue"):
            wrong()
    assert pq.read_table(path) == table
    said = {"format": "lissom.catalog", "version": 99, "made_by": "lissom 9.0"}
    pq.write_table(table.replace_schema_metadata({"lissom": json.dumps(said)}), path)
    with pytest.raises(
        ValueError, match=r"made by lissom 9.0 in version 99 of the catalogue.*reads version 2"
    ):
        lissom.Catalog(path)
    assert len(lissom.Catalog.build(bakes, path)) > 0  # made anew


def test_a_store_that_is_none_is_refused_and_the_old_file_stays(catalog, tmp_path):
    before = catalog.path.read_bytes()
    with pytest.raises(FileNotFoundError, match=r"^Catalog.build: \S*none does not exist; the store must be"):
        lissom.Catalog.build(tmp_path / "none", catalog.path)
    with pytest.raises(NotADirectoryError, match=r"^Catalog.build: \S*bakes.parquet is a file; the store"):
        lissom.Catalog.build(catalog.path, catalog.path)
    assert catalog.path.read_bytes() == before
    with pytest.raises(FileNotFoundError, match="does not exist"):
        lissom.Catalog.build(tmp_path, tmp_path / "none" / "bakes.parquet")
