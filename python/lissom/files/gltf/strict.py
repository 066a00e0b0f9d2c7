# SPDX-License-Identifier: MIT
"""Checks that only a strict load makes: what Khronos' validator calls an error and a reader can live with."""

from __future__ import annotations

from lissom.files.gltf.accessors import Accessors
from lissom.files.gltf.hierarchy import NodeTree
from lissom.files.gltf.schema import Document


def check_json(text: bytes, document: Document) -> None:
    """Check what can be seen without data."""


def check_data(text: bytes, document: Document, accessors: Accessors, tree: NodeTree) -> None:
    """Check what needs the data."""
