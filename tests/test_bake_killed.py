# SPDX-License-Identifier: MIT
"""`lissom bake` of a folder, killed at random moments and started again: the same bytes, nobody left behind.

`make soak-bake` kills it a hundred times; LISSOM_KILLS says how often.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import lissom
from batch_files import contents, models, with_failing_workers

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")

KILLS = int(os.environ.get("LISSOM_KILLS", "5"))
GONE_SECONDS = 10.0  # within which no process of a killed run is left


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("killed") / "models"
    models(folder, 2)
    lissom.save_glb(lissom.samples.humanoid(), folder / "person.glb")  # takes its time
    (folder / "bad.glb").write_bytes(b"glTF")
    return folder


def start(folder: Path, output: Path, patched: pytest.MonkeyPatch | None = None) -> subprocess.Popen:
    """Bake in a process of its own, marked by a variable that its children inherit; they fail if patched."""
    if patched is not None:
        with_failing_workers(patched)
    command = [sys.executable, "-m", "lissom", "bake", folder, "-o", output, "-j", "2"]
    environment = {**os.environ, "LISSOM_TEST_RUN": str(output)}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def processes(output: Path) -> set[int]:
    """Numbers of the processes, driver and children, of the runs that write to a folder."""
    mark = f"LISSOM_TEST_RUN={output}".encode()
    found = set()
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in path.read_bytes().split(b"\0"):
                found.add(int(path.parent.name))
        except OSError:
            continue
    return found


def events(output: Path) -> int:
    """How much has happened: files that are there, temporary ones included."""
    return sum(len(files) for _, _, files in os.walk(output))


def wait_until(is_so, seconds: float = 60.0) -> float:
    started = time.monotonic()
    while not is_so():
        assert time.monotonic() - started < seconds, "it does not happen"
    return time.monotonic() - started


def test_a_killed_run_goes_on_where_it_was(folder, tmp_path):
    rng = random.Random(11)
    whole = tmp_path / "whole"
    with start(folder, whole) as run:
        run.communicate()
    assert run.returncode == 1  # the bad file
    expected = contents(whole)
    assert len(expected) == 2 * 3 + 1 + 1
    output = tmp_path / "out"
    killed = half = 0
    longest = 0.0
    for _ in range(KILLS):
        if events(output) >= len(expected):  # all done, or full of leftovers
            shutil.rmtree(output)
        goal = rng.randrange(events(output), len(expected))
        with start(folder, output) as run:
            wait_until(lambda goal=goal, run=run: events(output) >= goal or run.poll() is not None)
            linger = time.monotonic() + rng.uniform(0, 0.02)  # into the midst of what comes next
            wait_until(lambda linger=linger: time.monotonic() >= linger)
            half += any(output.rglob(".*.part"))
            run.send_signal(signal.SIGKILL)
            run.communicate()
        killed += run.returncode == -signal.SIGKILL
        longest = max(longest, wait_until(lambda: not processes(output), GONE_SECONDS))
        if rng.random() < 0.5:  # else it is killed again on its way
            with start(folder, output) as run:
                run.communicate()
            assert run.returncode == 1
            assert contents(output) == expected
            shutil.rmtree(output)
    with start(folder, output) as run:
        run.communicate()
    assert contents(output) == expected
    print(
        f"{killed} of {KILLS} runs killed, {half} while writing; processes gone after {longest:.2f} s at most"
    )
    assert killed


def test_children_end_with_a_killed_driver_also_in_the_midst_of_a_job(folder, tmp_path, monkeypatch):
    hanging = tmp_path / "models"
    hanging.mkdir()
    for i in range(2):
        shutil.copy(folder / "model_0.glb", hanging / f"hang_{i}.glb")
    output = tmp_path / "out"
    with start(hanging, output, monkeypatch) as run:
        wait_until(lambda: len(processes(output)) == 3)
        run.kill()
    assert wait_until(lambda: not processes(output), GONE_SECONDS) < GONE_SECONDS


def test_ctrl_c_ends_it_at_once_with_whole_files(folder, tmp_path, monkeypatch):
    output = tmp_path / "out"
    folder = shutil.copytree(folder, tmp_path / "models")
    shutil.copy(folder / "model_0.glb", folder / "hang_1.glb")  # so that it does not end by itself
    # A shell starts what runs in the background with the signal ignored, and children inherit that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with monkeypatch.context() as patched:
            run = start(folder, output, patched)
    finally:
        signal.signal(signal.SIGINT, before)
    with run:
        wait_until(lambda: events(output) >= 3)
        pressed = time.monotonic()
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=60)
        took = time.monotonic() - pressed
    assert run.returncode == 130
    assert said.decode().splitlines()[-1].startswith("lissom: interrupted: ")
    assert "Traceback" not in said.decode()
    print(f"ended {took:.2f} s after Ctrl-C")
    assert took < 2.0  # P16 asks for half a second on a free machine
    wait_until(lambda: not processes(output), GONE_SECONDS)
    assert not list(output.rglob(".*"))
    for bake in output.rglob("*.safetensors"):
        lissom.load_bake(bake)
    with start(folder, output) as run:
        said, _ = run.communicate()
    assert b"unchanged" in said
