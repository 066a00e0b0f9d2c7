# SPDX-License-Identifier: MIT
"""What all tests share: where the real characters lie, and one skip that says so where they are missing."""

import json
import os
from pathlib import Path

import pytest

ASSETS = Path(os.environ.get("LISSOM_ASSETS", Path(__file__).resolve().parents[2] / "shared" / "assets"))


def asset_files(*folders: str) -> list[Path]:
    """Model files under folders of the assets, sorted; empty where the assets are missing."""
    found = (p for folder in folders for p in (ASSETS / folder).rglob("*") if p.suffix in {".glb", ".gltf"})
    return sorted(found)


def asset_id(path: Path) -> str:
    return path.relative_to(ASSETS).as_posix()


@pytest.fixture(scope="session")
def assets() -> Path:
    if not ASSETS.is_dir():
        pytest.skip(f"the assets are not at {ASSETS}; set LISSOM_ASSETS to their folder")
    return ASSETS


@pytest.fixture(scope="session")
def asset_records(assets: Path) -> dict[str, dict]:
    """The measurements of assets.json, by path."""
    records = json.loads((assets / "assets.json").read_text())["assets"]
    return {record["file"]: record for record in records}
