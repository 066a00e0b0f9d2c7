# SPDX-License-Identifier: MIT
"""One file to make of a source: what jobs of all kinds have."""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, ClassVar, get_type_hints

from lissom._base.printable import can_be_path, file_name, quoted
from lissom._jobs.kind import Kind, Status
from lissom._jobs.sources import SAMPLE_PREFIX, address_fault

if TYPE_CHECKING:
    from lissom._jobs.records import Record

__all__ = ["KEY_DIGITS", "Job"]

KEY_DIGITS = 12
"""Hexadecimal digits of the key in a file's name: 48 bits, so that among a million outputs of one name two
are equal with a probability of 0.2 %. The record beside the file has all digits."""

MOST_NAME_BYTES = 255
"""Most bytes of the name of a file, in all file systems."""


@dataclasses.dataclass(frozen=True)
class Job:
    """One file to make. It can be pickled; doing it twice does no harm."""

    source: str
    output: str = "."
    name: str | None = None

    _kind: ClassVar[Kind]
    _models: ClassVar[tuple[str, ...]] = ("source",)  # fields that name files of models, or samples
    _places: ClassVar[tuple[str, ...]]  # fields that name files and folders; the others are options
    _lists: ClassVar[tuple[str, ...]]  # fields for which one name is a list, too
    _labels: ClassVar[tuple[str, ...]] = ()  # fields on which no byte of what is made depends

    def __post_init__(self) -> None:
        import msgspec

        for place in self._places:
            if isinstance(getattr(self, place), os.PathLike):
                object.__setattr__(self, place, os.fspath(getattr(self, place)))
        for field in self._lists:
            value = getattr(self, field)
            object.__setattr__(self, field, (value,) if isinstance(value, str | int) else value)
        cls: Any = type(self)  # for mypy, which takes no class of dataclasses for hashable
        own = cls.__name__
        for field, kind in _types(cls).items():
            try:
                object.__setattr__(self, field, msgspec.convert(getattr(self, field), kind))
            except msgspec.ValidationError as error:
                fault = str(error).replace("`", "").replace("Expected", "must be")
                for json_word, python_word in (("array", "sequence"), ("object", "mapping")):
                    fault = fault.replace(json_word, python_word)
                raise TypeError(f"{own}: {field} {fault}") from None
        for place, path in self._read.items():
            if not path or not can_be_path(path):
                raise ValueError(f"{own}: {place} must be the name of a file, got {path!r}")
            meant = address_fault(path)
            if meant:
                raise ValueError(f"{own}: {place} must be {meant}, got {path!r}")
        if not can_be_path(self.output):
            raise ValueError(f"{own}: output must be the name of a folder, got {self.output!r}")
        _check_name(own, self.title, self._most_bytes())
        self._check_options()

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
        return file_name(stem, self._most_bytes())

    @property
    def has_own_file_name(self) -> bool:
        """Whether `name` is that of the file, which has no key in it and no record."""
        return self.title.endswith(self._kind.suffix)

    @property
    def options(self) -> dict[str, Any]:
        """The options on which the bytes of the bake depend, by name, as plain values."""
        return {
            field: list(value) if isinstance(value, tuple) else value
            for field, value in self.__dict__.items()
            if field not in ("output", "name", *self._read, *self._labels)
        }

    def key(self) -> str:
        """Return the key: a digest of all that the bytes of the bake depend on.

        Returns
        -------
        str
            SHA-256, hexadecimal, of: the contents of the source and of the buffers and images it names; its
            file name; all options but `tags`; versions of lissom, NumPy and the format of bakes, a digest of
            lissom's code, and the instruction set, which is left out in deterministic mode.

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
        from lissom._jobs.key import digest, key_inputs

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
        return Path(self.output, f"{self.title}-{key[:KEY_DIGITS]}{self._kind.suffix}")

    @property
    def _read(self) -> dict[str, str]:
        """The files that are read, by field; samples among them."""
        return {"source": self.source}

    @classmethod
    def _most_bytes(cls) -> int:
        """Most bytes of a name, or of a folder in it: the key and the suffix follow."""
        return MOST_NAME_BYTES - 1 - KEY_DIGITS - len(cls._kind.suffix)

    def _record(self, status: Status, **facts: Any) -> Record:
        """Return the result of the job."""
        from lissom._jobs.records import Record

        return Record(self.source, self.output, self.title, status, **facts)

    def _labelled(self, report: dict[str, Any] | None) -> dict[str, Any] | None:
        """Return a report of this or an earlier run, with what the job says of itself by its `_labels`."""
        return report

    def _check_options(self) -> None:
        """Refuse options before the first of many files is opened."""
        raise NotImplementedError

    def _work(
        self, target: Path, progress: Callable[[int, int, str], None] | None = None
    ) -> dict[str, Any] | None:
        """Write the file in this process; return a report as plain values, or None for want of clips."""
        raise NotImplementedError


@functools.cache
def _types(kind: type[Job]) -> dict[str, Any]:
    hints = get_type_hints(kind, globals())
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


def _check_name(own: str, name: str, most_bytes: int) -> None:
    if any(c in name for c in "\\\0"):
        raise ValueError(
            f"{own}: name must hold no backslash and no null character, got {name!r}; a / divides folders"
        )
    parts = PurePosixPath(name).parts
    unsafe = not parts or name.startswith("/") or ".." in parts or name.endswith("/")
    if unsafe or (os.name == "nt" and ":" in name):
        raise ValueError(
            f"{own}: name must be relative, such as 'animals/fox', got {name!r}; pass the folder as output"
        )
    for part in parts:
        if file_name(part, len(name) * 4) != part:
            raise ValueError(
                f"{own}: name must have no control characters or halves of surrogate pairs, got"
                f" {quoted(part)}"
            )
        size = len(os.fsencode(part))
        if size > most_bytes:
            raise ValueError(
                f"{own}: name must have at most {most_bytes} bytes in each part, got {size} in {quoted(part)}"
            )
