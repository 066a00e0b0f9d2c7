# SPDX-License-Identifier: MIT
"""The options of ``lissom doctor``; `lissom.cli.doctor` does the work."""

from __future__ import annotations

import sys

from lissom.cli.options import Json

__all__ = ["doctor"]


def doctor(as_json: Json = False) -> None:
    """Show what works on this machine, and what to install or set where something is missing."""
    from lissom.cli.doctor import doctor

    sys.exit(0 if doctor(as_json) else 1)
