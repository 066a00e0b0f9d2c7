# SPDX-License-Identifier: MIT
"""The command ``lissom``: what the package does, from a shell.

Two layers: ``commands/X.py`` declares the options of ``lissom X``; ``X.py`` here does the work, and is
imported when the command runs, so that ``--help`` is fast.

Exit codes: 0 success, 1 failure, 2 wrong usage or a wrong environment variable. Errors are one sentence on
stderr; with ``--json`` stdout holds one JSON document and nothing else.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command and raise ``SystemExit`` with its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Without the program's name; the process's own when omitted.
    """
    try:
        import rich  # noqa: F401
        import typer  # noqa: F401
    except ModuleNotFoundError as error:
        from lissom._base.extras import how_to_install

        _fail(f'the command needs {error.name}, which is in the extra "cli": {how_to_install("cli")}')
    from lissom.cli.app import app

    for stream in ("stdout", "stderr"):  # closed by the caller, as in `lissom info hero.glb >&-`
        if getattr(sys, stream) is None:
            setattr(sys, stream, open(os.devnull, "w"))  # noqa: SIM115 - for the rest of the process
    try:
        app(args=None if arguments is None else list(arguments), prog_name="lissom")
    except BrokenPipeError:  # the reader of a pipe has gone, as in `lissom info hero.glb | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(1) from None
    except (ValueError, OSError, RuntimeError, ImportError, MemoryError) as error:
        from lissom.cli.output import sentence

        _fail(sentence(error))
    raise SystemExit(0)


def _fail(sentence: str) -> NoReturn:
    from lissom._base.printable import printable

    sys.stderr.write(f"lissom: {printable(sentence)}\n")
    raise SystemExit(1)
