# SPDX-License-Identifier: MIT
"""The work of ``lissom demo``: pictures, a bake, its page and a report of the built-in characters."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

import lissom
from lissom._base.config import show_config
from lissom._formats.picture import Picture
from lissom.cli import crowd_scene, output, report

if TYPE_CHECKING:
    from lissom._character.character import Character

__all__ = ["demo"]

MAX_ERROR = 1e-3  # of the character's size: 2 mm for an adult
BATCH = 100  # poses skinned in one call
STEPS = 5

T = TypeVar("T")


def demo(folder: Path, count: int, as_json: bool) -> None:
    """Write everything into ``folder``. The report is written last: where it exists, all the rest does."""
    output.require_folder("-o", folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / report.MARKDOWN).unlink(missing_ok=True)
    facts: dict[str, Any] = {"config": show_config("dicts"), "pictures": [], "seconds": {}}
    clock = _Clock(facts["seconds"])
    with output.progress() as bar:
        bar(0, STEPS, "humanoid")
        hero = clock("make the humanoid", lissom.samples.humanoid)
        facts["humanoid"] = _character(hero, clock)
        _picture(facts, folder / "humanoid.png", "The humanoid, running", clock, lambda: _portrait(hero))
        bar(1, STEPS, "twisted bar")
        bar_figure = clock("make the twisted bar", lissom.samples.twisted_bar)
        _comparison(facts, folder / "twisted_bar.png", bar_figure, "twist", 0.5, clock)
        bar(2, STEPS, "comparison")
        _comparison(facts, folder / "compare.png", hero, "wave", 0.5, clock)
        bar(3, STEPS, "bake")
        people = clock("bake three builds", lambda: crowd_scene.people(MAX_ERROR))
        baked = people[0].bake
        path = folder / "humanoid.safetensors"
        baked.save(path)
        facts["bake"] = {"file": path.name, "file_bytes": path.stat().st_size, **baked.report.to_dict()}
        page = path.with_suffix(".html")
        clock("write the page", lambda: baked.save(page))
        facts["page"] = {"file": page.name, "file_bytes": page.stat().st_size}
        bar(4, STEPS, "crowd")
        title = f"{count:,} people from three baked textures, each with its own clip and time"
        crowd = partial(crowd_scene.draw, people, crowd_scene.Options(count, width=1600, height=640))
        _picture(facts, folder / "crowd.png", title, clock, crowd)
        bar(5, STEPS, "report")
    report.write(folder, facts)
    if as_json:
        output.write_json(facts)
    else:
        for line in report.summary(folder, facts).splitlines():
            output.stdout().print(output.Line(line), soft_wrap=True)


class _Clock:
    """Calls functions, and records the seconds that each took."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self._seconds = seconds

    def __call__(self, name: str, function: Callable[[], T]) -> T:
        start = time.perf_counter()
        result = function()
        self._seconds[name] = round(time.perf_counter() - start, 6)
        return result


def _character(hero: Character, clock: _Clock) -> dict[str, Any]:
    """Sample and skin a batch by both methods, and return the counts of the character."""
    mesh = hero.mesh
    assert mesh is not None  # a sample has one
    walk = hero.clips["walk"]
    times = walk.start + np.arange(BATCH) * (walk.duration / BATCH)
    poses = clock(f"sample {BATCH} poses", lambda: walk.sample(times))
    out = np.empty((BATCH, mesh.vertex_count, 3), np.float32)
    for method in ("linear", "dual_quat"):
        skin = partial(hero.deform, poses, method=method, out=out)
        skin()  # the first call prepares the mesh
        clock(f"skin {BATCH} poses, {method}", skin)
    return {
        "joints": len(hero.skeleton),
        "vertices": mesh.vertex_count,
        "triangles": len(mesh.triangles),
        "influences": mesh.influence_count,
        "clips": list(hero.clips),
        "size": float(hero.size),
    }


def _portrait(hero: Character) -> Picture:
    run = hero.clips["run"]
    return lissom.render(hero, run.at(0.2), method="dual_quat", azimuth=55.0)


def _comparison(
    facts: dict[str, Any], path: Path, character: Character, clip: str, phase: float, clock: _Clock
) -> None:
    pose = character.clips[clip].at(phase)
    comparison = clock(f"compare {character.name}", lambda: lissom.compare(character, pose))
    comparison.save(path)
    title = f"{character.name}, {clip}: linear, dual quaternion, and the distance between them"
    facts["pictures"].append({"file": path.name, "title": title})
    facts.setdefault("comparisons", {})[character.name] = comparison.numbers


def _picture(
    facts: dict[str, Any], path: Path, title: str, clock: _Clock, draw: Callable[[], Picture]
) -> None:
    clock(f"draw {path.name}", draw).save(path)
    facts["pictures"].append({"file": path.name, "title": title})
