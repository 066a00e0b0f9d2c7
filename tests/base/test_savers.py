# SPDX-License-Identifier: MIT
"""Everything that writes a file returns its path, so that one line saves and reads or shows."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lissom

BAR = lissom.samples.twisted_bar()
PICTURE = lissom.Picture(np.zeros((4, 4, 3), np.uint8))
BAKE = lissom.bake(BAR, "bend", rate=5.0)

# Public path, a name that it takes, and what saves.
SAVERS: list[tuple[str, str, Callable[[str], Any]]] = [
    ("Animation.save", "a.gif", lissom.Animation([PICTURE]).save),
    ("Clip.to_bvh", "a.bvh", BAR.clips["bend"].to_bvh),
    ("Comparison.save", "a.png", lissom.Comparison(PICTURE, {}, np.zeros(0), {}, "", 0.0, False, "").save),
    ("Picture.save", "a.png", PICTURE.save),
    ("PoseTexture.save", "a.safetensors", BAKE.save),
    ("PoseTexture.save", "a.html", BAKE.save),
    ("Roles.save_svg", "a.svg", lissom.roles(BAR).save_svg),
    ("bake_report.BakeReport.save", "a.json", BAKE.report.save),
    ("player.Player.save", "a.html", BAR.show().save),
    ("save_glb", "a.glb", lambda path: lissom.save_glb(BAR, path)),
]


@pytest.mark.parametrize(("public", "name", "save"), SAVERS)
def test_saving_returns_the_path(public: str, name: str, save: Callable[[str], Any], tmp_path: Path) -> None:
    assert save(str(tmp_path / name)) == tmp_path / name
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.tree
def test_every_saver_is_tried() -> None:
    surface = (Path(__file__).parents[2] / "docs" / "api" / "public_surface.txt").read_text("utf-8")
    public = re.findall(r"^lissom\.((?:[\w.]+\.)?(?:save\w*|to_bvh))$", surface, re.MULTILINE)
    assert set(public) == {name for name, _, _ in SAVERS}
