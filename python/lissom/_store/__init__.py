# SPDX-License-Identifier: MIT
"""Stores of bakes: a folder, the memory of a process, or a bucket on S3, GCS or Azure, all alike."""

from lissom._store.open_store import open_store
from lissom._store.store import Store, require_create

__all__ = ["Store", "open_store", "require_create"]
