# SPDX-License-Identifier: MIT
"""Catalogues of stores: their records are rows, new ones alone are read, bakes are fetched to be packed."""

import hashlib
import json

import numpy as np
import pytest

import lissom
from catalog.conftest import bake_bars
from lissom._store import open_store


def fill(url: str, *records: lissom.BakeRecord) -> None:
    """Put bakes and their records into a store, in the form that workers of a cluster do."""
    store = open_store(url)
    for record in records:
        with open(record.path, "rb") as file:
            data = file.read()
        report = {name: value for name, value in record.report.items() if name != "clips"}
        clips = record.report["clips"].items()
        document = {
            "format": "lissom.stored_bake",
            "version": 1,
            "key": record.key,
            "name": record.name,
            "source": record.source,
            "source_hash": "",
            "status": "baked",
            "lissom": lissom.__version__,
            "seconds": record.seconds,
            "worker": "here",
            "output": f"bakes/{record.key}.safetensors",
            "bytes": len(data),
            "hash": hashlib.sha256(data).hexdigest(),
            "clips": [{"name": name, "frames": clip["frame_count"], **clip} for name, clip in clips],
            "report": report,
        }
        store.write(document["output"], data)
        assert store.create(f"records/{record.key}.json", json.dumps(document).encode())


@pytest.fixture(params=["folder", "memory"])
def url(request, tmp_path):
    return str(tmp_path / "store") if request.param == "folder" else f"memory://{tmp_path.name}"


def test_a_store_has_the_rows_of_its_bakes(url, tmp_path):
    records = bake_bars(tmp_path / "out", 10, 20, tags=("bars",))
    fill(url, *records)
    catalog = lissom.Catalog.build(url, tmp_path / "store.parquet")
    assert catalog.store == url
    folder = lissom.Catalog.build(tmp_path / "out", tmp_path / "out.parquet")
    for row, known in zip(catalog.rows(), folder.rows(), strict=True):
        assert row["output"] == f"bakes/{row['key']}.safetensors"
        assert row["worker"] == "here"
        same = [name for name in row if name not in ("output", "worker", "seconds")]
        assert {name: row[name] for name in same} == {name: known[name] for name in same}


def test_what_workers_put_into_a_store_is_read(tmp_path):
    job = lissom.BakeJob("sample:twisted_bar", tmp_path / "out", "bar", rate=10, tags=("bars",))
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
    first, second = bake_bars(tmp_path / "out", 10, 20)
    fill(url, first)
    path = tmp_path / "store.parquet"
    assert len(lissom.Catalog.build(url, path)) == 2
    open_store(url).write(f"records/{first.key}.json", b"{}")  # is not read any more
    fill(url, second)
    names = lissom.Catalog.build(url, path).arrays(["name"])["name"]
    assert names.tolist() == ["bars/10"] * 2 + ["bars/20"] * 2


def test_a_record_that_is_none_is_named(url, tmp_path, caplog):
    open_store(url).write("records/abc.json", b"{}")
    assert len(lissom.Catalog.build(url, tmp_path / "store.parquet")) == 0
    (said,) = caplog.messages
    assert said.startswith("Catalog.build: left out: ")
    assert said.endswith("records/abc.json has a report that cannot be read: KeyError('report')")


def test_bakes_of_a_store_are_packed(url, tmp_path):
    (record,) = bake_bars(tmp_path / "out", 10)
    fill(url, record)
    pages = lissom.Catalog.build(url, tmp_path / "store.parquet").pack(tmp_path / "pages", side=1)
    bake = lissom.load_bake(record.path)
    bend = bake.texels[bake.clips["bend"].first_frame :]
    np.testing.assert_array_equal(pages.texels("bars/10", "bend"), bend)
    np.testing.assert_array_equal(pages.bake("bars/10").texels, bake.texels)
