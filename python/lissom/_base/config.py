# SPDX-License-Identifier: MIT
"""What this build and this machine are: the first lines of any bug report."""

from __future__ import annotations

import importlib.metadata
import json
import operator
import platform
import sys
from typing import Literal, overload

from lissom import _core
from lissom._base.extras import EXTRA_OF
from lissom._base.numbers import check_flag
from lissom._base.set_module import set_module

__all__ = ["is_deterministic", "set_deterministic", "set_thread_count", "show_config", "thread_count"]

_PACKAGES = ("numpy", "msgspec", *EXTRA_OF)


@overload
def show_config(mode: Literal["stdout"] = "stdout") -> None: ...
@overload
def show_config(mode: Literal["dicts"]) -> dict[str, object]: ...
@set_module("lissom")
def show_config(mode: Literal["stdout", "dicts"] = "stdout") -> dict[str, object] | None:
    """Show version, instruction set, threads and the packages in use, as ``numpy.show_config`` does.

    Parameters
    ----------
    mode : {"stdout", "dicts"}
        Print it as JSON, or return it.

    Returns
    -------
    dict or None
        ``lissom``, ``python``, ``platform``, ``instruction_set`` (the kernels in use, see ``LISSOM_ISA``),
        ``instruction_sets`` (those this machine can run), ``deterministic`` (see `set_deterministic`),
        ``threads`` and ``packages`` (name to version, None where not installed). None where it is printed.

    Raises
    ------
    ValueError
        If ``mode`` is neither of the two.

    Examples
    --------
    >>> config = lissom.show_config("dicts")
    >>> config["instruction_set"] in config["instruction_sets"]
    True
    >>> config["packages"]["numpy"] == np.__version__
    True
    """
    if mode not in ("stdout", "dicts"):
        raise ValueError(f"show_config: mode must be 'stdout' or 'dicts', got {mode!r}")
    config: dict[str, object] = {
        "lissom": _core.__version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "instruction_set": _core.isa(),
        "instruction_sets": _core.runnable_isas(),
        "deterministic": _core.is_deterministic(),
        "threads": _core.thread_count(),
        "packages": {name: _version(name) for name in _PACKAGES},
    }
    if mode == "dicts":
        return config
    sys.stdout.write(json.dumps(config, indent=2) + "\n")
    return None


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


@set_module("lissom")
def thread_count() -> int:
    """How many threads heavy calls may use, the calling one included.

    Returns
    -------
    int
        At least 1: the last value passed to `set_thread_count`, else that of the environment variable
        ``LISSOM_THREADS``, else as many as this process has cores to run on.

    Examples
    --------
    >>> lissom.thread_count() >= 1
    True
    """
    return _core.thread_count()


@set_module("lissom")
def set_thread_count(count: int) -> None:
    """Set how many threads heavy calls may use.

    Results do not depend on it, to the last bit. Small calls stay on the calling thread whatever it says.

    Parameters
    ----------
    count : int
        The calling thread included; 1 for no other. 0 goes back to what it was at the start.

    Raises
    ------
    TypeError
        If `count` is no integer.
    ValueError
        If `count` is negative or above 1024.

    Examples
    --------
    >>> lissom.set_thread_count(2)
    >>> lissom.thread_count()
    2
    >>> lissom.set_thread_count(0)  # as many as at the start
    """
    try:
        whole = operator.index(count)
    except TypeError:
        raise TypeError(f"set_thread_count: count must be an integer, got {type(count).__name__}") from None
    fitting = max(min(whole, 1 << 30), -1)  # a C int
    try:
        _core.set_thread_count(fitting)
    except ValueError as error:
        got = whole if whole.bit_length() < 128 else f"a number of {whole.bit_length()} bits"
        raise ValueError(str(error).replace(f"got {fitting}", f"got {got}")) from None


@set_module("lissom")
def is_deterministic() -> bool:
    """Whether results have the same bits on every machine.

    Returns
    -------
    bool
        The last value passed to `set_deterministic`, else True where the environment variable
        ``LISSOM_DETERMINISTIC`` is 1.

    Examples
    --------
    >>> before = lissom.is_deterministic()
    >>> lissom.set_deterministic(True)
    >>> lissom.is_deterministic()
    True
    >>> lissom.set_deterministic(before)
    """
    return _core.is_deterministic()


@set_module("lissom")
def set_deterministic(on: bool) -> None:
    """Have every instruction set and any number of threads give the same bits, or be as fast as can be.

    Without it results of different instruction sets agree within 1e-6 of the character's size. With it
    sampling, blending, model matrices, palettes, skinning and baked texels are the same to the last bit, at
    the speed of 128-bit vectors. Solvers, array mathematics and ray casts give the same bits in either mode.
    :doc:`/concepts/determinism` has the figures, and what else may differ.

    It holds for the whole process and for calls made from then on. Set it once, at the start: calls that
    other threads have under way may compute either way. What was computed before keeps its bits.

    Parameters
    ----------
    on : bool
        True for the same bits. The environment variable ``LISSOM_DETERMINISTIC=1`` says so from the start.

    Raises
    ------
    TypeError
        If `on` is neither True nor False.

    Examples
    --------
    >>> before = lissom.is_deterministic()
    >>> lissom.set_deterministic(True)
    >>> lissom.show_config("dicts")["deterministic"]
    True
    >>> lissom.set_deterministic(before)
    """
    _core.set_deterministic(check_flag(on, "set_deterministic: on"))
