# SPDX-License-Identifier: MIT
"""Stores of each kind that runs on this machine."""

import pytest

from lissom._store import open_store
from object_server import BUCKET, object_server, sound


@pytest.fixture(scope="package")
def running_server():
    with object_server() as server:
        yield server


@pytest.fixture
def server(running_server):
    yield running_server
    running_server.fault = sound


@pytest.fixture(params=["folder", "memory", "s3"])
def store(request, tmp_path):
    if request.param == "folder":
        return open_store(tmp_path / "store")
    if request.param == "memory":
        return open_store(f"memory://{tmp_path.name}")
    request.getfixturevalue("server")
    return open_store(f"s3://{BUCKET}/{tmp_path.name}")
