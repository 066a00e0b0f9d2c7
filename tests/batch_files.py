# SPDX-License-Identifier: MIT
"""Model files to bake by the folder, child processes that fail, and what is alike in two output folders."""

import dataclasses
import hashlib
import os
import shutil
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import lissom
from lissom._jobs import run_many as _run_many
from lissom._jobs import run_stored as _run_stored

FAILING = Path(__file__).with_name("failing_worker")

OwnThreads = _run_many.GuardedThreads


class WarmThreads:
    """Threads that keep their child processes from run to run, where a test is not about those.

    Starting a child takes ten times as long as baking a small model.
    """

    pool = ThreadPoolExecutor(2)

    def __init__(self, workers, settings, progress):
        self._progress = progress

    def submit(self, fn, /, *args):
        return self.pool.submit(fn, *args, self._progress)

    def stop(self):
        pass


def models(folder: Path, count: int = 4) -> list[Path]:
    """Write some small models into two folders."""
    folder.mkdir(parents=True)
    (folder / "more").mkdir()
    samples = [lissom.samples.two_bone_tube(), lissom.samples.twisted_bar()]
    paths = []
    for i in range(count):
        path = folder / ("more" if i % 2 else "") / f"model_{i}.glb"
        if i < len(samples):
            lissom.save_glb(samples[i], path)
        else:
            shutil.copy(paths[i % len(samples)], path)
        paths.append(path)
    return paths


def jobs(folder: Path, output: Path, **options) -> list[lissom.BakeJob]:
    """One job for each model below a folder, named by its relative folder."""
    return [
        lissom.BakeJob(path, output, name=path.relative_to(folder).with_suffix("").as_posix(), **options)
        for path in sorted(folder.rglob("*.glb"))
    ]


def copied(folder: Path, tmp_path: Path, *names: str) -> Path:
    """Copy one model of a folder under these names; give the folder of the copies."""
    source = next(folder.glob("*.glb"))
    models = tmp_path / "models"
    models.mkdir()
    for name in names:
        shutil.copy(source, models / f"{name}.glb")
    return models


def by_name(records: Iterable[lissom.BakeRecord]) -> dict[str, lissom.BakeRecord]:
    """Return records by their names."""
    return {record.name: record for record in records}


def with_own_children(monkeypatch) -> None:
    """Have each run start children of its own, and end them."""
    monkeypatch.setattr(_run_many, "GuardedThreads", OwnThreads)


def with_failing_workers(monkeypatch) -> None:
    """Have child processes fail as `failing_worker/sitecustomize.py` says."""
    with_own_children(monkeypatch)
    monkeypatch.setenv("PYTHONPATH", os.fspath(FAILING))


def of_another_build(monkeypatch, fact: str = "digest") -> None:
    """Have runs with a store say of their driver that a fact of its build is another than any worker's."""
    settings_of = _run_stored.settings_of

    def other(*args):
        settings = settings_of(*args)
        return dataclasses.replace(settings, code={**settings.code, fact: "0123456789abcdef"})

    monkeypatch.setattr("lissom._jobs.bake_many.settings_of", other)


def contents(output: Path) -> dict[str, str]:
    """Return the digests of all outputs and manifests by their names, and the names of all other files."""
    found = {}
    for path in sorted(output.rglob("*")):
        if path.is_file():
            is_same_each_time = path.suffix in (".safetensors", ".glb") or path.name in (
                "bakes.json",
                "retargets.json",
            )
            data = path.read_bytes() if is_same_each_time else b""
            found[path.relative_to(output).as_posix()] = hashlib.sha256(data).hexdigest()
    return found
