# SPDX-License-Identifier: MIT
"""The characters that are committed: small, free, and made again byte for byte by the script beside them."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from conftest import ASSETS, COMMITTED, HAS_ALL, asset_records, not_committed

FOLDER = COMMITTED / "characters"
RECORDS = json.loads((FOLDER / "assets.json").read_text("utf-8"))["assets"]
FILES = sorted(path for path in FOLDER.rglob("*") if path.parent != FOLDER and path.is_file())
MOST = 2_500_000  # bytes that a clone pays for them
SIX_DIGITS = 1e-6  # of the size, by which two who round to six digits differ
needs_whole = pytest.mark.skipif(not HAS_ALL, reason=not_committed("characters"))


def test_records_tell_of_every_file() -> None:
    page = (FOLDER / "README.md").read_text("utf-8")
    named = {COMMITTED / file for record in RECORDS for file in (record["file"], *record["companions"])}
    assert named == set(FILES)
    for record in RECORDS:
        data = (COMMITTED / record["file"]).read_bytes()
        assert (record["size"], record["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())
        assert record["licence"] == "CC0-1.0"
        assert f"`{record['file'].removeprefix('characters/')}`" in page
        assert f"{record['source']} `{record['commit']}`" in page


def test_they_are_small() -> None:
    assert sum(path.stat().st_size for path in FILES) < MOST


@needs_whole
def test_the_script_makes_the_same_bytes(tmp_path: Path) -> None:
    subprocess.run([sys.executable, FOLDER / "cut.py", ASSETS, tmp_path], check=True)
    names = {path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()}
    assert names == {path.relative_to(FOLDER) for path in (*FILES, FOLDER / "assets.json")}
    assert not [name for name in names if (tmp_path / name).read_bytes() != (FOLDER / name).read_bytes()]


@needs_whole
def test_boxes_are_those_of_the_whole_files() -> None:
    """Found by another script than theirs, for the clips that stay, where no skinned primitive is cut."""
    whole = asset_records()
    compared = 0
    for record in RECORDS:
        boxes = record.get("reference_lbs")
        if boxes is None or boxes["rest"]["verts"] != whole[record["file"]]["reference_lbs"]["rest"]["verts"]:
            continue
        others = whole[record["file"]]["reference_lbs"]
        clips = {clip["name"]: clip for clip in others["clips"]}
        size = np.linalg.norm(np.subtract(others["rest"]["max"], others["rest"]["min"]))
        for box, other in [(boxes["rest"], others["rest"]), *((c, clips[c["name"]]) for c in boxes["clips"])]:
            for name in ("min", "max", "mean"):
                np.testing.assert_allclose(box[name], other[name], rtol=0, atol=SIX_DIGITS * size)
            compared += 1
    assert compared > 15
