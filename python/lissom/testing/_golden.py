# SPDX-License-Identifier: MIT
"""Golden values: results that were checked once and are stored in a file beside the test."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lissom.testing._golden_files import ARRAYS, SUFFIXES, kind_of

__all__ = ["GoldenRenewed", "golden"]

RENEW = "LISSOM_RENEW_GOLDEN"
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")


class GoldenRenewed(UserWarning):
    """Warns that a golden file was made, or replaced because its value no longer fits; see `golden`.

    Examples
    --------
    >>> issubclass(lissom.testing.GoldenRenewed, UserWarning)
    True
    """


def golden(
    name: str,
    actual: Any,
    *,
    compare: Callable[..., None] | None = None,
    folder: str | os.PathLike[str] | None = None,
    **options: Any,
) -> None:
    """Raise an AssertionError where a value differs from the golden one in ``golden/`` beside the test.

    With the environment variable ``LISSOM_RENEW_GOLDEN`` set to 1, a file that is missing or no longer fits
    is written instead, atomically, and a `GoldenRenewed` warning says which file and what has changed; pytest
    lists them at its end. Files that fit stay as they are. The same value makes the same bytes wherever it
    is written: of a picture with the same zlib, of a bake with the same version of lissom.

    Parameters
    ----------
    name : str
        The file's name without its suffix: letters, digits, ``_``, ``-``, ``+`` and ``.``. It must be unique
        in its folder; f"walk-{method}" serves a parametrized test.
    actual : PoseTexture, Picture, or array_like
        Stored as ``.safetensors``, ``.png`` or ``.npz``. An array of uint8 with two or three axes is a
        picture.
    compare : callable, optional
        Called as ``compare(actual, desired, **options)``. When omitted, the assert of this module for bakes,
        pictures, and arrays by their shape: (..., V, 3) vertices, (..., J, 10) poses, (..., S, 4, 4) and
        (..., S, 8) palettes. Required for other arrays, such as ``compare=numpy.testing.assert_allclose``.
    folder : path-like, optional
        Folder of the file. When omitted, ``golden`` beside the file that calls.
    **options
        Passed to `compare`: tolerances, ``of=hero``, ``save="build/failed/walk"``.

    Raises
    ------
    AssertionError
        If the value differs, cannot equal itself (NaN, empty), or there is no file.
    TypeError, ValueError
        If an argument is wrong, or the file does not hold such a value.
    OSError
        If the file cannot be read or written.

    Examples
    --------
    >>> import os, tempfile, warnings
    >>> hero = lissom.samples.humanoid()
    >>> vertices = hero.deform(hero.clips["walk"].sample([0.0, 0.5]))
    >>> folder = tempfile.TemporaryDirectory()
    >>> lissom.testing.golden("walk", vertices, folder=folder.name, of=hero)
    Traceback (most recent call last):
    AssertionError: golden: there is no file ...walk.npz; ...
    >>> os.environ["LISSOM_RENEW_GOLDEN"] = "1"  # as in: LISSOM_RENEW_GOLDEN=1 pytest
    >>> with warnings.catch_warnings(record=True) as renewed:
    ...     warnings.simplefilter("always")
    ...     lissom.testing.golden("walk", vertices, folder=folder.name, of=hero)
    >>> str(renewed[0].message)
    'golden: made ...walk.npz'
    >>> del os.environ["LISSOM_RENEW_GOLDEN"]
    >>> lissom.testing.golden("walk", vertices, folder=folder.name, of=hero)
    >>> folder.cleanup()
    """
    __tracebackhide__ = True
    _check_name(name)
    kind = kind_of(actual)
    path = _folder(folder, sys._getframe(1).f_code.co_filename) / f"{name}{kind.suffix}"
    check = compare or kind.comparison(actual)
    stored = kind.stored(actual)
    check(stored, stored, **options)  # a value that does not equal itself, such as NaN, could never pass
    renews = _renews()
    exists = path.exists()
    if not exists and not renews:
        raise AssertionError(
            f"golden: there is no file {path}; look whether the value is right, then run the test once with "
            f"{RENEW}=1 in the environment, which makes it"
        )
    news = f"golden: made {path}"
    if exists:
        try:
            desired = kind.read(path)
            if kind is ARRAYS and desired.shape != stored.shape:
                raise AssertionError(f"golden: shapes differ: actual {stored.shape}, desired {desired.shape}")
            check(stored, desired, **options)
        except (AssertionError, ValueError) as error:
            if not renews:
                raise type(error)(f"{error}\n  desired is {path}; {RENEW}=1 renews it") from None
            news = f"golden: renewed {path}; before: {error}"
        else:
            return
    path.parent.mkdir(parents=True, exist_ok=True)
    kind.write(path, stored)
    warnings.warn(news, GoldenRenewed, stacklevel=2)


def _renews() -> bool:
    value = os.environ.get(RENEW, "")
    if value not in ("", "0", "1"):
        raise ValueError(f"golden: {RENEW} must be 1, 0 or unset, got {value!r}")
    return value == "1"


def _check_name(name: str) -> None:
    if not isinstance(name, str):
        raise TypeError(f"golden: name must be a string, got {type(name).__name__}")
    if not NAME.fullmatch(name):
        raise ValueError(f"golden: name must be of letters, digits, '_', '-', '+' and '.', got {name!r}")
    if name.endswith(SUFFIXES):
        raise ValueError(f"golden: name must be without the file's suffix, got {name!r}")


def _folder(folder: str | os.PathLike[str] | None, caller: str) -> Path:
    if folder is not None:
        return Path(folder)
    if not os.path.isfile(caller):
        raise ValueError(
            f"golden: folder must be passed where the caller is not in a file, got None from {caller!r}"
        )
    return Path(caller).parent / "golden"
