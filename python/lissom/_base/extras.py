# SPDX-License-Identifier: MIT
"""Optional packages: which extra brings each, and the message where one is not installed."""

from __future__ import annotations

import importlib
from types import ModuleType

__all__ = ["EXTRA_OF", "how_to_install", "require"]

# Every package that a part of lissom may import beside its hard dependencies, and the extra that brings it.
EXTRA_OF = {
    "moderngl": "gl",
    "pillow": "gl",
    "typer": "cli",
    "rich": "cli",
    "fast-simplification": "lod",
    "matplotlib": "plot",
    "anywidget": "jupyter",
    "dracopy": "draco",
    "obstore": "cloud",
    "distributed": "dask",
    "ray": "ray",
    "openimageio": "export",
    "av": "film",
    "pyarrow": "catalog",
}

# Modules that are named otherwise than the package that holds them.
PACKAGE_OF = {"PIL": "Pillow"}


def how_to_install(extra: str) -> str:
    """Return the command that installs an extra, from the package index or from a clone."""
    return f'pip install "lissom[{extra}]" (from a clone: pip install ".[{extra}]")'


def require(module: str, extra: str, feature: str) -> ModuleType:
    """Import an optional package or say which extra brings it.

    Parameters
    ----------
    module : str
        Name to import, such as ``"moderngl"``.
    extra : str
        The extra that holds it, as `EXTRA_OF` has it.
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
        package = module.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != package:
            raise
        raise ImportError(
            f"{feature} needs {PACKAGE_OF.get(package, package)}, "
            f'which is in the extra "{extra}": {how_to_install(extra)}',
            name=module,
        ) from error
