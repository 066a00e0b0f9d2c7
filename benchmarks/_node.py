# SPDX-License-Identifier: MIT
"""Rivals in node, timed in turns with the others: a process that waits, and does a block of calls when asked.

A script gets its task as a file, prepares, warms up, and hands `_turns.mjs` one call and its answer.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any

from _machine import NODE
from _measure import Run

MODULES = NODE / "node_modules"
THREE = MODULES / "three" / "build" / "three.module.js"


class NodeRival:
    """A script that runs beside this process, `with` which it ends; `answer` is what it computed first."""

    def __init__(self, script: str, task: dict[str, Any]) -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(task, file)
            file.flush()
            self.process = subprocess.Popen(
                ["node", str(Path(__file__).with_name(script)), str(MODULES), file.name],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            self.answer: Any = self._heard()

    def _heard(self) -> Any:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"node ended with status {self.process.wait()}")
        return json.loads(line)

    def block(self, name: str = "") -> Any:
        """A block of calls of the script's, for `Run.block`: seconds of so many."""

        def seconds(count: int) -> float:
            assert self.process.stdin is not None
            self.process.stdin.write(json.dumps({"name": name, "count": count}) + "\n")
            self.process.stdin.flush()
            return float(self._heard())

        return seconds

    def run(self, name: str = "", **facts: Any) -> Run:
        return Run(block=self.block(name), **facts)

    def __enter__(self) -> NodeRival:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(timeout=10)
        assert self.process.stdout is not None
        self.process.stdout.close()
