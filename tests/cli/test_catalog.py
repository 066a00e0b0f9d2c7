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


def test_equal_bakes_of_two_names_are_counted_as_pages_count_them(run, tmp_path: Path) -> None:
    store, path, job_file = tmp_path / "store", tmp_path / "bakes.parquet", tmp_path / "job.toml"
    job = '[[job]]\nsource = "{}"\nname = "{}"\nrate = 10\n'
    names = [("twisted_bar", "a"), ("twisted_bar", "b"), ("two_bone_tube", "c")]
    job_file.write_text("".join(job.format(*name) for name in names))
    assert run("bake", job_file, "--store", store).code == 0
    assert len(list((store / "bakes").iterdir())) == 2
    result = run("catalog", store, "-o", path)
    assert result.out.startswith(f"{path}: 6 clips of 3 bakes in 2 files, as some are equal, 0.0 MB, ")
    values = json.loads(run("catalog", store, "-o", path, "--json").out)
    assert (values["bakes"], values["files"]) == (3, 2)
    assert len(lissom.Catalog(path).pack(tmp_path / "pages", side=256).names) == 3


def refused(run, store: object, path: Path) -> str:
    """Return the one sentence that refuses a store."""
    result = run("catalog", store, "-o", path)
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
    return result.err.removeprefix("lissom: ").rstrip()


def test_what_is_no_store_is_named(run, tmp_path: Path) -> None:
    none, path = tmp_path / "none", tmp_path / "a.parquet"
    asked = "the store must be a folder of bakes, as `lissom bake` writes it, or an address such as s3://"
    assert refused(run, none, path).startswith(f"{none} does not exist; {asked}")
    none.write_bytes(b"")
    assert refused(run, none, path).startswith(f"{none} is a file; {asked}")
    assert not path.exists()


def test_without_bakes_it_says_what_it_looked_for_and_writes_nothing(run, tmp_path: Path) -> None:
    folder, path = tmp_path / "models", tmp_path / "a.parquet"
    folder.mkdir()
    path_of_old = tmp_path / "old.parquet"
    old = lissom.Catalog.build(folder, path_of_old).path.read_bytes()
    looked = f"no bakes are in {folder}: none of *.safetensors in it and below it is one"
    assert refused(run, folder, path) == refused(run, folder, path_of_old) == looked
    assert not path.exists()
    assert path_of_old.read_bytes() == old
    (folder / "deep").mkdir()
    lissom.save_glb(lissom.samples.two_bone_tube(), folder / "deep" / "tube.glb")
    assert refused(run, folder, path) == (
        f"{looked}; it has models, which `lissom bake {folder} -o baked` bakes first"
    )
    assert refused(run, "memory://bucket/misspelt", path) == (
        "no bakes are in memory://bucket/misspelt: none of names/OUTPUT/NAME.json in it leads to one; see "
        "that the address is right to its end"
    )
    assert not path.exists()


def test_a_missing_folder_is_said_before_anything_is_read(run, tmp_path: Path) -> None:
    path = tmp_path / "none" / "a.parquet"
    assert refused(run, tmp_path / "store", path) == f"-o: {path}: the folder {path.parent} does not exist"
    assert list(tmp_path.iterdir()) == []
