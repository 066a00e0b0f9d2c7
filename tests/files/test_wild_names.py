# SPDX-License-Identifier: MIT
"""Names of files reach reprs, notebooks, pages, errors, logs and warnings as escapes alone."""

import html
import html.parser
import logging
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lissom
from bvh_files import GOOD
from lissom._base.printable import file_name, printable, quoted

pytest.importorskip("PIL")
from wild_names import FILE, SCRIPT, WILD, unsafe, wild, written


@pytest.fixture(scope="module")
def character() -> lissom.Character:
    return lissom.load(wild().glb())


def test_the_helper_escapes_what_is_unsafe_and_nothing_else() -> None:
    assert (
        printable("Läufer 走る 👩\u200d🚀 می\u200cخواهم \u3000")
        == "Läufer 走る 👩\u200d🚀 می\u200cخواهم \u3000"
    )
    assert printable("a\x1b[0m\n\t\x00\x7f\x9b") == r"a\x1b[0m\n\t\x00\x7f\x9b"
    assert printable("\u202e\u2066\u200e\ufeff\u2028\ud800\U000e0001") == (
        r"\u202e\u2066\u200e\ufeff\u2028\ud800\U000e0001"
    )
    assert printable("abcdef", 3) == "abc..."
    assert quoted("n" * 100) == f"'{'n' * 60}...'"
    assert file_name("a\x1b\n\u202e走\udcff", 99) == "a___走\udcff"
    assert file_name("a\ud800\udfff走", 99) == "a__走"  # which no file's name can hold
    assert [file_name("走a", most) for most in (0, 2)] == ["", ""]  # below the bytes of one character
    assert [len(file_name("走" * 300, most).encode()) for most in (255, 254, 3)] == [255, 252, 3]


def test_the_names_themselves_are_kept(character: lissom.Character) -> None:
    assert list(character.clips) == [WILD, f"{WILD}2"]
    assert f"{WILD}1" in character.skeleton.names


def things(character: lissom.Character) -> Iterator[Any]:
    clip = character.clips[WILD]
    bake = lissom.bake(character, rate=10)
    mesh = character.mesh
    assert mesh is not None
    yield from (character, character.skeleton, mesh, character.skin, character.clips, clip, bake, bake.report)
    yield from (
        *mesh.parts,
        mesh.parts[0].texture,
        *character.repairs,
        clip.resampled(rate=5).report,
        bake.clips,
    )
    yield lissom.BakeRecord(WILD, WILD, WILD, "failed", message=WILD, path=WILD)
    yield lissom.BakeRecords([lissom.BakeRecord(WILD, WILD, WILD, "failed", message=WILD)])


class Tags(html.parser.HTMLParser):
    """Collects the tags of a page, whose scripts are ours alone."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        assert not any(name.startswith("on") for name, _ in attrs)


def test_reprs_and_notebooks(character: lissom.Character) -> None:
    shown = 0
    for thing in things(character):
        assert not unsafe(repr(thing)), type(thing)
        assert not unsafe(str(thing)), type(thing)
        for name in ("_repr_html_", "_repr_markdown_", "_repr_pretty_"):
            method = getattr(thing, name, None)
            page = method() if method is not None and name != "_repr_pretty_" else None
            if page is not None:
                shown += 1
                assert not unsafe(page), type(thing)
                assert "script" not in Tags(page).tags
                assert "<b>[bold]" not in page
    assert shown >= 6


def test_pages(character: lissom.Character, tmp_path: Path) -> None:
    plain = lissom.load(_plain().glb())
    for source, other in ((character, plain), (lissom.bake(character, rate=10), lissom.bake(plain, rate=10))):
        player = source.show(title=WILD)
        page = player.save(tmp_path / "page.html").read_text("utf-8")
        expected = other.show(title="arm").save(tmp_path / "plain.html").read_text("utf-8")
        assert SCRIPT not in page
        assert "onerror" not in page.replace(html.escape(SCRIPT), "")
        assert not unsafe(page, "\n\t") or unsafe(page, "\n\t") == unsafe(expected, "\n\t")
        assert Tags(page).tags == Tags(expected).tags
        frame = player._repr_mimebundle_()["text/html"]
        assert not unsafe(frame, "\n\t") or unsafe(frame, "\n\t") == unsafe(expected, "\n\t")


def _plain() -> Any:
    file = wild()
    for node in file.json["nodes"]:
        node["name"] = node["name"].replace(WILD, "n")
    for number, clip in enumerate(file.json["animations"]):
        clip["name"] = f"clip{number}"
    return file


ERRORS = {
    "an unknown clip": lambda c: c.clips["Walk"],
    "an unknown joint": lambda c: c.skeleton.index("Hips"),
    "an unknown part": lambda c: c.without("Hat"),
    "a wrong wild name": lambda c: c.clips[f"{WILD}3"],
    "a bake without a clip": lambda c: lissom.bake(c, "Walk"),
    "a chain": lambda c: lissom.ik.Chain(c, WILD),
    "an error out of reach": lambda c: lissom.bake(c, max_error=1e-12),
}


@pytest.mark.parametrize("what", ERRORS)
def test_errors(character: lissom.Character, what: str) -> None:
    with pytest.raises((KeyError, ValueError, TypeError)) as caught:
        ERRORS[what](character)
    assert not unsafe(str(caught.value))


def test_errors_of_files_with_wild_paths(tmp_path: Path) -> None:
    for suffix, data in (
        (".glb", wild().glb()[:-40]),
        (".gltf", b"{"),
        (".bvh", b"HIERARCHY\nROOT \x1b[0m\n"),
    ):
        path = tmp_path / f"{FILE}{suffix}"
        path.write_bytes(data)
        with pytest.raises((lissom.GltfError, lissom.BvhError)) as caught:
            lissom.load(path)
        assert not unsafe(str(caught.value))
        assert caught.value.path == path
    bake = tmp_path / f"{FILE}.safetensors"
    bake.write_bytes(b"no bake")
    with pytest.raises(ValueError, match="at least 8 bytes") as other:
        lissom.load_bake(bake)
    assert not unsafe(str(other.value))
    with pytest.raises(lissom.BvhError) as third:
        lissom.load_bvh(GOOD.replace("Leg", "\x1b[31m\u202e").replace("OFFSET 0 -4", "OFFSET x -4").encode())
    assert not unsafe(str(third.value))


@pytest.mark.gl
def test_logs_and_warnings(
    character: lissom.Character, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    file = wild()
    view = file.json["images"][0]["bufferView"]
    at = file.json["bufferViews"][view]["byteOffset"]
    file.binary[at : at + 8] = b"no image"
    with caplog.at_level(logging.DEBUG, "lissom"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        lissom.render(lissom.load(file.glb()), width=32, height=32)
        lissom.load(file.glb())._repr_html_()
        character.clips[WILD].to_bvh(tmp_path / "a.bvh")
        character.clips[WILD].mirrored(pairs={f"{WILD}1": f"{WILD}2"})
    assert "cannot be decoded" in caplog.text
    assert caught
    for message in (*(record.getMessage() for record in caplog.records), *(str(w.message) for w in caught)):
        assert not unsafe(message)


def test_names_of_files_made_of_names(tmp_path: Path) -> None:
    source = written(tmp_path)
    job = lissom.BakeJob(source, tmp_path / "out", rate=10)
    (record,) = lissom.bake_many([job], workers=1)
    assert record.ok
    made = [path.name for path in (tmp_path / "out").rglob("*")]
    assert len(made) == 3
    assert not any(unsafe(name) for name in made)
