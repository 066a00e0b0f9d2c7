# SPDX-License-Identifier: MIT
"""
The C++ core of lissom. Import lissom, not this module.
"""

from __future__ import annotations
import typing

__all__: list[str] = ["set_thread_count", "thread_count"]

def set_thread_count(count: typing.SupportsInt | typing.SupportsIndex) -> None:
    """
    Set it; 0 asks for all.
    """

def thread_count() -> int:
    """
    Threads that heavy calls may use.
    """

__version__: str = "0.1.0"
