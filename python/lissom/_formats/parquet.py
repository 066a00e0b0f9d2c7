# SPDX-License-Identifier: MIT
"""What a Parquet file of lissom says of itself: JSON in the metadata of its schema."""

from __future__ import annotations

import json
import os
from typing import Any

from lissom import __version__

__all__ = ["OtherVersion", "facts", "said"]


class OtherVersion(ValueError):
    """A file is of another version than this lissom reads."""


def said(form: str, version: int, **values: object) -> dict[str, str]:
    """Return the metadata of a schema."""
    own = {"format": form, "version": version, "made_by": f"lissom {__version__}"}
    return {"lissom": json.dumps(own | values, sort_keys=True)}


def facts(
    caller: str, schema: Any, path: str | os.PathLike[str], form: str, version: int, what: str, maker: str
) -> dict[str, Any]:
    """Return what a schema says; ValueError where it is of another form, `OtherVersion` where of another one.

    `caller` begins errors; `what` is what the file should be, and `maker` writes it.
    """
    try:
        values = json.loads((schema.metadata or {}).get(b"lissom", b"{}"))
    except ValueError:
        values = {}
    if not isinstance(values, dict) or values.get("format") != form:
        raise ValueError(f"{caller}: {path} is a Parquet file but no {what}; {maker} writes one")
    if values.get("version") != version:
        raise OtherVersion(
            f"{caller}: {path} was made by {values.get('made_by', 'another lissom')} in version "
            f"{values.get('version')} of the {what}, and lissom {__version__} reads version {version}; "
            f"make it again by {maker}"
        )
    return values
