# SPDX-License-Identifier: MIT
"""What the README and the docs show is run as shown."""

import re
from pathlib import Path

import pytest

import lissom
import research_motion
from conftest import asset
from example_server import PRELOADED, ExampleServer
from glb_contents import unskinned
from gltf_files import arm

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#]+)")


def blocks() -> list[tuple[str, str]]:
    """Every Python block, with page and line for the test's name; one where a page is one story."""
    result = []
    for page in PAGES:
        text = page.read_text()
        if "<!-- One story" in text:
            result.append((str(page.relative_to(ROOT)), "\n".join(BLOCK.findall(text))))
            continue
        for match in BLOCK.finditer(text):
            line = text.count("\n", 0, match.start()) + 2
            result.append((f"{page.relative_to(ROOT)}:{line}", match[1]))
    return result


@pytest.mark.gl
@pytest.mark.parametrize(("place", "code"), [pytest.param(*block, id=block[0]) for block in blocks()])
def test_example_runs_as_shown(place: str, code: str, example_server: ExampleServer, tmp_path: Path) -> None:
    # The folder is empty, except for what the reader of the example has by its own words.
    asks_for_files = '"characters"' in code
    if asks_for_files:
        (tmp_path / "characters").mkdir()
        (tmp_path / "characters" / "arm.glb").write_bytes(arm().glb())
    for name in set(re.findall(r'load_bvh\("([^"]+)"', code)):
        (tmp_path / name).symlink_to(asset(f"bvh/{name}"))
    if '"wolf.glb"' in code:
        (tmp_path / "wolf.glb").symlink_to(asset("characters/quaternius/animals_pack/Wolf.glb"))
    if '"knight.glb"' in code:
        (tmp_path / "knight.glb").symlink_to(ROOT / "tests" / "data" / "characters" / "kaykit" / "Knight.glb")
    if "load_amass(" in code:
        research_motion.write_all(tmp_path)
    if '"unskinned.glb"' in code:
        (tmp_path / "unskinned.glb").write_bytes(unskinned(lissom.save_glb(lissom.samples.humanoid())))
    for package, module in re.findall(rf"\b({'|'.join(PRELOADED)})\.(\w+)", code):
        assert re.search(rf"^\s*(import|from) {package}\.{module}\b", code, re.MULTILINE), (
            f"{package}.{module}"
        )
    done = example_server.run(code, tmp_path)
    assert done.returncode == 0, f"{place}\n{done.output}"
    if asks_for_files:
        assert list((tmp_path / "baked").glob("arm-*.safetensors"))


def test_readme_opens_with_pictures_and_one_short_example() -> None:
    text = (ROOT / "README.md").read_text()
    opening = text[: text.index("## Explore")]
    assert len(re.findall(r"!\[[^\]]+\]\(docs/pictures/\w+\.png\)", opening)) == 2
    assert "make demo" in text
    assert "make test" in text
    assert len(BLOCK.findall(opening)) == 1
    assert all(len(example.strip().splitlines()) <= 12 for example in BLOCK.findall(text))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text()):
        assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_number_is_one_of_the_benchmarks_page() -> None:
    text = (ROOT / "README.md").read_text()
    numbers = text[text.index("## Numbers") : text.index("## Limits")]
    rows = re.findall(r"^\| .*\d.* \|$", numbers, re.MULTILINE)
    page = (ROOT / "docs" / "project" / "benchmarks.md").read_text().splitlines()
    assert rows
    assert not [row for row in rows if row not in page]


def test_every_promise_names_tests_and_commands_that_exist() -> None:
    text = (ROOT / "docs" / "project" / "promises.md").read_text()
    named = set(re.findall(r"\btests/[\w/.]*\w", text))
    rows = re.findall(r"^\| P\d+ \|.*\|$", text, re.MULTILINE)
    assert len([row for row in rows if re.search(r"\btests/|`make |SECURITY", row)]) == len(rows) > 0
    assert not [name for name in named if not (ROOT / name).exists()]
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    commands = set(re.findall(r"\bmake ([a-z][\w-]*)", " ".join(re.findall(r"`([^`]*)`", text))))
    assert commands
    assert not commands - set(targets)


def test_pictures_are_small() -> None:
    pictures = sorted((ROOT / "docs" / "pictures").glob("*.png"))
    assert pictures
    assert max(picture.stat().st_size for picture in pictures) < 250_000  # the crowd; others are half of that
