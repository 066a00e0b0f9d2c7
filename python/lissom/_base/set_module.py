# SPDX-License-Identifier: MIT
"""Under which public module a class or a function is found: in its repr, in tracebacks and in pickles.

Pickles name what they hold by module and name. By the public name they outlive every move of the code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

__all__ = ["publish", "set_module", "written_in"]

T = TypeVar("T", bound=Callable[..., Any])

_WRITTEN_IN: dict[int, str] = {}  # by identity: what is named here lives as long as the process


def set_module(module: str) -> Callable[[T], T]:
    """Return a decorator that names the public module of a class or function, as NumPy's does."""

    def mark(value: T) -> T:
        _WRITTEN_IN[id(value)] = value.__module__
        value.__module__ = module
        return value

    return mark


def publish(namespace: Mapping[str, Any]) -> None:
    """Name a public package as the module of all that it offers, unless a shorter name has been set.

    Called with ``globals()`` by a package whose ``__init__`` imports what it offers.
    """
    package = namespace["__name__"]
    for name in namespace["__all__"]:
        value: Any = namespace.get(name)
        if callable(value) and value.__module__.startswith(f"{package}."):
            set_module(package)(value)


def written_in(value: Any) -> str:
    """Return the module whose source holds a class or a function: for tools that read sources."""
    return _WRITTEN_IN.get(id(value)) or str(value.__module__)
