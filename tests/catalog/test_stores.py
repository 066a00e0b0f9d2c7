# SPDX-License-Identifier: MIT
"""Catalogues of stores: their records are rows, new ones alone are read, bakes are fetched to be packed."""

import errno
import hashlib
import json
import threading

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lissom
from catalog.conftest import bake_bars
from lissom._catalog.at_once import READS, at_once
from lissom._jobs.worker_name import worker_name
from lissom._store import open_store
from lissom._store.folder import Folder
from lissom._store.objects import Objects

KEY = "0123456789abcdef" * 4


def fill(url: str, *rates: float, output: str = ".", **options) -> list[lissom.BakeRecord]:
    """Bake the twisted bar at some rates into a store, each under a name of its own."""
    jobs = [
        lissom.BakeJob("sample:twisted_bar", output, f"bars/{rate}", rate=rate, **options) for rate in rates
    ]
    records = list(lissom.bake_many(jobs, store=url, workers=1))
    assert {record.status for record in records} == {"baked"}
    return records


@pytest.fixture(params=["folder", "memory"])
def url(request, tmp_path):
    return str(tmp_path / "store") if request.param == "folder" else f"memory://{tmp_path.name}"


def test_a_store_has_the_rows_of_its_bakes(url, tmp_path):
    bake_bars(tmp_path / "out", 10, 20, tags=("bars",))
    fill(url, 10, 20, tags=("bars",))
    catalog = lissom.Catalog.build(url, tmp_path / "store.parquet")
    assert catalog.store == url
    folder = lissom.Catalog.build(tmp_path / "out", tmp_path / "out.parquet")
    for row, known in zip(catalog.rows(), folder.rows(), strict=True):
        assert row["output"] == f"bakes/{row['key']}.safetensors"
        assert row["worker"] == worker_name()
        same = [name for name in row if name not in ("output", "worker", "seconds")]
        assert {name: row[name] for name in same} == {name: known[name] for name in same}


def test_what_workers_put_into_a_store_is_read(tmp_path):
    job = lissom.BakeJob("sample:twisted_bar", name="bar", rate=10, tags=("bars",))
    (record,) = lissom.bake_many([job], workers=1, store=tmp_path / "store")
    assert record.status == "baked"
    rows = list(lissom.Catalog.build(tmp_path / "store", tmp_path / "store.parquet").rows())
    bake = lissom.bake(lissom.samples.twisted_bar(), rate=10)
    assert [row["clip"] for row in rows] == list(bake.clips)
    for row in rows:
        assert (row["key"], row["tags"], row["name"]) == (record.key, ["bars"], "bar")
        data = (tmp_path / "store" / row["output"]).read_bytes()
        assert row["hash"] == hashlib.sha256(data).hexdigest()
        error = bake.clips[row["clip"]].error
        assert row["max_relative"] == error.max_relative
        assert row["worst_joint"] == error.worst.joint


def test_only_new_records_of_a_store_are_read(url, tmp_path):
    (first,) = fill(url, 10)
    path = tmp_path / "store.parquet"
    assert len(lissom.Catalog.build(url, path)) == 2
    open_store(url).write(f"records/{first.key}.json", b"{}")  # is not read any more
    fill(url, 20)
    names = lissom.Catalog.build(url, path).arrays(["name"])["name"]
    assert names.tolist() == ["bars/10"] * 2 + ["bars/20"] * 2


def test_a_record_that_is_none_is_named(url, tmp_path, caplog):
    (record,) = fill(url, 10)
    open_store(url).write(f"records/{record.key}.json", b"{}")
    open_store(url).write("names/other.json", b"[]")
    assert len(lissom.Catalog.build(url, tmp_path / "store.parquet")) == 0
    first, second = sorted(caplog.messages)
    start = f"Catalog.build: left out: {url}"
    assert (
        first == f"{start}/names/other.json: is no name of a bake: Expected `object`, got `array`; remove it"
    )
    assert second.startswith(
        f"{start}/records/{record.key}.json: is no record: Object missing required field"
    )


