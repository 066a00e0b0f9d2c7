# SPDX-License-Identifier: MIT
"""One file to bake: its source, its options and its output."""

from __future__ import annotations

import dataclasses
import functools
import os
from pathlib import Path, PurePosixPath
from typing import Any, get_type_hints

from lissom._bake_many.sources import SAMPLE_PREFIX
from lissom._base.methods import BAKED_METHODS
from lissom._base.numbers import check_number
from lissom._base.printable import can_be_path, file_name, quoted
from lissom._base.set_module import set_module
from lissom._formats.kind import BAKE_SUFFIX

__all__ = ["MOST_BYTES", "PLACES", "BakeJob"]

PLACES = ("source", "output", "name")
"""Fields that name files and folders; the others are options of the bake, and part of the key."""

KEY_DIGITS = 12
"""Hexadecimal digits of the key in a file's name: 48 bits, so that among a million outputs of one name two
are equal with a probability of 0.2 %. The record beside the file has all digits."""

MOST_BYTES = 255 - 1 - KEY_DIGITS - len(BAKE_SUFFIX)
"""Most bytes of a name, or of a folder in it: file systems allow 255, and the key and the suffix follow."""

LISTS = ("clips", "without", "loop", "no_loop", "extra_joints")


@set_module("lissom")
@dataclasses.dataclass(frozen=True)
class BakeJob:
    """One file to bake by `lissom.bake_many`. It can be pickled; baking it twice does no harm.

    Attributes
    ----------
    source : str or path
        A .glb, .gltf or .bvh file, or a sample: ``"sample:humanoid"``.
    output : str or path
        Folder of the bake; created if it does not exist.
    name : str, optional
        Name of the bake below `output`, after folders separated by ``/``; the source's, without its
        suffix, when omitted. The file is called ``NAME-KEY.safetensors``, KEY being the first 12 digits of
        `key`. A name that ends in ``.safetensors`` is the file's own: it is baked each time, and no record of
        it is kept.
    clips : sequence of str
        The clips to bake; all if empty. Case does not matter, and the part before a ``|`` may be left out.
    without : sequence of str
        Parts of the mesh to leave out.
    loop, no_loop : sequence of str
        Clips to bake as looping, and as not looping.
    rate, max_error, layout, dtype, extra_joints, root_motion, include_mesh, method
        As for `lissom.bake`; names of clips in `rate` as in `clips`.

    Raises
    ------
    TypeError
        If a field has the wrong type.
    ValueError
        If `source`, `output` or `name` is nothing that a file can be called, `name` is outside the folder or
        longer than a file's can be, there is no such layout, dtype or
        method, or a number is not above zero.

    Examples
    --------
    >>> bar = "sample:twisted_bar"
    >>> jobs = [lissom.BakeJob(bar, "bakes", f"bars/{rate}", rate=rate) for rate in (15, 30)]
    >>> [job.title for job in jobs]
    ['bars/15', 'bars/30']
    """

    source: str
    output: str = "."
    name: str | None = None
    clips: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    loop: tuple[str, ...] = ()
    no_loop: tuple[str, ...] = ()
    rate: float | dict[str, float] | None = None
    max_error: float | None = None
    layout: str = "dual_quat"
    dtype: str = "float16"
    extra_joints: tuple[str | int, ...] = ()
    root_motion: bool = False
    include_mesh: bool = True
    method: str | None = None

    def __post_init__(self) -> None:
        import msgspec

        for place in PLACES:
            if isinstance(getattr(self, place), os.PathLike):
                object.__setattr__(self, place, os.fspath(getattr(self, place)))
        for field in LISTS:
            value = getattr(self, field)
            object.__setattr__(self, field, (value,) if isinstance(value, str | int) else value)
        for field, kind in _kinds().items():
            try:
                object.__setattr__(self, field, msgspec.convert(getattr(self, field), kind))
            except msgspec.ValidationError as error:
                fault = str(error).replace("`", "").replace("Expected", "must be")
                for json_word, python_word in (("array", "sequence"), ("object", "mapping")):
                    fault = fault.replace(json_word, python_word)
                raise TypeError(f"BakeJob: {field} {fault}") from None
        if not self.source or not can_be_path(self.source):
            raise ValueError(f"BakeJob: source must be the name of a file, got {self.source!r}")
        if not can_be_path(self.output):
            raise ValueError(f"BakeJob: output must be the name of a folder, got {self.output!r}")
        _check_name(self.title)
        _check_choices(self)

    @property
    def title(self) -> str:
        """The name of the bake below `output`: `name`, or the source's without its suffix.

        Of a source whose name a file could not have with the key behind it, as much as fits.
        """
        if self.name is not None:
            return self.name
        if self.source.startswith(SAMPLE_PREFIX):
            return self.source.removeprefix(SAMPLE_PREFIX)
        stem = Path(self.source).stem
        stem = stem if stem not in ("", "..") else Path(self.source).resolve().stem  # "." and ".."
        return file_name(stem, MOST_BYTES)

    @property
    def has_own_file_name(self) -> bool:
        """Whether `name` is that of the file, which has no key in it and no record."""
        return self.title.endswith(BAKE_SUFFIX)

    @property
    def options(self) -> dict[str, Any]:
        """The options of the bake by name, as plain values."""
        return {
            field: list(value) if isinstance(value, tuple) else value
            for field, value in self.__dict__.items()
            if field not in PLACES
        }

    def key(self) -> str:
        """Return the key: a digest of all that the bytes of the bake depend on.

        Returns
        -------
        str
            SHA-256, hexadecimal, of: the contents of the source and of the buffers and images it names; its
            file name; all options; versions of lissom, NumPy and the format of bakes, a digest of lissom's
            code, and the instruction set, which is left out in deterministic mode.

        Raises
        ------
        OSError
            If the source cannot be read.

        Examples
        --------
        >>> job = lissom.BakeJob("sample:twisted_bar", rate=30)
        >>> len(job.key())  # hexadecimal digits
        64
        >>> job.key() == lissom.BakeJob("sample:twisted_bar", rate=15).key()
        False
        """
        from lissom._bake_many.key import digest, key_inputs

        return digest(key_inputs(self))

    def path(self, key: str) -> Path:
        """Return the path of the bake with a key.

        Parameters
        ----------
        key : str
            As returned by `key`; its first 12 digits become part of the name.

        Returns
        -------
        Path
            Path below `output`.

        Examples
        --------
        >>> job = lissom.BakeJob("sample:twisted_bar", output="bakes", name="bars/slow")
        >>> job.path("0123456789abcdef").as_posix()
        'bakes/bars/slow-0123456789ab.safetensors'
        """
        if self.has_own_file_name:
            return Path(self.output, self.title)
        return Path(self.output, f"{self.title}-{key[:KEY_DIGITS]}{BAKE_SUFFIX}")


