# SPDX-License-Identifier: MIT
"""What all tests share: where the real characters lie, and which tests are skipped or left for soaks.

A few characters are committed in tests/data/characters. More of them, captured motions, closed meshes and
malformed files lie in ``../shared/assets`` or the folder that LISSOM_ASSETS names, which go before.
"""

import gc
import json
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from example_server import ExampleServer
from lissom.errors import GpuError
from portable import is_portable

COMMITTED = Path(__file__).parent / "data"


@pytest.fixture(scope="session", autouse=True)
def _files_that_nobody_keeps() -> Iterator[None]:
    """Files are not forced onto the disk, which takes milliseconds each; a wrong descriptor still raises."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", os.fstat)
        yield


def assets_folder() -> Path:
    """Return the folder with all assets, else the committed ones."""
    named = os.environ.get("LISSOM_ASSETS")
    if named is not None and Path(named).resolve() == COMMITTED:
        return COMMITTED  # as where there are no others
    if named is not None and not (Path(named) / "assets.json").is_file():
        raise pytest.UsageError(f"LISSOM_ASSETS: {named!r} holds no assets.json; unset it or name the assets")
    beside = Path(__file__).resolve().parents[2] / "shared" / "assets"
    return Path(named) if named is not None else beside if beside.is_dir() else COMMITTED


ASSETS = assets_folder()
HAS_ALL = ASSETS != COMMITTED  # not only the characters that are committed


def not_committed(folder: str) -> str:
    """Say why a test of files in a folder of the assets is skipped."""
    part = "only a few" if (COMMITTED / folder).is_dir() else "none"
    return f"of the assets' {folder} {part} are committed; set LISSOM_ASSETS to the folder with all"


def asset_files(*folders: str) -> list[Path]:
    """Model files under folders of the assets, sorted."""
    found = (p for folder in folders for p in (ASSETS / folder).rglob("*") if p.suffix in {".glb", ".gltf"})
    return sorted(found)


def asset_id(path: Path) -> str:
    return path.relative_to(ASSETS).as_posix() if path.is_absolute() else path.as_posix()


def each_asset(cases: Iterable[Any], folder: str) -> list[Any]:
    """Cases made of files of a folder, for parametrize; where there are none, one that is skipped."""
    skipped = pytest.mark.skip(reason=not_committed(folder))
    return list(cases) or [pytest.param(Path("none"), marks=skipped)]


def asset(name: str) -> Path:
    """Return a file of the assets, or skip the test where it is not among those committed."""
    path = ASSETS / name
    if not path.exists():
        pytest.skip(not_committed(name.split("/")[0]))
    return path


@pytest.fixture(scope="session", name="asset")
def asset_function() -> Callable[[str], Path]:
    return asset


def asset_records() -> dict[str, dict]:
    """The records of assets.json, by path: whence files are, and what was measured of them."""
    folder = ASSETS if HAS_ALL else ASSETS / "characters"
    return {one["file"]: one for one in json.loads((folder / "assets.json").read_text("utf-8"))["assets"]}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--soak", action="store_true", help="run the tests marked soak, and no others")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With ``-m portable`` leave out files of other tests, which import what may not be there."""
    return True if config.option.markexpr == "portable" and not is_portable(collection_path) else None


@pytest.hookimpl(tryfirst=True)  # before markers are chosen by -m
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    soak = config.getoption("--soak")
    chosen, left_out = [], []
    for item in items:
        if is_portable(item.path) and not any(map(item.get_closest_marker, ("gl", "tree"))):
            item.add_marker("portable")
        (chosen if (item.get_closest_marker("soak") is not None) == soak else left_out).append(item)
    config.hook.pytest_deselected(items=left_out)
    items[:] = chosen


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    """Collect no garbage amid collecting tests, near a million objects that stay."""
    gc.disable()


def pytest_collection_finish() -> None:
    _freeze()
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    if nextitem is None or nextitem.path != item.path:
        _freeze()


def _freeze() -> None:
    """Take what stays out of what each garbage collection looks through, which soon are seconds."""
    with warnings.catch_warnings():
        # Children in cycles are ended by objects of theirs, which need not come before their pipes here.
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def example_server() -> Iterator[ExampleServer]:
    with ExampleServer() as server:
        yield server


@pytest.fixture(autouse=True)
def drawing(request: pytest.FixtureRequest) -> None:
    """Skip what draws, marked ``gl``, where no OpenGL context can be made, with what to install."""
    if request.node.get_closest_marker("gl") is None:
        return
    from lissom.gpu._context import shared_context

    try:
        shared_context()
    except GpuError as error:
        pytest.skip(str(error))
