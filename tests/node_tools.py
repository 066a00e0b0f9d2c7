# SPDX-License-Identifier: MIT
"""What tests ask of npm packages: scripts of tests/node, and gltfpack."""

import base64
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

NODE = Path(__file__).parent / "node"


def needs_node(package: str) -> list[pytest.MarkDecorator]:
    """Marks of tests that run node with a package of tests/node."""
    return [
        pytest.mark.tree,
        pytest.mark.skipif(
            shutil.which("node") is None, reason="node is not installed: apt-get install nodejs npm"
        ),
        pytest.mark.skipif(
            not (NODE / "node_modules" / package).is_dir(),
            reason=f"no {package} in tests/node/node_modules; run: make test",
        ),
    ]


def ask(script: str, tasks: Any) -> Any:
    """Hand tasks to a script as JSON, and return its answer."""
    done = subprocess.run(["node", script], cwd=NODE, input=json.dumps(tasks), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def gltfpack(source: Path, target: Path, *options: str) -> Path:
    """Write what gltfpack makes of a file."""
    command = ["node", NODE / "node_modules" / "gltfpack" / "cli.js", "-i", source, "-o", target, *options]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return target


def base64_of(data: bytes) -> str:
    return base64.b64encode(data).decode()
