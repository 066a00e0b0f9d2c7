# SPDX-License-Identifier: MIT
"""Model files to bake by the folder, child processes that fail, and what is alike in two output folders."""

import hashlib
import os
import shutil
from pathlib import Path

import lissom

FAILING = Path(__file__).with_name("failing_worker")


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


def with_failing_workers(monkeypatch) -> None:
    """Have child processes fail as `failing_worker/sitecustomize.py` says."""
    monkeypatch.setenv("PYTHONPATH", os.fspath(FAILING))


def contents(output: Path) -> dict[str, str]:
    """Give the digests of all bakes and manifests by their names, and the names of all other files."""
    found = {}
    for path in sorted(output.rglob("*")):
        if path.is_file():
            is_same_each_time = path.suffix == ".safetensors" or path.name == "bakes.json"
            data = path.read_bytes() if is_same_each_time else b""
            found[path.relative_to(output).as_posix()] = hashlib.sha256(data).hexdigest()
    return found
