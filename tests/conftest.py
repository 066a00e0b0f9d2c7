# SPDX-License-Identifier: MIT
"""What all tests share: where the real characters lie, and one skip that says so where they are missing."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from lissom.errors import GpuError

ASSETS = Path(os.environ.get("LISSOM_ASSETS", Path(__file__).resolve().parents[2] / "shared" / "assets"))


def asset_files(*folders: str) -> list[Path]:
    """Model files under folders of the assets, sorted; empty where the assets are missing."""
    found = (p for folder in folders for p in (ASSETS / folder).rglob("*") if p.suffix in {".glb", ".gltf"})
    return sorted(found)


def asset_id(path: Path) -> str:
    return path.relative_to(ASSETS).as_posix() if path.is_absolute() else path.as_posix()


NO_ASSETS = f"the assets are not at {ASSETS}; set LISSOM_ASSETS to their folder"


def each_asset(cases: Iterable[Any]) -> list[Any]:
    """Cases made of assets, for parametrize; where those are missing, one that is skipped and says so."""
    return list(cases) or [pytest.param(Path("no-assets"), marks=pytest.mark.skip(reason=NO_ASSETS))]


@pytest.fixture(scope="session")
def assets() -> Path:
    if not ASSETS.is_dir():
        pytest.skip(NO_ASSETS)
    return ASSETS


@pytest.fixture(autouse=True)
def drawing(request: pytest.FixtureRequest) -> None:
    """Skip what draws, marked ``gl``, where no OpenGL context can be made, with what to install."""
    if request.node.get_closest_marker("gl") is None:
        return
    from lissom.gpu.context import shared_context

    try:
        shared_context()
    except GpuError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def asset_records(assets: Path) -> dict[str, dict]:
    """The measurements of assets.json, by path."""
    records = json.loads((assets / "assets.json").read_text())["assets"]
    return {record["file"]: record for record in records}
