# SPDX-License-Identifier: MIT
"""Twins and laws of the numeric rooms, under each instruction set that the everyday run does not use itself.

A selection that takes seconds: `make test-isa` runs all tests under each. What is equal to the last bit under
all of them is not here: test_deterministic.py and test_array_function.py compare that.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import lissom

TESTS = Path(__file__).parents[1]
IN_USE = lissom.show_config("dicts")["instruction_set"]
SELECTED = (
    "bake/test_bake.py::test_numbers_beyond_half_precision",
    "clip/test_clip_uniform.py::test_sampling_equals_the_twin",
    "playback/test_blend.py",
    "retarget/test_retarget_laws.py::test_batches_and_precisions",
    "retarget/test_retarget_laws.py::test_the_sample_reshaped_moves_alike",
    "rig/test_normals.py",
    "rig/test_palette.py",
    "skinning/test_prepared_mesh.py::test_a_prepared_mesh_moves_as_the_mesh",
    "skinning/test_skinning.py",
    "skinning/test_skinning_methods.py",
)
# Every sixth case of the longest of them.
THIN = "not test_sampling_equals_the_twin or float32 and ping_pong"


OTHERS = [isa for isa in lissom._core.runnable_isas() if isa != IN_USE]


@pytest.fixture(scope="module")
def runs() -> Iterator[dict[str, subprocess.Popen[str]]]:
    """A run of the selection under each, all at once: they are the last that a run of all tests waits for."""
    command = [sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider", "-k", THIN, *SELECTED]
    started = {
        isa: subprocess.Popen(
            command,
            cwd=TESTS,
            env={**os.environ, "LISSOM_ISA": isa},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for isa in OTHERS
    }
    yield started
    for run in started.values():
        if run.poll() is None:  # an earlier test failed, and nobody waits for it
            run.kill()
            run.communicate()


@pytest.mark.skipif("LISSOM_ISA" in os.environ, reason="an instruction set is forced already")
@pytest.mark.parametrize("isa", OTHERS)
def test_numeric_rooms_hold_under(isa: str, runs: dict[str, subprocess.Popen[str]]) -> None:
    said, _ = runs[isa].communicate()
    assert runs[isa].returncode == 0, said[-4000:]
    assert " passed" in said
