# SPDX-License-Identifier: MIT
"""Pages: blocks are the texels of the bakes, files are named by their bytes, faults are told."""

import hashlib
import json

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import lissom

SIDE = 1


@pytest.fixture
def folder(tmp_path):
    lissom.bake(lissom.samples.twisted_bar(), rate=30).save(tmp_path / "bar.safetensors")
    lissom.bake(lissom.samples.two_bone_tube(), rate=60, layout="matrix").save(tmp_path / "tube.safetensors")
    return tmp_path


@pytest.fixture
def pages(folder):
    return lissom.Catalog.build(folder, folder / "bakes.parquet").pack(folder / "pages", side=SIDE)


def test_blocks_are_the_texels_of_the_bakes(pages, folder):
    assert pages.names == ("bar", "tube")
    table = pq.read_table(folder / "pages" / "pages.parquet").to_pylist()
    assert len(pages) == len(table) == 4
    for row in table:
        bake = lissom.load_bake(folder / f"{row['name']}.safetensors")
        clip = bake.clips[row["clip"]]
        expected = bake.texels[clip.first_frame : clip.first_frame + clip.frame_count]
        np.testing.assert_array_equal(pages.texels(row["name"], row["clip"]), expected)
        # As any program may read it: by the table and the file alone.
        offset = 8 * (2048 * row["line"] + row["column"])
        assert offset % 256 == 0
        shape = (row["frames"], row["rows"], row["texels"], 4)
        plain = np.memmap(folder / "pages" / row["page"], np.float16, "r", offset, shape)
        np.testing.assert_array_equal(plain, expected)
        assert (folder / "pages" / row["bake"]).resolve() == (folder / f"{row['name']}.safetensors").resolve()
        assert (row["rate"], row["frames"]) == (clip.rate, clip.frame_count)
        assert pages.files[row["layer"]].name == row["page"]


def test_files_are_named_by_their_bytes_and_end_with_the_last_line(pages):
    assert len(pages.files) > 1
    for path in pages.files:
        data = path.read_bytes()
        assert path.name == f"{hashlib.sha256(data).hexdigest()}.rgba16f"
        assert len(data) in [8 * 2048 * lines for lines in range(1, SIDE + 1)]
    assert lissom.Pages(pages.folder, verify=True).files == pages.files


def test_packing_again_makes_the_same_files(pages, folder):
    before = {path: path.stat().st_mtime_ns for path in pages.files}
    table = (pages.folder / "pages.parquet").read_bytes()
    again = lissom.Catalog(folder / "bakes.parquet").pack(pages.folder, side=SIDE)
    assert {path: path.stat().st_mtime_ns for path in again.files} == before
    assert (pages.folder / "pages.parquet").read_bytes() == table


def test_a_filtered_catalogue_packs_what_it_holds(folder):
    catalog = lissom.Catalog.build(folder, folder / "bakes.parquet")
    pages = catalog.filter(pc.field("clip") == "bend").pack(folder / "few", side=SIDE)
    assert {name: pages.clips(name) for name in pages.names} == {"bar": ("bend",), "tube": ("bend",)}


def test_a_catalogue_without_clips_is_not_packed(folder):
    catalog = lissom.Catalog.build(folder, folder / "bakes.parquet")
    with pytest.raises(ValueError, match=r"^Catalog.pack: no clips to pack: .*bakes.parquet has none, or"):
        catalog.filter(pc.field("rate") > 1000).pack(folder / "none", side=SIDE)
    assert not (folder / "none").exists()


