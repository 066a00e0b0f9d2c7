# SPDX-License-Identifier: MIT
"""``lissom catalog``: the file, its summary, JSON, and what is left out."""

import json
from pathlib import Path

import lissom


def test_a_folder_becomes_a_table(run, tmp_path: Path) -> None:
    folder, path = tmp_path / "baked", tmp_path / "bakes.parquet"
    assert run("bake", "bar", "tube", "-o", folder, "--rate", "10").code == 0
    result = run("catalog", folder, "-o", path)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(f"{path}: 4 clips of 2 bakes, 0.0 MB, ")
    assert "the largest error is " in result.out
    (folder / "junk.safetensors").write_bytes(b"junk" * 10)
    told = run("catalog", folder, "-o", path, "--json", "--anew")
    assert told.code == 0
    values = json.loads(told.out)
    rows = list(lissom.Catalog(path).rows())
    worst = max(rows, key=lambda row: row["max_relative"])
    assert values["worst"] == {name: worst[name] for name in ("name", "clip", "max_relative")}
    assert (values["clips"], values["bakes"]) == (len(rows), 2)
    assert values["bytes"] == sum(row["bytes"] for row in rows)
    assert values["store"] == str(folder)
    assert told.err == f"lissom: {values['left_out'][0]}\n"
    assert "junk.safetensors" in told.err


def test_an_empty_folder_and_one_that_is_not_there(run, tmp_path: Path) -> None:
    result = run("catalog", tmp_path, "-o", tmp_path / "a.parquet")
    assert (result.code, result.out) == (0, f"{tmp_path / 'a.parquet'}: 0 clips of 0 bakes\n")
    result = run("catalog", tmp_path / "none", "-o", tmp_path / "b.parquet")
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("lissom: Catalog.build: store must be a folder of bakes, got ")
    assert not (tmp_path / "b.parquet").exists()
