# SPDX-License-Identifier: MIT
"""The options of ``lissom info``; `lissom.cli.info` does the work."""

from __future__ import annotations

from lissom.cli.options import Json, ModelOrBake

__all__ = ["info"]


def info(
    file: ModelOrBake,
    as_json: Json = False,
) -> None:
    """Show what a model holds (skeleton, parts, clips, roles, repairs made by loading), or a bake."""
    from lissom.cli.info import info

    info(file, as_json)
