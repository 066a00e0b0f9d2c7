# SPDX-License-Identifier: MIT
"""The types of `lissom-three`: TypeScript's compiler takes what users write, and refuses what is wrong."""

import re
import subprocess
from pathlib import Path

from lissom._export.modules import modules_of, types_of
from node_tools import NODE, needs_node

pytestmark = needs_node("typescript")
PACKAGE = Path(__file__).resolve().parents[2] / "packages" / "three"
OPTIONS = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--types", ""]


def compiled(folder: Path, text: str) -> str:
    """Return what the compiler says of a program beside the packages."""
    modules = folder / "node_modules"
    modules.mkdir(exist_ok=True)
    for name in ("three", "@types"):
        if not (modules / name).exists():
            (modules / name).symlink_to(NODE / "node_modules" / name)
    if not (modules / "lissom-three").exists():
        (modules / "lissom-three").symlink_to(PACKAGE)
    (folder / "use.mts").write_text(text, encoding="utf-8")
    compiler = NODE / "node_modules" / "typescript" / "bin" / "tsc"
    command = ["node", str(compiler), *OPTIONS, "--preserveSymlinks", "use.mts"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout


def test_what_users_write_has_the_types_it_needs(tmp_path):
    text = (NODE / "three_types.mts").read_text(encoding="utf-8")
    assert compiled(tmp_path, text) == ""


def check_names(package: str, inherited: set[str]) -> None:
    """Exports and methods are the same in modules and in types."""
    modules, types = modules_of(package), types_of(package)
    exported = set(re.findall(r"\w+", modules["index.js"].split("export", 1)[1]))
    for name in re.findall(r"export (?:class|function) (\w+)", types["index.d.ts"]):
        assert name in exported
    declared = types["index.d.ts"].split("export class BakedCrowd")[1] + types["playing.d.ts"]
    defined = modules["crowd.js"] + modules["playing.js"]
    names = set(re.findall(r"^  ([a-z]\w*)\([^\n]*\{$", defined, re.MULTILINE))
    assert names - inherited == set(re.findall(r"^  (\w+)\(", declared, re.MULTILINE))


def test_types_name_what_the_module_has():
    boxes = {"raycast", "computeBoundingBox", "computeBoundingSphere"}
    draws = {"onBeforeRender", "onAfterRender", "onBeforeShadow", "onAfterShadow"}
    check_names("three", inherited=boxes | draws)
