# SPDX-License-Identifier: MIT
"""The name of a worker in records and messages."""

from __future__ import annotations

import os
import platform

__all__ = ["worker_name"]


def worker_name() -> str:
    """Return what tells this process from others of a run: host and process number."""
    return f"{platform.node()}:{os.getpid()}"
