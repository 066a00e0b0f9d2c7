# SPDX-License-Identifier: MIT
"""Which clip a name means in JavaScript: what `name_meant` says of it."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from lissom._base.names import name_meant
from lissom._export.modules import modules_of
from lissom.player._source import file_text

NAMES = (
    ["Armature|Walk", "Armature|Walk_Back", "Armature|Walking", "Sidewalk", "Idle"],
    ["Rig|Idle", "Idle"],
    ["A|Walk", "B|Walk"],
    ["walk", "Walk"],
    ["a|b|Run", "c|d", "e\\nf|Jump"],
    [],
)
WANTED = (
    "Walk",
    "walk",
    "armature|walk",
    "IDLE",
    "idle",
    "WALK",
    "Wal",
    "run",
    "b|run",
    "D",
    "jump",
    "constructor",
    "null",
    "",
)

AT = """
function at(clips, wanted) {
  try {
    return clips[clipIndex.call({ clips }, wanted)].name;
  } catch (error) {
    if (!error.message.endsWith(`got ${wanted}`)) throw error;
    return null;
  }
}
"""


def found(pattern: str, text: str) -> str:
    return "\n".join(re.findall(pattern, text, re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("package", ["player", "three", "babylon"])
def test_names_of_clips_mean_what_they_mean_in_python(package: str, tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    if package == "player":
        source = found(r"^function clipNamed\(.*?^}", file_text("js/clips.js"))
        call = "clipNamed(clips, wanted)?.name ?? null"
    else:
        bake = modules_of(package)["bake.js"]
        method = found(r"^  clipIndex\(.*?^  }", bake)
        whole = found(r"^const isWhole = [^\n]*", bake)
        source = f"{whole}\nfunction {method.strip()}\n{AT}"
        call = "at(clips, wanted)"
    asked = [(wanted, names) for names in NAMES for wanted in (*WANTED, *names)]
    path = tmp_path / "names.js"
    path.write_text(
        f"{source}\nconst call = (clips, wanted) => {call};\n"
        f"const asked = {json.dumps(asked)};\n"
        "const told = asked.map(([wanted, names]) => call(names.map((name) => ({ name })), wanted));\n"
        "console.log(JSON.stringify(told));"
    )
    said = json.loads(subprocess.run([node, path], check=True, timeout=60, capture_output=True).stdout)
    assert said == [name_meant(wanted, names) for wanted, names in asked]
