# SPDX-License-Identifier: MIT
"""The command ``lissom``: what the package does, from a shell.

Two layers: ``commands/X.py`` declares the options of ``lissom X``; ``X.py`` here does the work, and is
imported when the command runs, so that ``--help`` is fast. `plain_call` leaves out the parser.

Exit codes: 0 success, 1 failure, 2 wrong usage or a wrong environment variable. Errors are one sentence on
stderr; with ``--json`` stdout holds one JSON document and nothing else.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import NoReturn

from lissom.cli.plain_call import plain_call

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command and raise ``SystemExit`` with its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Without the program's name; the process's own when omitted.
    """
    for library in ("rich", "typer"):
        if not _is_installed(library):
            from lissom._base.extras import how_to_install

            _fail(f'the command needs {library}, which is in the extra "cli": {how_to_install("cli")}')
    for stream in ("stdout", "stderr"):  # closed by the caller, as in `lissom info hero.glb >&-`
        if getattr(sys, stream) is None:
            setattr(sys, stream, open(os.devnull, "w"))  # noqa: SIM115 - for the rest of the process
    given = None if arguments is None else list(arguments)
    plain = plain_call(sys.argv[1:] if given is None else given)
    try:
        if plain is not None:
            _run(plain)
        from lissom.cli.app import app

        app(args=given, prog_name="lissom")
    except BrokenPipeError:  # the reader of a pipe has gone, as in `lissom info hero.glb | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(1) from None
    except (ValueError, OSError, RuntimeError, ImportError, MemoryError) as error:
        from lissom.cli.output import sentence

        _fail(sentence(error))
    raise SystemExit(0)


def _run(plain: Callable[[], int]) -> NoReturn:
    """End with the exit code of a plain call, or with that of an interrupt as the parser does."""
    try:
        code = plain()
    except KeyboardInterrupt:
        code = 130
    raise SystemExit(code)


def _is_installed(library: str) -> bool:
    """Return whether a library can be imported, without importing it."""
    try:
        return find_spec(library) is not None
    except ValueError:  # an import of it is forbidden
        return False


def _fail(sentence: str) -> NoReturn:
    from lissom._base.printable import printable

    sys.stderr.write(f"lissom: {printable(sentence)}\n")
    raise SystemExit(1)