def test_the_side_is_checked_before_anything_is_lost(pages, folder):
    catalog = lissom.Catalog(folder / "bakes.parquet")
    # 4 s at 60 a second, both ends: 241 frames of 2 rows of 3 texels, or a bit less than a line.
    lissom.bake(lissom.samples.two_bone_tube(), rate=600, layout="matrix").save(folder / "tube.safetensors")
    texels = lissom.load_bake(folder / "tube.safetensors").clips["bend"].frame_count * 2 * 3
    assert 2 * 2048 < texels <= 8 * 2048
    with pytest.raises(
        ValueError, match=r"Catalog.pack: side must be at least (4|8) for the clip .* of tube, which"
    ):
        catalog.pack(pages.folder, side=SIDE)
    assert lissom.Pages(pages.folder).files == pages.files
    for side, error in (
        (3, ValueError),
        (0, ValueError),
        (32768, ValueError),
        (1 << 99, ValueError),
        (1.5, TypeError),
    ):
        with pytest.raises(error, match=r"Catalog.pack: side must be"):
            catalog.pack(pages.folder, side=side)


def test_what_is_not_there_is_named(pages, folder):
    with pytest.raises(ValueError, match=r"Pages.texels: no clip is named 'bent'; did you mean 'bend'"):
        pages.texels("bar", "bent")
    with pytest.raises(ValueError, match=r"Pages.clips: no bake is named 'bars'; did you mean 'bar'"):
        pages.clips("bars")
    with pytest.raises(IndexError, match=r"Pages.page: index must be in \[0, "):
        pages.page(99)
    lissom.bake(lissom.samples.twisted_bar(), "twist", rate=30).save(folder / "bar.safetensors")
    with pytest.raises(ValueError, match=r"'bend'.*it was baked anew since .*bakes.parquet was written"):
        lissom.Catalog(folder / "bakes.parquet").pack(folder / "other", side=SIDE)
    with pytest.raises(
        ValueError, match=r"bar.safetensors was baked anew since .* was packed: 'bend' has 0 frames"
    ):
        pages.bake("bar")


def test_missing_and_damaged_pages_are_named(pages):
    path = pages.files[0]
    data = path.read_bytes()
    path.write_bytes(data[:-8])
    with pytest.raises(ValueError, match=rf"{path.name} is damaged: it must have {len(data)} bytes, got "):
        lissom.Pages(pages.folder)
    path.write_bytes(b"\1" + data[1:])
    lissom.Pages(pages.folder)
    with pytest.raises(
        ValueError, match=rf"{path.name} is damaged: its bytes are not those that it is named by"
    ):
        lissom.Pages(pages.folder, verify=True)
    path.unlink()
    with pytest.raises(FileNotFoundError, match=rf"{path.name} is missing, a page of .*pages.parquet"):
        lissom.Pages(pages.folder)


def test_tables_of_another_version_are_refused(pages):
    path = pages.folder / "pages.parquet"
    table = pq.read_table(path)
    said = {"format": "lissom.pages", "version": 2, "made_by": "lissom 9.0", "side": 1}
    pq.write_table(table.replace_schema_metadata({"lissom": json.dumps(said)}), path)
    with pytest.raises(
        ValueError, match=r"made by lissom 9.0 in version 2 of the table of pages.*reads version 1"
    ):
        lissom.Pages(pages.folder)
    pq.write_table(pa.table({"a": [1]}), path)
    with pytest.raises(ValueError, match=r"is a Parquet file but no table of pages"):
        lissom.Pages(pages.folder)
    path.write_text("none")
    with pytest.raises(ValueError, match=r"pages.parquet must be a Parquet file that Catalog.pack wrote"):
        lissom.Pages(pages.folder)
    path.unlink()
    with pytest.raises(FileNotFoundError, match=r"pages.parquet"):
        lissom.Pages(pages.folder)


def test_what_pages_cannot_hold_is_left_out(tmp_path, caplog):
    lissom.bake(lissom.samples.twisted_bar(), rate=10, dtype="float32").save(tmp_path / "wide.safetensors")
    lissom.bake(lissom.samples.twisted_bar(), rate=10).save(tmp_path / "bar.safetensors")
    pages = lissom.Catalog.build(tmp_path, tmp_path / "bakes.parquet").pack(tmp_path / "pages", side=1)
    assert pages.names == ("bar",)
    assert caplog.messages == [
        f"Catalog.pack: left out: {tmp_path / 'wide.safetensors'}: its texels must be of float16, which "
        "pages hold, got float32"
    ]
