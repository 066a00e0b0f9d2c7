# SPDX-License-Identifier: MIT
"""Models to bake, what a run makes of them, and children that stay."""

import pytest

import batch_files
import lissom
from batch_files import WarmThreads, jobs
from lissom._jobs import run_many as _run_many


@pytest.fixture(scope="package", autouse=True)
def warm_children():
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_run_many, "GuardedThreads", WarmThreads)
        yield


@pytest.fixture(scope="package")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("many") / "models"
    batch_files.models(folder)
    return folder


@pytest.fixture(scope="package")
def whole(folder, tmp_path_factory):
    """The output of one worker."""
    output = tmp_path_factory.mktemp("whole") / "out"
    records = list(lissom.bake_many(jobs(folder, output), workers=1))
    assert [record.status for record in records] == ["baked"] * 4
    return output
