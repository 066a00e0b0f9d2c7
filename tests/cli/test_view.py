# SPDX-License-Identifier: MIT
"""`lissom view`: the server as a command."""

import os
import re
import signal
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import pytest

from cli.files import TUBE, words
from lissom.cli import view as work

SECONDS = 60  # until it answers, on a machine that does other things


def started(folder: Path, *arguments: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "lissom", "view", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(folder), "BROWSER": "true"},
    )


@pytest.mark.parametrize(
    ("number", "arguments"),
    [
        (signal.SIGINT, (TUBE,)),
        (signal.SIGTERM, (TUBE, "--no-browser")),
        (signal.SIGHUP, (TUBE, "--no-browser")),  # its terminal is closed
    ],
)
def test_it_shows_until_it_is_interrupted(tmp_path: Path, number: int, arguments: tuple[str, ...]) -> None:
    child = started(tmp_path, *arguments)
    try:
        url = child.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{40,}/", url)
        with urllib.request.urlopen(url, timeout=SECONDS) as answer:
            assert answer.status == 200
        child.send_signal(number)
        out, err = child.communicate(timeout=SECONDS)
    finally:
        child.kill()
    assert (child.returncode, out) == (0, "")
    assert err == "lissom: shows it at this address, which is as secret as the files; Ctrl-C ends it\n"
    assert not list(tmp_path.iterdir())


def test_a_terminal_that_is_closed_ends_it_unless_nohup_began_it(monkeypatch) -> None:
    for handler, is_end in ((signal.SIG_DFL, True), (signal.SIG_IGN, False)):
        monkeypatch.setattr(work.signal, "getsignal", lambda _, handler=handler: handler)
        assert (signal.SIGHUP in work._endings()) == is_end


def test_what_cannot_be_shown_is_one_sentence(run, tmp_path: Path) -> None:
    missing = run("view", "tub", "--no-browser")
    assert (missing.code, missing.out, missing.err) == (1, "", "lissom: tub: there is no such file\n")
    (tmp_path / "notes.txt").touch()
    other = run("view", tmp_path / "notes.txt")
    assert (other.code, other.err.count("\n")) == (1, 1)
    assert "notes.txt must end in .glb, .gltf, .vrm, .bvh or .safetensors" in other.err
    assert "less than or equal to 65535" in words(run("view", TUBE, "--port", 70000).err)


def test_a_port_in_use_is_one_sentence(run) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = run("view", TUBE, "--no-browser", "--port", port)
    assert (result.code, result.out) == (1, "")
    assert result.err == f"lissom: view: port {port} is in use; leave it out for a free one\n"


def test_where_no_browser_starts_it_says_so(run, monkeypatch) -> None:
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda url: bool(opened.append(url)))
    monkeypatch.setattr(threading.Event, "wait", lambda self, timeout=None: True)
    monkeypatch.setattr(work, "start", _Closed)
    result = run("view", TUBE)
    assert result.code == 0, result.err
    assert result.out == "http://127.0.0.1:1/token/\n"
    assert result.err.endswith("no browser could be started: open the address in one\n")


class _Closed:
    """A viewer that does not run."""

    url = "http://127.0.0.1:1/token/"

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def open(self) -> bool:
        return False

    def close(self) -> None:
        pass
