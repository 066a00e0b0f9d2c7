# SPDX-License-Identifier: MIT
"""What loading mended, chose or left out."""

from __future__ import annotations

from dataclasses import dataclass

from lissom._base.doors import as_html
from lissom._base.set_module import set_module

__all__ = ["Repair"]


@set_module("lissom")
@dataclass(frozen=True, slots=True)
class Repair:
    """One thing that loading mended, chose or left out.

    Attributes
    ----------
    code : str
        A short name; where Khronos' glTF-Validator has one for the fault, that.
    pointer : str
        JSON pointer to the place in the file.
    message : str
        One sentence.

    Examples
    --------
    >>> hips = lissom.load(b'{"asset": {"version": "2.0"}, "nodes": [{"name": "Hips"}]}')
    >>> for repair in hips.repairs:
    ...     print(repair.code, repair.pointer, repair.message, sep="; ")
    SCENE_UNDEFINED; /scenes; the file has no scene; all its nodes were loaded
    """

    code: str
    pointer: str
    message: str

    _repr_html_ = as_html

    def __str__(self) -> str:
        return (
            f"{self.pointer}: {self.message} [{self.code}]"
            if self.pointer
            else f"{self.message} [{self.code}]"
        )
