# SPDX-License-Identifier: MIT
"""The one sentence for a package that belongs to an extra and is not installed."""

from __future__ import annotations

import importlib
from types import ModuleType

__all__ = ["require"]


def require(module: str, extra: str, feature: str) -> ModuleType:
    """Import an optional package or say which extra brings it.

    Parameters
    ----------
    module : str
        Name to import, such as ``"moderngl"``.
    extra : str
        The extra that holds it: ``"gl"`` or ``"cli"``.
    feature : str
        What needs it, as the user called it: ``"lissom.render"``.

    Returns
    -------
    module
        The imported module.

    Raises
    ------
    ImportError
        When the package is missing. A package that is there but fails to import raises its own error.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != module.partition(".")[0]:
            raise
        raise ImportError(
            f'{feature} needs {module}, which is not installed; run: pip install "lissom[{extra}]"',
            name=module,
        ) from error
