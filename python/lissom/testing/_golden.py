# SPDX-License-Identifier: MIT
"""Golden values: what came out once and was looked at, kept in a file beside the test."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lissom.testing._golden_files import ARRAYS, ENDINGS, kind_of

__all__ = ["GoldenRenewed", "golden"]

RENEW = "LISSOM_RENEW_GOLDEN"
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")


class GoldenRenewed(UserWarning):
    """A golden file was made, or replaced because it no longer fits; see `golden`.

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
    """Fail where a value differs from the golden one, which a file in ``golden/`` beside the test keeps.

    With the environment variable ``LISSOM_RENEW_GOLDEN`` set to 1, a file that is missing or does not fit any
    more is written instead, atomically, and a `GoldenRenewed` warning says which and what had changed; pytest
    lists them at its end. Files that fit stay as they are. The same value gives the same bytes, wherever
    it is written: of a picture by the same zlib, of a bake by the same version of lissom.

    Parameters
    ----------
    name : str
        The file's name without its ending: letters, digits, ``_``, ``-``, ``+`` and ``.``. Each golden value
        of a folder has its own; f"walk-{method}" serves a parametrized test.
    actual : PoseTexture, Picture, or array_like
        Kept as ``.safetensors``, ``.png`` or ``.npz``. An array of uint8 with two or three axes is a picture.
    compare : callable, optional
        Called as ``compare(actual, desired, **options)``. When omitted, the assert of this module for bakes,
        pictures, and arrays by their shape: (..., V, 3) vertices, (..., J, 10) poses, (..., S, 4, 4) and
        (..., S, 8) palettes. For other arrays say it: ``compare=numpy.testing.assert_allclose``.
    folder : path-like, optional
        Where the file is. When omitted, ``golden`` beside the file that calls.
    **options
        For `compare`: tolerances, ``of=hero``, ``save="build/failed/walk"``.

    Raises
    ------
    AssertionError
        If the value differs, cannot equal itself (NaN, empty), or there is no file.
    TypeError, ValueError
        If an argument makes no sense, or the file cannot be read.
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
    path = _folder(folder, sys._getframe(1).f_code.co_filename) / f"{name}{kind.ending}"
    check = compare or kind.comparison(actual)
    kept = kind.kept(actual)
    check(kept, kept, **options)  # what cannot equal itself, such as NaN, could never pass
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
            if kind is ARRAYS and desired.shape != kept.shape:
                raise AssertionError(f"golden: shapes differ: actual {kept.shape}, desired {desired.shape}")
            check(kept, desired, **options)
        except (AssertionError, ValueError) as error:
            if not renews:
                raise type(error)(f"{error}\n  desired is {path}; {RENEW}=1 renews it") from None
            news = f"golden: renewed {path}; before: {error}"
        else:
            return
    path.parent.mkdir(parents=True, exist_ok=True)
    kind.write(path, kept)
    warnings.warn(news, GoldenRenewed, stacklevel=2)


def _renews() -> bool:
    value = os.environ.get(RENEW, "")
    if value not in ("", "0", "1"):
        raise ValueError(f"golden: {RENEW}: expected 1, or 0 or nothing, got {value!r}")
    return value == "1"


def _check_name(name: str) -> None:
    if not isinstance(name, str):
        raise TypeError(f"golden: name: expected a string, got {type(name).__name__}")
    if not NAME.fullmatch(name):
        raise ValueError(f"golden: name: expected letters, digits, '_', '-', '+' and '.', got {name!r}")
    if name.endswith(ENDINGS):
        raise ValueError(f"golden: name: expected it without its ending, got {name!r}")


def _folder(folder: str | os.PathLike[str] | None, caller: str) -> Path:
    if folder is not None:
        return Path(folder)
    if not os.path.isfile(caller):
        raise ValueError(f"golden: folder: expected one, for the caller is no file but {caller!r}")
    return Path(caller).parent / "golden"
