# SPDX-License-Identifier: MIT
"""What the page on build pipelines shows runs: its Makefile, its script and its rule."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gltf_files import arm

PAGE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "bake-a-folder.md"
pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def blocks(language: str) -> list[str]:
    """The blocks of the page in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "characters").mkdir()
    (tmp_path / "characters" / "arm.glb").write_bytes(arm().glb())
    (tmp_path / "Makefile").write_text(blocks("make")[0])
    (tmp_path / "tidy_bakes.py").write_text(next(text for text in blocks("py") if "unlink" in text))
    return tmp_path


def run(project: Path, *command: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "LISSOM_DETERMINISTIC": "1"}
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, timeout=120)


def test_the_makefile_bakes_what_is_new_and_tidies_what_is_old(project: Path) -> None:
    done = run(project, "make", "bakes")
    assert done.returncode == 0, done.stderr
    (first,) = (project / "baked").glob("*.safetensors")
    written = first.stat().st_mtime_ns
    assert run(project, "make", "bakes").returncode == 0
    assert first.stat().st_mtime_ns == written  # nothing to do

    (project / "characters" / "arm.glb").write_bytes(arm().glb() + bytes(4))  # bytes behind a GLB count, too
    assert run(project, "make", "tidy").returncode == 0
    (second,) = (project / "baked").glob("*.safetensors")
    assert second.name != first.name
    assert {path.name for path in (project / "baked").iterdir()} == {
        second.name,
        second.with_suffix(".json").name,
        "bakes.json",
    }


def test_a_bad_file_stops_make_and_the_rule_reads_the_report(project: Path) -> None:
    done = run(project, "lissom", "bake", "characters", "-o", "baked", "--json")
    (project / "bakes-report.json").write_text(done.stdout)
    rule = next(text for text in blocks("py") if "bakes-report.json" in text)
    assert run(project, sys.executable, "-c", rule).returncode == 0
    assert run(project, sys.executable, "-c", rule.replace("0.0015", "1e-9")).returncode == 1
    (project / "characters" / "bad.glb").write_bytes(b"bad")
    assert run(project, "make", "bakes").returncode != 0
