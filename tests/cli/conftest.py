# SPDX-License-Identifier: MIT
"""The command, run in this process with children that stay, and a file that it refuses."""

import functools
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main

from batch_files import WarmThreads
from lissom._jobs import run_many as _run_many
from lissom.cli import main


class Result:
    """What a command left behind."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture(scope="package", autouse=True)
def warm() -> Iterator[None]:
    """Keep children, and the parsers of options, from one command to the next."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_run_many, "GuardedThreads", WarmThreads)
        patched.setattr(typer.main, "get_command", functools.cache(typer.main.get_command))
        yield


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]):
    """Run the command in this process."""

    def call(*arguments: object) -> Result:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Result(left.value.code, captured.out, captured.err)

    return call


@pytest.fixture
def bad_file(tmp_path: Path) -> Path:
    path = tmp_path / "bad.glb"
    path.write_bytes(b"glTF\2\0\0\0\x20\0\0\0 not a chunk")
    return path
