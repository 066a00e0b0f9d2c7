# SPDX-License-Identifier: MIT
"""Viewers of a folder that tests change."""

import threading

import pytest

import lissom
from bvh_files import GOOD
from lissom._jobs.guard import Guard
from lissom._viewer import converter


class WarmGuard:
    """A child process that all viewers of the tests share: to start one takes longer than most tests."""

    guard: Guard
    turn = threading.Lock()

    def __init__(self, *_, **__):
        pass

    def do(self, work, target):
        with self.turn:
            return self.guard.do(work, target)

    def close(self):
        pass


@pytest.fixture(scope="package", autouse=True)
def warm():
    """Set up anew when a worker comes back to this package after tests of another one."""
    WarmGuard.guard = Guard(None, deterministic=False)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(converter, "Guard", WarmGuard)
        yield
    WarmGuard.guard.close()


@pytest.fixture
def folder(tmp_path):
    """A folder with a motion in it and one below it; ``outside.bvh`` is beside it."""
    (tmp_path / "outside.bvh").write_text(GOOD)
    root = tmp_path / "models"
    (root / "below").mkdir(parents=True)
    (root / "walk.bvh").write_text(GOOD)
    (root / "below" / "walk.bvh").write_text(GOOD)
    return root


@pytest.fixture
def viewer(folder):
    with lissom.view(folder, browser=False) as viewer:
        yield viewer


@pytest.fixture(scope="module")
def tube():
    """A viewer of a sample."""
    with lissom.view("sample:two_bone_tube", browser=False) as viewer:
        yield viewer
