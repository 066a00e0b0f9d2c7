# SPDX-License-Identifier: MIT
"""The interpreter exits while a daemon thread is inside a call that has released the GIL."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from example_server import ExampleServer

PROGRAM = """
import threading
import numpy as np, lissom
from lissom import ik, weights

hero = lissom.samples.humanoid()
mesh, skeleton, clip = hero.mesh, hero.skeleton, hero.clips["walk"]
poses = clip.sample(np.linspace(0, 1, 2000))
{needed}

def work():
    while True:
        {call}
        begun.set()

begun = threading.Event()
threading.Thread(target=work, daemon=True).start()
begun.wait()
"""
NEEDED = {
    "bar": "lissom.samples.twisted_bar()",
    "bake": "lissom.bake(hero, clip, rate=30)",
    "prepared": "mesh.prepare()",
    "palette": "hero.skin.palette(skeleton.model_matrices(poses[:200]))",
    "bvh": "clip.to_bvh(rate=200)",
    "turns": "np.tile(poses[:, 0, 3:7], (100, 1))",
    "arm": 'ik.Chain(skeleton, "UpperArm.L", "Hand.L")',
    "ground": "lissom.ground.TriangleMesh(mesh.positions, mesh.triangles)",
    "rays": "np.tile([0.0, 2.0, 0.0], (20000, 1)), np.tile([0.0, -1.0, 0.0], (20000, 1))",
}
"""What calls take beside the figure, by the names in them."""
CALLS = {
    "skin": "hero.deform(poses[:60])",
    "sample": "clip.sample(np.linspace(0, 1, 20000))",
    "model matrices": "skeleton.model_matrices(poses)",
    "prepare": "mesh.prepare()",
    "skin a prepared mesh": "lissom.deform(prepared, palette)",
    "palette": "hero.skin.palette(skeleton.model_matrices(poses))",
    "blend": "lissom.blend(poses, poses[::-1].copy(), 0.3)",
    "read texels": "bake.sample('walk', np.linspace(0, 1, 20000))",
    "parse BVH": "lissom.load_bvh(bvh.encode())",
    "a function of arrays": "lissom.quat.slerp(turns, turns[::-1], 0.3)",
    "a lattice": "weights.bounded_biharmonic(bar.mesh, weights.bones(bar.skeleton), cells=12)",
    "solve": "ik.fabrik(arm, poses, np.tile([0.3, 1.0, 0.4], (2000, 1)))",
    "cast rays": "ground.cast(*rays)",
    "weights, which report progress": "weights.heat(mesh, weights.bones(skeleton), progress=lambda *_: None)",
    "bake": "lissom.bake(hero, clip, rate=30)",
}


def program_of(call: str) -> str:
    needed = [f"{name} = {made}" for name, made in NEEDED.items() if re.search(rf"(?<![.\w]){name}\b", call)]
    return PROGRAM.replace("{needed}", "\n".join(needed)).replace("{call}", call)


@pytest.mark.parametrize("runs", [3, pytest.param(100, marks=pytest.mark.soak)])
@pytest.mark.parametrize("call", CALLS)
def test_exit_amid_a_call_is_clean(
    call: str, runs: int, example_server: ExampleServer, tmp_path: Path
) -> None:
    program = program_of(CALLS[call])
    assert [example_server.run(program, tmp_path) for _ in range(runs)] == [(0, "")] * runs


HOLDS = {
    "sleeps": "time.sleep(0.01)",
    "computes": "sum(range(100_000))",
    "does nothing": "pass",
}


@pytest.mark.parametrize("runs", [3, pytest.param(100, marks=pytest.mark.soak)])
@pytest.mark.parametrize("hold", HOLDS)
def test_exit_amid_a_report_of_progress_is_clean(
    hold: str, runs: int, example_server: ExampleServer, tmp_path: Path
) -> None:
    """The thread is in Python, called by the core, or just about to take the GIL for that."""
    call = "weights.heat(mesh, weights.bones(skeleton), progress=progress)"
    progress = f"import time\ndef progress(*_):\n    begun.set()\n    {HOLDS[hold]}\n\ndef work():"
    program = program_of(call).replace("def work():", progress)
    assert [example_server.run(program, tmp_path) for _ in range(runs)] == [(0, "")] * runs


SLOW_EXIT = """
import ctypes, sys, threading, time
import numpy as np, lissom

libc = ctypes.CDLL(None)
libc.on_exit(ctypes.cast(libc.sleep, ctypes.c_void_p), None)  # sleeps as many seconds as the exit status
clip = lissom.samples.humanoid().clips["walk"]
times = np.linspace(0, 1, 400_000)
begun = threading.Event()

def work():
    begun.set()
    while True:
        clip.sample(times)

threading.Thread(target=work, daemon=True).start()
begun.wait()
time.sleep(0.05)
sys.exit(1)
"""


@pytest.mark.soak  # half a gigabyte
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="on_exit is a function of glibc")
def test_an_exit_that_takes_long_is_clean() -> None:
    """The call asks for signals when the interpreter is gone: of ten, about five do."""
    runs = [subprocess.run([sys.executable, "-c", SLOW_EXIT], capture_output=True) for _ in range(10)]
    assert [(run.returncode, run.stderr) for run in runs] == [(1, b"")] * 10


def test_every_binding_releases_the_gil_by_the_guard() -> None:
    bindings = Path(__file__).parents[2] / "src" / "bindings"
    unguarded = {
        path.name: re.findall(r"^(?! *//).*(?:gil_scoped|ALLOW_THREADS)", path.read_text("utf-8"), re.M)
        for path in bindings.iterdir()
        if path.name != "gil.h"
    }
    assert not any(unguarded.values()), unguarded
