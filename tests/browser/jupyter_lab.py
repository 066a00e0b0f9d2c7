# SPDX-License-Identifier: MIT
"""JupyterLab on the loopback, with folders of its own, for as long as a test needs it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, Queue
from typing import Any

SECONDS = 60  # to start, on a machine that does other things

# No looking for news, updates or extensions: tests need no network.
ARGUMENTS = [
    "--no-browser",
    "--allow-root",
    "--ip=127.0.0.1",
    "--ServerApp.port=0",
    "--ServerApp.open_browser=False",
    "--IdentityProvider.token=secret",
    "--LabApp.expose_app_in_browser=True",
    "--LabApp.extension_manager=readonly",
    "--LabApp.news_url=None",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
]
SETTINGS = {
    "apputils-extension/notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    }
}


def write_notebook(path: Path, *cells: str) -> None:
    """Write a notebook for this environment's kernel."""
    code = [
        {
            "cell_type": "code",
            "id": f"cell{i}",
            "execution_count": None,
            "metadata": {},
            "outputs": [],
            "source": cell,
        }
        for i, cell in enumerate(cells)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = {"cells": code, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(notebook))


@contextmanager
def jupyter_lab(folder: Path, home: Path) -> Iterator[str]:
    """Serve a folder, and give the address of its root, ``http://127.0.0.1:port``; the token is "secret"."""
    environment = dict(os.environ)
    for name in (
        "JUPYTER_CONFIG_DIR",
        "JUPYTER_DATA_DIR",
        "JUPYTER_RUNTIME_DIR",
        "IPYTHONDIR",
        "JUPYTERLAB_SETTINGS_DIR",
        "JUPYTERLAB_WORKSPACES_DIR",
    ):
        environment[name] = str(home / name.lower())
        (home / name.lower()).mkdir(parents=True)
    for name, settings in SETTINGS.items():
        path = Path(environment["JUPYTERLAB_SETTINGS_DIR"], "@jupyterlab", f"{name}.jupyterlab-settings")
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(settings))
    command = [sys.executable, "-m", "jupyterlab", *ARGUMENTS, f"--ServerApp.root_dir={folder}"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as server:
        lines: Queue[str] = Queue()
        # Read on while it lives, so that it is never held up.
        reader = threading.Thread(target=lambda: [lines.put(line) for line in server.stderr or ()])
        reader.start()
        try:
            yield _address(lines)
        finally:
            server.terminate()  # it ends its kernels, too
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
            reader.join()


def _address(lines: Queue[str]) -> str:
    """Return where the server says it is."""
    said: list[str] = []
    while True:
        try:
            said.append(lines.get(timeout=SECONDS))
        except Empty:
            raise RuntimeError(f"JupyterLab said no address within {SECONDS} s: {''.join(said)}") from None
        found = re.search(r"http://127\.0\.0\.1:\d+", said[-1])
        if found:
            return found[0]


def open_notebook(page: Any, address: str, name: str) -> None:
    """Open a notebook in JupyterLab, and wait until its kernel is there."""
    page.goto(f"{address}/lab/tree/{name}?token=secret")
    current = "window.jupyterapp?.shell?.currentWidget"
    page.wait_for_function(f"{current}?.context?.isReady")
    page.wait_for_function(f"{current}.sessionContext.session?.kernel?.status === 'idle'")


def ask_kernel(page: Any, expression: str) -> str:
    """Evaluate a Python expression in the notebook's kernel, and give its repr."""
    answer = page.evaluate(
        """async (expression) => {
          const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
          const future = kernel.requestExecute(
            { code: "", silent: true, store_history: false, user_expressions: { answer: expression } });
          return (await future.done).content.user_expressions.answer;
        }""",
        expression,
    )
    if answer["status"] != "ok":
        raise RuntimeError(f"the kernel said {answer['ename']}: {answer['evalue']}")
    return str(answer["data"]["text/plain"])
