# SPDX-License-Identifier: MIT
"""Bakes on a Ray cluster: the bytes of one process. Ray is large, so that this runs only where it is."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import lissom
from batch_files import contents, jobs, of_another_build
from batch_processes import wait_until
from lissom._store import open_store

pytest.importorskip("ray", reason="Ray is not here, which the extra ray brings")

RAY = "import sys; from ray.scripts.scripts import main; sys.exit(main())"


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> Iterator[str]:
    """A cluster of two cores on this machine; its folder has a short name, as its sockets must."""
    home = Path(tempfile.mkdtemp(prefix="ray"))
    port = free_port()
    options = ["--head", "--block", "--node-ip-address=127.0.0.1", "--port=0", "--num-cpus=2"]
    options += [f"--ray-client-server-port={port}", f"--temp-dir={home}"]
    options += ["--include-dashboard=false", "--disable-usage-stats"]
    environment = os.environ | {"LISSOM_CACHE": str(tmp_path_factory.mktemp("cache"))}
    with (home / "log").open("wb") as log:
        cluster = subprocess.Popen(
            [sys.executable, "-c", RAY, "start", *options],
            env=environment,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        wait_until(lambda: answers(port), "a Ray cluster")
        yield f"ray://127.0.0.1:{port}"
    finally:
        os.killpg(cluster.pid, signal.SIGKILL)
        cluster.wait()
        shutil.rmtree(home, ignore_errors=True)


def test_a_store_gets_the_bytes_of_one_process(address, folder, tmp_path):
    todo = [lissom.BakeJob(job.source, name=job.name, rate=job.rate) for job in jobs(folder, "any")]
    alone, ours = open_store(tmp_path / "alone"), open_store(tmp_path / "ours")
    assert {record.status for record in lissom.bake_many(todo, store=alone.url, workers=1)} == {"baked"}
    records = list(lissom.bake_many(todo, address, store=ours.url))
    assert [(record.status, record.reused) for record in records] == [("baked", False)] * 4
    assert not any(record.worker.endswith(f":{os.getpid()}") for record in records)
    bakes = list(alone.keys("bakes/"))
    assert len(bakes) >= 1
    assert list(ours.keys("bakes/")) == bakes
    assert [ours.read(key) for key in bakes] == [alone.read(key) for key in bakes]
    assert all(record.reused for record in lissom.bake_many(todo, address, store=ours.url))


def test_folders_get_what_one_process_writes(address, folder, whole, tmp_path):
    output = tmp_path / "out"
    records = list(lissom.bake_many(jobs(folder, output), address))
    assert [record.status for record in records] == ["baked"] * 4
    assert contents(output) == contents(whole)


def test_what_is_wrong_is_told_once(address, folder, tmp_path):
    none = lissom.BakeJob(tmp_path / "none.glb", tmp_path / "out", name="none")
    records = list(lissom.bake_many([none, *jobs(folder, tmp_path / "out")], address))
    assert [record.status for record in records].count("baked") == 4
    (failed,) = [record for record in records if record.status != "baked"]
    assert failed.name == "none"
    assert "none.glb" in failed.message
    assert "\n" not in failed.message


def test_workers_of_another_build_are_refused_in_a_sentence(address, folder, tmp_path, monkeypatch):
    of_another_build(monkeypatch)
    with pytest.raises(ValueError, match=r"^bake_many: worker \S+ has another build of lissom, .*both$"):
        list(lissom.bake_many(jobs(folder, "any"), address, store=open_store(tmp_path / "store").url))
