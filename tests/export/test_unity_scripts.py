# SPDX-License-Identifier: MIT
"""The scripts of the form "unity", compiled against a stand-in for Unity; its crowd plays what it is told."""

import shutil
import subprocess
from pathlib import Path

import pytest

import lissom

HERE = Path(__file__).resolve().parents[1] / "unity"

pytestmark = pytest.mark.skipif(
    shutil.which("mcs") is None or shutil.which("mono") is None,
    reason="C# is compiled with mono-mcs, which is not here; make installs it",
)


def test_a_crowd_plays_what_it_is_told(tmp_path):
    lissom.bake(lissom.samples.twisted_bar(), "bend").export("unity", tmp_path / "bar")
    scripts = sorted((tmp_path / "bar").rglob("*.cs"))
    assert len(scripts) == 3
    program = tmp_path / "play.exe"
    # Fields that Unity sets, or reads by their names, look unused.
    command = ["mcs", "-langversion:7", "-warnaserror", "-nowarn:169,414,649", f"-out:{program}"]
    built = subprocess.run([*command, *sorted(HERE.glob("*.cs")), *scripts], capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    done = subprocess.run(["mono", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    worst, calls = done.stdout.split()
    assert float(worst) < 1e-5  # seconds, and shares of fades, in float32
    assert int(calls) == 2 * 20000
