# SPDX-License-Identifier: MIT
"""Whether a worker runs the program of its driver: else its bytes might differ."""

from __future__ import annotations

from lissom._jobs import key
from lissom._jobs.kind import Kind
from lissom._jobs.worker_name import worker_name

__all__ = ["Refused", "other_build"]

WORDS = {
    "lissom": "version of lissom",
    "numpy": "version of NumPy",
    "format": "format of bakes",
    "digest": "build of lissom",
    "instruction_set": "instruction set",
}


class Refused(Exception):
    """Raised by a worker that may do no job of a driver."""


def other_build(kind: Kind, deterministic: bool, code: dict[str, str]) -> str:
    """Return why this process may do no jobs of a driver with that `code`; empty where it may."""
    own = key.code(kind, deterministic)
    for fact, word in WORDS.items():
        if own[fact] != code[fact]:
            is_set = fact == "instruction_set"
            advice = "set LISSOM_DETERMINISTIC=1 for the driver" if is_set else "install the same on both"
            return (
                f"worker {worker_name()} has another {word}, {own[fact][:12]}; the driver has "
                f"{code[fact][:12]}: {advice}"
            )
    return ""