def edited(url: str, record: lissom.BakeRecord, **changes: object) -> None:
    """Change a record of a store; None takes a fact out."""
    store = open_store(url)
    place = f"records/{record.key}.json"
    document = json.loads(store.read(place)) | changes
    store.write(place, json.dumps({k: v for k, v in document.items() if v is not None}).encode())


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"seconds": "slow"}, "is no record: Expected `float`, got `str` - at `$.seconds`"),
        ({"hash": "../../escaped"}, "is no record: Expected `str` matching regex"),
        ({"hash": None}, "must have a report, an output and a hash"),
        ({"clips": [{"name": "bend"}]}, "has clips that cannot be read: KeyError('frames')"),
        ({"report": {"size": "big"}}, "has a report that cannot be read: KeyError('layout')"),
        ({"key": KEY}, "must be a record of this job, got lissom.stored_bake 1 of 0123456789ab"),
    ],
)
def test_one_bad_record_is_named_and_the_others_have_rows(changes, fault, tmp_path, caplog):
    url = f"memory://{tmp_path.name}"
    first, second = fill(url, 10, 20)
    edited(url, first, **changes)
    catalog = lissom.Catalog.build(url, tmp_path / "store.parquet")
    assert {row["name"] for row in catalog.rows()} == {second.name}
    (said,) = caplog.messages
    assert f"{url}/records/{first.key}.json" in said
    assert fault in said


def test_a_record_that_nests_too_deep_or_has_values_of_other_types_is_named(tmp_path, caplog):
    url = f"memory://{tmp_path.name}"
    first, second, third = fill(url, 10, 20, 30)
    open_store(url).write(f"records/{third.key}.json", b'{"report":{"tags":' + b"[" * 100_000)
    report = {name: value for name, value in first.report.items() if name != "clips"}
    edited(url, first, report=report | {"licence": 5})
    catalog = lissom.Catalog.build(url, tmp_path / "store.parquet")
    assert {row["name"] for row in catalog.rows()} == {second.name}
    other, deep = sorted(caplog.messages, key=lambda said: third.key in said)
    assert f"records/{third.key}.json: is no record: maximum recursion depth" in deep
    assert f"left out: {url}/records/{first.key}.json: " in other


def test_a_store_that_does_not_answer_leaves_the_old_file(url, tmp_path, monkeypatch):
    fill(url, 10, 20)
    path = tmp_path / "store.parquet"
    lissom.Catalog.build(url, path)
    before = path.read_bytes()

    def unanswered(self, key):
        raise OSError(errno.EIO, "error sending request", f"{self.url}/{key}")

    for kind in (Folder, Objects):
        monkeypatch.setattr(kind, "read", unanswered)
    with pytest.raises(OSError, match="error sending request"):
        lissom.Catalog.build(url, path, resume=False)
    assert path.read_bytes() == before


def test_rows_of_another_store_are_not_taken(tmp_path):
    path = tmp_path / "store.parquet"
    for number, worker in enumerate(("first", "second")):
        url = f"memory://{tmp_path.name}-{number}"
        (record,) = fill(url, 10)
        edited(url, record, worker=worker)
        catalog = lissom.Catalog.build(url, path)
        assert catalog.store == url
        assert {row["worker"] for row in catalog.rows()} == {worker}


def test_the_newest_bake_of_a_name_counts(url, tmp_path):
    """As in folders, where bakes.json says which that is: also where its inputs are earlier ones again."""
    path = tmp_path / "store.parquet"
    for rate in (10, 20, 10):
        job = lissom.BakeJob("sample:twisted_bar", "heroes", "bar", rate=rate)
        (record,) = lissom.bake_many([job], store=url, workers=1)
        for resume in (True, False):
            rows = list(lissom.Catalog.build(url, path, resume=resume).rows())
            assert [(row["name"], row["clip"]) for row in rows] == [
                ("heroes/bar", "twist"),
                ("heroes/bar", "bend"),
            ]
            assert {(row["key"], row["rate"]) for row in rows} == {(record.key, rate)}
    assert lissom.Catalog(path).pack(tmp_path / "pages", side=1).names == ("heroes/bar",)


