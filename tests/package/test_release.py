# SPDX-License-Identifier: MIT
"""What a release is made of: one version, an sdist that builds anywhere, wheels for each platform."""

import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.tree
ROOT = Path(__file__).resolve().parents[2]


def text_of(place: str) -> str:
    return (ROOT / place).read_text("utf-8")


PROJECT = tomllib.loads(text_of("pyproject.toml"))
VERSION = PROJECT["project"]["version"]


def test_the_version_is_one() -> None:
    """CMake and lissom.__version__ get it from pyproject.toml; other formats need it written out."""
    found = {
        "CITATION.cff": re.findall(r"^version: (.+)$", text_of("CITATION.cff"), re.MULTILINE),
        "CHANGELOG.md": re.findall(r"^## (\S+)", text_of("CHANGELOG.md"), re.MULTILINE)[:1],
    }
    for package in (ROOT / "packages").glob("*/package.json"):
        found[package.parent.name] = [json.loads(package.read_text("utf-8"))["version"]]
    assert len(found) >= 4
    assert found == {place: [VERSION] for place in found}
    assert VERSION not in text_of("CMakeLists.txt")


def uv() -> Path:
    path = Path(sys.executable).with_name("uv")
    if not path.exists():
        pytest.skip("uv is not installed beside this Python; `make test` has it")
    return path


def run(*command: object, cwd: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        [*map(str, command)], capture_output=True, text=True, cwd=cwd, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    python = "--no-build-isolation", "--python", sys.executable
    run(uv(), "build", "--sdist", *python, "-o", folder, ROOT, cwd=folder)
    (path,) = folder.glob("*.tar.gz")
    return path


def test_the_sdist_holds_what_git_tracks_of_the_package(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    tracked = run("git", "ls-files", "-z", cwd=ROOT).rstrip("\0").split("\0")
    folders = ("src/", "python/", "shaders/", "packages/", "tests/")
    needed = (*folders, "CMakeLists.txt", "pyproject.toml", "LICENSE", "THIRD_PARTY.md", "README.md")
    assert not [name for name in tracked if name.startswith(needed) and name not in names]
    others = (".ci/", ".github/", "docs/", "notebooks/", "benchmarks/", "build/", ".venv/")
    assert not [name for name in names if name.startswith(others)]


@pytest.mark.soak
def test_the_sdist_builds_into_a_wheel_that_works(sdist: Path, tmp_path: Path) -> None:
    """In a folder of its own, with build requirements of its own: as pip does where there is no wheel."""
    run(uv(), "build", "--wheel", "--python", sys.executable, "-o", tmp_path, sdist, cwd=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    run(uv(), "venv", "--python", sys.executable, "venv", cwd=tmp_path)
    run(uv(), "pip", "install", "--python", "venv/bin/python", wheel, cwd=tmp_path)
    said = run("venv/bin/python", "-I", ROOT / "tests" / "smoke.py", cwd=tmp_path)
    assert said.startswith(f"lissom {VERSION} works")


def test_the_page_of_platforms_has_a_row_for_each_kind_of_wheel() -> None:
    page, workflow = text_of("docs/project/platforms.md"), text_of(".github/workflows/wheels.yml")
    options = PROJECT["tool"]["cibuildwheel"]
    oldest_mac = options["macos"]["environment"]["MACOSX_DEPLOYMENT_TARGET"].replace(".", "_")
    linux = {
        f"{options['linux'][f'{libc}-{cpu}-image']}_{cpu}"
        for libc in ("manylinux", "musllinux")
        for cpu in ("x86_64", "aarch64")
    }
    told = set(re.findall(r"^\| .+? \| `(\w+)` \| \w", page, re.MULTILINE))
    assert told == linux | {f"macosx_{oldest_mac}_{cpu}" for cpu in ("arm64", "x86_64")} | {"win_amd64"}
    runners = set(re.findall(r"os: ([\w.-]+) }", workflow))
    assert runners == {"ubuntu-24.04", "ubuntu-24.04-arm", "macos-15", "macos-15-intel", "windows-2022"}
    pythons = [f"3.{minor}" for minor in re.findall(r"cp3(\d+)", options["build"])]
    assert f"CPython {pythons[0]} to {pythons[-1]}" in page
