# SPDX-License-Identifier: MIT
"""No file takes more than 8 times its bytes and 64 MiB of memory, nor long, whatever it asks for.

What pictures declare counts as bytes of the file, compressed data 16-fold. Each file is read by a process of
its own, which is forked from one that has imported and read everything once, and asks the system for its
largest size.
"""

import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import lissom
from bombs import BOMBS, SLOW
from lissom._files.gltf import uris
from lissom._files.gltf.log import refuse
from lissom._formats.budget import Budget

ERRORS = {
    "load": {"GltfError", "BvhError"},
    "compressed": {"GltfError"},
    "strict": {"GltfError", "BvhError"},
    "bake": {"ValueError"},
    "picture": {"ValueError"},
    "job": {"ValueError"},
    "amass": {"ValueError"},
    "hints": {"ValueError", "OSError"},
}
"""The documented errors of each reader; one without any returns nothing of what it cannot use."""

# What differs from run to run: pages of the interpreter and of libraries that are first used here.
_NOISE = 4 << 20

# Processor time that a reading may take at size 1, and as many times that as the size; the slowest linear one
# takes one.
_SECONDS = 5.0


def measured(folder: Path, size: int, names: list[str]) -> dict[str, dict[str, Any]]:
    """Make and read bombs in a process each; return bytes, growth, seconds and outcome by name."""
    command = [sys.executable, Path(__file__).parents[1] / "measure_bombs.py", folder, str(size), *names]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stderr
    lines = map(json.loads, done.stdout.splitlines())
    return {line.pop("name"): line for line in lines}


def assert_bounded(folder: Path, size: int, names: list[str]) -> None:
    results = measured(folder, size, names)
    faults = []
    print(f"\n{'bomb':44} {'file MiB':>9} {'bound':>7} {'peak':>7} {'s':>6}  outcome")
    for name, result in results.items():
        bound = 8 * result["bytes"] + (64 << 20)
        mebi = [value / (1 << 20) for value in (result["bytes"], bound, result["growth"])]
        numbers = f"{mebi[0]:9.2f} {mebi[1]:7.0f} {mebi[2]:7.0f} {result['seconds']:6.2f}"
        print(f"{name:44} {numbers}  {result['outcome']}")
        if result["growth"] > bound + _NOISE:
            faults.append(f"{name}: {mebi[2]:.0f} MiB instead of {mebi[1]:.0f}")
        if result["seconds"] > _SECONDS * size:
            faults.append(f"{name}: {result['seconds']:.1f} s instead of {_SECONDS * size:.0f}")
        kind, _, message = result["outcome"].partition(": ")
        if kind not in {"read", *ERRORS.get(BOMBS[name][0], ())}:
            faults.append(f"{name}: {result['outcome'][:200]}")
        if len(message) > 1400 or "\n" in message:
            faults.append(f"{name}: a message of {len(message)} characters")
    assert not faults, "\n".join(faults)


def test_a_refusal_quotes_what_is_needed_and_what_is_allowed() -> None:
    budget = Budget.of_file("a.glb", 1_000_000)
    budget.spend(6_000_000 + (48 << 20))
    # 53.7 MiB are allowed; the next byte is one too many.
    with pytest.raises(
        ValueError, match=r"^a\.glb: needs 54 MiB decoded, at most 53 MiB are allowed for a file"
    ):
        budget.spend(1, "", "it has too many names")
    with pytest.raises(ValueError, match=r" allowed for a file of 1000000 bytes; it has too many names$"):
        budget.spend(1, "", "it has too many names")


def test_compressed_bytes_count_16_fold_and_once() -> None:
    budget = Budget.of_file("a.glb", 1_000_000)
    budget.add_compressed(500_000)
    most = 6 * (500_000 + 16 * 500_000) + (48 << 20)
    budget.spend(most)
    with pytest.raises(ValueError, match="allowed for a file of 1000000 bytes"):
        budget.spend(1)
    for _ in range(1000):  # the same bytes, or others: no more than there are
        budget.add_compressed(1_000_000)
    budget.spend(6 * 16 * 1_000_000 + (48 << 20) - most - 1)
    with pytest.raises(ValueError, match="allowed for a file of 1000000 bytes"):
        budget.spend(1)


def test_a_bake_says_once_that_it_needs_too_much(tmp_path: Path) -> None:
    path = BOMBS["arrays of nothing"][1](tmp_path, 1)
    with pytest.raises(
        ValueError, match=r"bomb\.safetensors: a safetensors file needs \d+ MiB decoded, at most"
    ):
        lissom.load_bake(path)


def test_a_data_uri_that_needs_too_much_is_named() -> None:
    log = partial(refuse, "LIMIT_EXCEEDED")
    with pytest.raises(
        lissom.GltfError, match=r"/buffers/0/uri: needs 191 MiB .*; its data URIs are too long"
    ):
        uris.decode_data("data:," + "a" * 100_000_000, "/buffers/0/uri", Budget(1000, log))


needs_proc = pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(), reason="/proc is read for the largest size of a process"
)


@needs_proc
def test_no_bomb_takes_more_than_is_promised(tmp_path: Path) -> None:
    assert_bounded(tmp_path, 1, [name for name in BOMBS if name not in SLOW])


@needs_proc
@pytest.mark.soak
def test_no_other_bomb_takes_more_than_is_promised(tmp_path: Path) -> None:
    assert_bounded(tmp_path, 1, sorted(SLOW))


@needs_proc
@pytest.mark.soak
def test_no_large_bomb_takes_more_than_is_promised(tmp_path: Path) -> None:
    assert_bounded(tmp_path, 8, list(BOMBS))
