# SPDX-License-Identifier: MIT
"""The types of `lissom-three`: TypeScript's compiler takes what users write, and refuses what is wrong."""

import re
import subprocess
from pathlib import Path

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


def test_types_name_what_the_module_has():
    """Exports and methods are the same in both."""
    types = (PACKAGE / "index.d.ts").read_text(encoding="utf-8")
    crowd = (PACKAGE / "crowd.js").read_text(encoding="utf-8")
    index = (PACKAGE / "index.js").read_text(encoding="utf-8")
    exported = set(re.findall(r"\w+", index.split("export", 1)[1]))
    for name in re.findall(r"export (?:class|function) (\w+)", types):
        assert name in exported
    declared = re.findall(r"^  (\w+)\(", types.split("export class BakedCrowd")[1], re.MULTILINE)
    inherited = {"raycast", "computeBoundingBox", "computeBoundingSphere", "onBeforeShadow"}
    defined = re.findall(r"^  ([a-z]\w*)\([^\n]*\{$", crowd, re.MULTILINE)
    assert set(defined) - inherited == set(declared)