def test_names_below_several_outputs_are_told_apart(url, tmp_path):
    jobs = [lissom.BakeJob("sample:twisted_bar", output, "bar", rate=10) for output in ("one", "two/a")]
    first, second = lissom.bake_many(jobs, store=url, workers=1)
    assert first.key == second.key
    rows = list(lissom.Catalog.build(url, tmp_path / "store.parquet").rows())
    assert [row["name"] for row in rows] == ["one/bar"] * 2 + ["two/a/bar"] * 2
    assert len(list(open_store(url).keys("bakes/"))) == 1
    pages = lissom.Catalog(tmp_path / "store.parquet").pack(tmp_path / "pages", side=1)
    assert pages.names == ("one/bar", "two/a/bar")


@pytest.mark.parametrize("kind", ["store", "folder"])
def test_other_tags_are_noted_without_baking_again(kind, tmp_path):
    source = lissom.save_glb(lissom.samples.two_bone_tube(), tmp_path / "tube.glb")
    path, place = tmp_path / "a.parquet", tmp_path / kind
    store = {"store": place} if kind == "store" else {}
    keys = set()
    for tags in (("a", "b"), ("b", "c"), (), ("d",)):
        job = lissom.BakeJob(source, place, "tube", rate=10, tags=tags)
        (record,) = lissom.bake_many([job], workers=1, **store)
        assert record.reused == bool(keys)
        assert record.report["tags"] == list(tags)
        keys.add(record.key)
        rows = list(lissom.Catalog.build(place, path).rows())
        assert {tuple(row["tags"]) for row in rows} == {tags}
    assert len(keys) == 1


def test_records_are_read_many_at_once_and_in_order():
    meeting = threading.Barrier(8, timeout=60)
    taken = []

    def items():
        for i in range(200):
            taken.append(i)
            yield i

    def read(item):
        if item < 8:  # none returns before all are being read
            meeting.wait()
        return -item

    found = at_once(items(), read)
    assert next(found) == (0, 0)
    assert len(taken) <= 2 * READS  # not all of a million are under way
    assert list(found) == [(i, -i) for i in range(1, 200)]


def test_a_folder_of_bakes_may_have_one_named_records(tmp_path):
    job = lissom.BakeJob("sample:twisted_bar", tmp_path / "out", "records/bar", rate=10)
    list(lissom.bake_many([job], workers=1))
    rows = lissom.Catalog.build(tmp_path / "out", tmp_path / "out.parquet").rows()
    assert [(row["name"], row["clip"]) for row in rows] == [("records/bar", "twist"), ("records/bar", "bend")]


def test_bakes_of_a_store_are_packed(url, tmp_path):
    (record,) = bake_bars(tmp_path / "out", 10)
    fill(url, 10)
    pages = lissom.Catalog.build(url, tmp_path / "store.parquet").pack(tmp_path / "pages", side=1)
    bake = lissom.load_bake(record.path)
    bend = bake.texels[bake.clips["bend"].first_frame :]
    np.testing.assert_array_equal(pages.texels("bars/10", "bend"), bend)
    np.testing.assert_array_equal(pages.bake("bars/10").texels, bake.texels)


def test_bakes_whose_bytes_are_others_are_not_packed(tmp_path):
    url = f"memory://{tmp_path.name}"
    (record,) = fill(url, 10)
    edited(url, record, hash="0" * 64)
    catalog = lissom.Catalog.build(url, tmp_path / "store.parquet")
    with pytest.raises(ValueError, match=rf"must have the SHA-256 that its record says, {'0' * 64}, got "):
        catalog.pack(tmp_path / "pages", side=1)
    assert not list(tmp_path.glob("pages/**/*.safetensors"))


@pytest.mark.parametrize("digest", ["../../escaped", None])
def test_a_catalogue_with_a_hash_that_is_none_writes_nothing(digest, tmp_path):
    url = f"memory://{tmp_path.name}"
    fill(url, 10)
    path = tmp_path / "store.parquet"
    table = lissom.Catalog.build(url, path).table()
    hashes = pa.array([digest] * len(table), pa.string())
    pq.write_table(table.set_column(table.column_names.index("hash"), "hash", hashes), path)
    with pytest.raises(ValueError, match=r"must say the SHA-256 of memory://.* in 64 digits, got "):
        lissom.Catalog(path).pack(tmp_path / "pages", side=1)
    assert not list(tmp_path.glob("pages/**/*.safetensors"))
    assert not list(tmp_path.glob("*.safetensors"))
