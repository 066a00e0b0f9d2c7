# SPDX-License-Identifier: MIT
"""What the docs do by extensions of their own: notebooks as pages and a gallery, formulas, linked names."""

import base64
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("sphinx", reason="the group `docs` installs Sphinx")
Image = pytest.importorskip("PIL.Image", reason="the extra `gl` installs Pillow")

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture
def extension(request: pytest.FixtureRequest) -> Iterator[Any]:
    """One of the modules in docs/, by the name in the mark."""
    sys.path.insert(0, str(DOCS))
    yield pytest.importorskip(request.param)
    sys.path.remove(str(DOCS))


def notebook(*cells: dict[str, Any]) -> str:
    return json.dumps({"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def picture(width: int, height: int) -> dict[str, Any]:
    out = io.BytesIO()
    Image.new("RGB", (width, height), (200, 40, 40)).save(out, "PNG")
    data = {"image/png": base64.b64encode(out.getvalue()).decode()}
    output = {"output_type": "display_data", "data": data, "metadata": {}}
    return {
        "cell_type": "code",
        "metadata": {},
        "source": "show()",
        "outputs": [output],
        "execution_count": 1,
    }


@pytest.mark.parametrize("extension", ["gallery"], indirect=True)
def test_a_card_shows_a_figure_before_charts_and_what_is_small(extension: Any) -> None:
    chart, small, figure, embedded = (picture(width, 300) for width in (700, 200, 600, 500))
    chart["outputs"][0]["data"]["text/plain"] = "<Figure size 700x300 with 1 Axes>"
    encoded = embedded["outputs"][0]["data"].pop("image/png")
    embedded["outputs"][0]["data"]["text/html"] = f'<div><img src="data:image/png;base64,{encoded}"></div>'
    cells = json.loads(notebook(chart, small, figure, embedded))
    widths = [Image.open(io.BytesIO(one)).width for one in extension.pictures(cells)]
    assert widths == [600, 500, 700, 200]


@pytest.mark.parametrize("extension", ["gallery"], indirect=True)
def test_a_card_shows_the_picture_of_html_where_the_png_beside_it_is_smaller(extension: Any) -> None:
    both, large = picture(360, 180), picture(720, 360)
    encoded = large["outputs"][0]["data"]["image/png"]
    both["outputs"][0]["data"]["text/html"] = f'<img src="data:image/png;base64,{encoded}">'
    (found,) = extension.pictures(json.loads(notebook(both)))
    assert Image.open(io.BytesIO(found)).width == 720


@pytest.mark.parametrize("extension", ["gallery"], indirect=True)
def test_notebooks_become_pages_with_a_card_each(extension: Any, tmp_path: Path) -> None:
    executed, pages = tmp_path / "executed", tmp_path / "pages"
    executed.mkdir()
    words = "# Two bones\n\n**You will learn** why [it](../docs/concepts/skinning.md) bends.\n\nMore."
    (executed / "02-bones.ipynb").write_text(notebook(markdown(words), picture(1200, 300)))
    (executed / "01-plain.ipynb").write_text(notebook(markdown("# Plain\n\nSee [a](../tests/a.py).")))
    extension.make(executed, pages)
    index = (pages / "index.md").read_text()
    assert index.index("01-plain") < index.index("02-bones")
    assert "**[Two bones](02-bones.ipynb)**\n\nWhy it bends.\n" in index
    assert "[![Two bones](02-bones.png)](02-bones.ipynb)" in index
    assert "01-plain.png" not in index
    with Image.open(pages / "02-bones.png") as small:
        assert small.size == (640, 160)
    shown = json.loads((pages / "02-bones.ipynb").read_text())["cells"][0]["source"]
    assert "(../concepts/skinning.md)" in shown
    assert "(../../tests/a.py)" in (pages / "01-plain.ipynb").read_text()


@pytest.mark.parametrize("extension", ["gallery"], indirect=True)
def test_a_widget_is_its_picture_for_no_kernel_runs(extension: Any, tmp_path: Path) -> None:
    executed, pages = tmp_path / "executed", tmp_path / "pages"
    executed.mkdir()
    cell = picture(10, 10)
    cell["outputs"][0]["data"]["application/vnd.jupyter.widget-view+json"] = {"model_id": "1"}
    live = json.loads(notebook(markdown("# A"), cell)) | {"metadata": {"widgets": {"state": {}}}}
    (executed / "01-a.ipynb").write_text(json.dumps(live))
    extension.make(executed, pages)
    page = (pages / "01-a.ipynb").read_text()
    assert "image/png" in page
    assert "widget" not in page


@pytest.mark.parametrize("extension", ["gallery"], indirect=True)
def test_what_is_gone_goes_and_none_is_no_error(extension: Any, tmp_path: Path) -> None:
    executed, pages = tmp_path / "executed", tmp_path / "pages"
    executed.mkdir()
    (executed / "01-a.ipynb").write_text(notebook(markdown("# A"), picture(10, 10)))
    extension.make(executed, pages)
    written = (pages / "index.md").stat().st_mtime_ns
    extension.make(executed, pages)
    assert (pages / "index.md").stat().st_mtime_ns == written  # Sphinx need not read it again
    (executed / "01-a.ipynb").unlink()
    extension.make(executed, pages)
    assert {path.name for path in pages.iterdir()} == {"index.md"}
    assert "toctree" not in (pages / "index.md").read_text()
    extension.make(tmp_path / "nowhere", pages)


@pytest.mark.parametrize("extension", ["notebook_uses"], indirect=True)
@pytest.mark.parametrize(
    ("name", "code", "used"),
    [
        ("lissom.bake", "bake = lissom.bake(hero)", True),
        ("lissom.bake", "bake.save(path)", False),
        ("lissom.ik.fabrik", "done = ik.fabrik(chain, pose, target)", True),
        ("lissom.gpu.Crowd", "with Crowd(bake, 9) as crowd:", True),
        ("lissom.gpu.Crowd", "with Crowded(bake, 9) as crowd:", False),
    ],
)
def test_notebooks_that_use_an_object_are_found(extension: Any, name: str, code: str, used: bool) -> None:
    assert extension.uses(name, code) is used


@pytest.mark.parametrize("extension", ["mathml"], indirect=True)
def test_bold_letters_are_characters(extension: Any) -> None:
    assert "\N{MATHEMATICAL BOLD SMALL V}" in extension.markup(r"\mathbf v \times p")
    assert 'display="block"' in extension.markup("a", "block")


@pytest.mark.parametrize("extension", ["linked_names"], indirect=True)
@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("CrossFade", "lissom.CrossFade"),
        ("Clip.sample", "lissom.Clip.sample"),
        ("lissom.blend", "lissom.blend"),
        ("blend_layers(poses, weights)", "lissom.blend_layers"),
        ("FootPlacement", "lissom.ik.FootPlacement"),
        ("blend", None),  # may be a parameter
        ("dual_quat", None),  # a layout and a method, too
        ("lissom.dual_quat", "lissom.dual_quat"),
        ("clip.sample", None),
        ("a + b", None),
    ],
)
def test_names_that_can_mean_nothing_else_are_found(extension: Any, text: str, name: str | None) -> None:
    known = ("CrossFade", "Clip.sample", "blend", "blend_layers", "ik.FootPlacement")
    objects = {f"lissom.{name}": SimpleNamespace(objtype="function") for name in known}
    objects["lissom.dual_quat"] = SimpleNamespace(objtype="module")
    assert extension.found(text, objects) == name
