# SPDX-License-Identifier: MIT
"""The types of `lissom-babylon`: TypeScript's compiler takes what users write, and refuses what is wrong."""

from pathlib import Path

from lissom._export.modules import types_of
from node_tools import NODE, needs_node
from package.test_three_types import check_names, compiled

PACKAGE = Path(__file__).resolve().parents[2] / "packages" / "babylon"

pytestmark = [*needs_node("typescript"), *needs_node("babylonjs")[2:]]


def test_what_users_write_has_the_types_it_needs(tmp_path):
    """With the types of `babylonjs`, which has in one file what `@babylonjs/core` has in thousands."""
    modules = tmp_path / "node_modules"
    (modules / "@babylonjs" / "core").mkdir(parents=True)
    (modules / "@babylonjs" / "core" / "index.d.ts").write_text('export * from "babylonjs";\n')
    (modules / "@babylonjs" / "core" / "package.json").write_text(
        '{ "main": "index.js", "types": "index.d.ts" }'
    )
    (modules / "babylonjs").symlink_to(NODE / "node_modules" / "babylonjs")
    (modules / "lissom-babylon").mkdir()  # as it is packed, with what it shares with lissom-three
    for name, text in {**types_of("babylon"), "package.json": (PACKAGE / "package.json").read_text()}.items():
        (modules / "lissom-babylon" / name).write_text(text, encoding="utf-8")
    text = (NODE / "babylon_types.mts").read_text(encoding="utf-8")
    assert compiled(tmp_path, text) == ""


def test_types_name_what_the_module_has():
    check_names("babylon", inherited={"dispose"})