@functools.cache
def _kinds() -> dict[str, Any]:
    return get_type_hints(BakeJob, globals())


def _check_name(name: str) -> None:
    if any(c in name for c in "\\\0"):
        raise ValueError(
            f"BakeJob: name must hold no backslash and no null character, got {name!r}; a / divides folders"
        )
    parts = PurePosixPath(name).parts
    unsafe = not parts or name.startswith("/") or ".." in parts or name.endswith("/")
    if unsafe or (os.name == "nt" and ":" in name):
        raise ValueError(
            f"BakeJob: name must be relative, such as 'animals/fox', got {name!r}; pass the folder as output"
        )
    for part in parts:
        if file_name(part, len(name) * 4) != part:
            raise ValueError(
                "BakeJob: name must have no control characters or halves of surrogate pairs, got"
                f" {quoted(part)}"
            )
        size = len(os.fsencode(part))
        if size > MOST_BYTES:
            raise ValueError(
                f"BakeJob: name must have at most {MOST_BYTES} bytes in each part, got {size} in"
                f" {quoted(part)}"
            )


def _check_choices(job: BakeJob) -> None:
    """Refuse options that `lissom.bake` refuses, before the first of many files is opened."""
    from lissom.pose_texture._layouts import DTYPES, LAYOUTS

    for field, known in (("layout", LAYOUTS), ("dtype", DTYPES), ("method", BAKED_METHODS)):
        value = getattr(job, field)
        if value is not None and value not in known:
            exists = ", ".join(map(repr, known))
            raise ValueError(f"BakeJob: {field} must be one of {exists}, got {value!r}")
    rates = job.rate.values() if isinstance(job.rate, dict) else [job.rate]
    for field, numbers in (("rate", rates), ("max_error", [job.max_error])):
        for number in numbers:
            if number is not None:
                check_number(number, f"BakeJob: {field}", above_zero=True)
