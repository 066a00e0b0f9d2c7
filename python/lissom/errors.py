# SPDX-License-Identifier: MIT
"""The exceptions of lissom. Each has the facts that a script branches on as attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lissom._base.printable import printable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["BakeError", "BvhError", "GltfError", "GpuError", "ResampleError"]


def __dir__() -> list[str]:
    return sorted(__all__)


class GltfError(ValueError):
    """Raised for a glTF or GLB file that cannot be used; says where its fault is.

    Parameters
    ----------
    message : str
        One sentence: what was expected, what was found, what to do.
    code : str
        The glTF-Validator's code of the fault, such as ``"ACCESSOR_TOO_LONG"``, where it has one.
    pointer : str
        JSON pointer to the offending value, such as ``"/accessors/3/byteOffset"``; empty for the whole file.
    path : str or Path, optional
        The file; None for bytes.

    Notes
    -----
    ``str(error)`` puts path and pointer in front of the message. The error can be pickled, so that it crosses
    process boundaries complete.

    Examples
    --------
    >>> try:
    ...     lissom.load(b'{"asset": {"version": "1.0"}}')
    ... except lissom.GltfError as error:
    ...     print(error.code, "at", error.pointer)
    UNKNOWN_ASSET_MAJOR_VERSION at /asset/version
    """

    def __init__(
        self, message: str, *, code: str = "", pointer: str = "", path: str | Path | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.pointer = pointer
        self.path = _as_path(path)

    def __str__(self) -> str:
        place = ": ".join(part for part in (str(self.path or ""), self.pointer) if part)
        text = printable(f"{place}: {self.message}" if place else self.message)
        return f"{text} [{self.code}]" if self.code else text

    def __reduce__(self) -> tuple[Callable[..., GltfError], tuple[str, str, str, Path | None]]:
        return _gltf_error, (self.message, self.code, self.pointer, self.path)


class BakeError(ValueError):
    """Raised for a bake that cannot be made as asked, such as for a ``max_error`` that no rate reaches.

    Parameters
    ----------
    message : str
        One sentence: what was asked, what was reached, what to do.
    report : object, optional
        The report of the best bake tried, like ``PoseTexture.report``; None where none was made.

    Examples
    --------
    >>> bar = lissom.samples.twisted_bar()
    >>> try:
    ...     lissom.bake(bar, "twist", max_error=1e-9)
    ... except lissom.BakeError as error:
    ...     best = error.report  # of the best bake
    >>> 1e-9 < best.max_relative < 1e-6  # a fraction of the size
    True
    """

    def __init__(self, message: str, report: object = None) -> None:
        super().__init__(message)
        self.report = report

    def __reduce__(self) -> tuple[type[BakeError], tuple[str, object]]:
        return type(self), (str(self), self.report)


class ResampleError(ValueError):
    """Raised for a clip that no rate resamples within the ``max_error`` asked for.

    Parameters
    ----------
    message : str
        One sentence: what was asked, what was reached, what to do.
    report : object, optional
        The `ClipReport` of the best rate tried.

    Examples
    --------
    >>> walk = lissom.samples.humanoid().clips["walk"]
    >>> try:
    ...     walk.resampled(max_error=1e-12)
    ... except lissom.ResampleError as error:
    ...     print(f"{error.report.rate:.0f} frames per second are not enough")
    480 frames per second are not enough
    """

    def __init__(self, message: str, report: object = None) -> None:
        super().__init__(message)
        self.report = report

    def __reduce__(self) -> tuple[type[ResampleError], tuple[str, object]]:
        return type(self), (str(self), self.report)


class BvhError(ValueError):
    r"""Raised for a BVH file that cannot be used; says where its fault is.

    Parameters
    ----------
    message : str
        One sentence: what was expected, what was found, what to do.
    line : int, optional
        Line of the file, from 1; None for the whole file.
    path : str or Path, optional
        The file; None for bytes.

    Notes
    -----
    ``str(error)`` puts path and line in front of the message. The error can be pickled.

    Examples
    --------
    >>> try:
    ...     lissom.load_bvh(b"HIERARCHY\nROOT Hips\n{\n  OFFSET 0 zero 0\n}")
    ... except lissom.BvhError as error:
    ...     print(error.line, error.message, sep=": ")
    4: OFFSET must be three numbers up to 1e30, got 'zero'
    """

    def __init__(self, message: str, *, line: int | None = None, path: str | Path | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.path = _as_path(path)

    def __str__(self) -> str:
        line = "" if self.line is None else f"line {self.line}"
        return printable(": ".join(part for part in (str(self.path or ""), line, self.message) if part))

    def __reduce__(self) -> tuple[Callable[..., BvhError], tuple[str, int | None, Path | None]]:
        return _bvh_error, (self.message, self.line, self.path)


class GpuError(RuntimeError):
    """Raised where OpenGL cannot draw, such as without a context; the message says what to do.

    Examples
    --------
    >>> try:
    ...     with lissom.gpu.Stage(320, 180) as stage:
    ...         print(f"can draw at {stage.aspect:.2f} to 1")
    ... except lissom.GpuError as error:
    ...     print("nothing is drawn:", error)
    can draw at 1.78 to 1
    """


def _as_path(path: str | Path | None) -> Path | None:
    from pathlib import Path  # takes longer to import than all errors, and few are raised

    return None if path is None else Path(path)


def _gltf_error(message: str, code: str, pointer: str, path: Path | None) -> GltfError:
    return GltfError(message, code=code, pointer=pointer, path=path)


def _bvh_error(message: str, line: int | None, path: Path | None) -> BvhError:
    return BvhError(message, line=line, path=path)
