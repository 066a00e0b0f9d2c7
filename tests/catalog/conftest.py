# SPDX-License-Identifier: MIT
"""A folder of bakes with records, one without, and what is no bake."""

from pathlib import Path

import pytest

import lissom
from batch_files import WarmThreads
from lissom._jobs import run_many as _run_many


@pytest.fixture(scope="package", autouse=True)
def warm_children():
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_run_many, "GuardedThreads", WarmThreads)
        yield


def bake_bars(output: Path, *rates: float, **options) -> list[lissom.BakeRecord]:
    """Bake the twisted bar at some rates, each under a name of its own."""
    jobs = [
        lissom.BakeJob("sample:twisted_bar", output, f"bars/{rate}", rate=rate, **options) for rate in rates
    ]
    records = list(lissom.bake_many(jobs, workers=1))
    assert {record.status for record in records} == {"baked"}
    return records


@pytest.fixture(scope="package")
def bakes(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("catalog") / "bakes"
    bake_bars(folder, 10, 60, tags=("bars", "slow"))
    lissom.bake(lissom.samples.two_bone_tube(), rate=30).save(folder / "own.safetensors")
    return folder


@pytest.fixture
def catalog(bakes, tmp_path) -> lissom.Catalog:
    return lissom.Catalog.build(bakes, tmp_path / "bakes.parquet")
