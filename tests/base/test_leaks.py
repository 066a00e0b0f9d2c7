# SPDX-License-Identifier: MIT
"""Loading, sampling, blending, skinning, solving, baking and saving leave nothing behind, however often."""

import gc
import itertools
import os
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import lissom
from conftest import COMMITTED
from lissom import ik


def ancestors(skeleton: lissom.Skeleton, joint: int) -> list[int]:
    """Parent, its parent and so on."""
    parent = int(skeleton.parents[joint])
    return [] if parent < 0 else [parent, *ancestors(skeleton, parent)]


@pytest.fixture
def cycle(tmp_path: Path) -> Callable[[], None]:
    """One of each, from a file to a file."""
    source = (COMMITTED / "characters" / "kenney" / "character.glb").read_bytes()
    path = tmp_path / "bake.safetensors"
    skeleton = lissom.load(source).skeleton
    deepest = max(range(len(skeleton)), key=lambda joint: len(ancestors(skeleton, joint)))
    tips = ancestors(skeleton, deepest)[2], deepest

    def run() -> None:
        hero = lissom.load(source)
        clip = next(iter(hero.clips.values()))
        poses = clip.sample(np.linspace(clip.start, clip.end, 4))
        mixed = lissom.blend(poses[0], poses[1], 0.3)
        hero.deform(mixed, "dual_quat", normals=True)
        arm = ik.Chain(hero.skeleton, *tips)
        ik.fabrik(arm, poses, hero.skeleton.positions(poses)[:, arm.joints[0]] + 0.1)
        lissom.bake(hero, clip.name, rate=5).save(path)
        lissom.load_bake(path).sample(clip.name, clip.start)
        lissom.save_glb(hero, tmp_path / "hero.glb")
        hero.mesh.prepare()

    return run


def live_objects() -> Counter[str]:
    gc.collect()
    return Counter(type(each).__qualname__ for each in gc.get_objects())


def test_no_object_stays(cycle: Callable[[], None]) -> None:
    counts = []
    for _ in range(4):
        for _ in range(8):
            cycle()
        counts.append(live_objects())
    # A leak shows in every block; what is made once, in the first.
    grown = [later - sooner for sooner, later in itertools.pairwise(counts)]
    stays = {name for name in grown[0] if min(each[name] for each in grown) >= 8}
    assert stays == set()


@pytest.mark.soak
@pytest.mark.skipif(sys.platform != "linux", reason="reads what Linux says of a process's memory")
def test_ten_thousand_cycles_leave_no_memory_behind(cycle: Callable[[], None]) -> None:
    def resident_after(count: int) -> int:
        for _ in range(count):
            cycle()
        gc.collect()
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")

    # A leak shows in every block; what is compiled once, and what allocators take and keep, in some.
    held = [resident_after(1000), *(resident_after(1800) for _ in range(5))]
    assert min(later - sooner for sooner, later in itertools.pairwise(held)) < 1 << 18
