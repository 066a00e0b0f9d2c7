# SPDX-License-Identifier: MIT
"""Exports as folders: written whole or not at all, with their numbers beside them; and what is refused."""

import json
import os
import re
from urllib.parse import unquote, urljoin, urlsplit

import numpy as np
import pytest

import lissom
from lissom._export import export, vertices_files


@pytest.fixture(scope="module")
def bar():
    return lissom.samples.twisted_bar()


@pytest.fixture(scope="module")
def bake(bar):
    return lissom.bake(bar, "bend", rate=30)


def contents(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_the_folder_says_its_numbers(bake, tmp_path):
    report = bake.export("vertices", tmp_path / "bar", name="thing")
    files = contents(tmp_path / "bar")
    assert sorted(files) == ["README.md", "lissom-export.json", "thing.safetensors"]
    assert {name: len(files[name]) for name in report.files} == report.files
    told = json.loads(files["lissom-export.json"])
    assert told["form"] == report.form == "vertices"
    assert told["error"]["max"] == report.error.max
    assert told["clips"]["bend"]["max"] == report.clips["bend"].max
    assert f"{report.clips['bend'].max_relative:.3%}" in files["README.md"].decode()
    assert repr(report) == (
        f"<ExportReport: vertices, 1 file, {len(files['thing.safetensors'])} bytes, "
        f"error {report.error.max_relative:.2%} of size>"
    )


def test_an_earlier_export_is_replaced_and_nothing_is_left_over(bake, tmp_path):
    bake.export("vertices", tmp_path / "bar", name="old")
    bake.export("vertices", tmp_path / "bar", name="new")
    assert sorted(contents(tmp_path / "bar")) == ["README.md", "lissom-export.json", "new.safetensors"]
    assert os.listdir(tmp_path) == ["bar"]


def test_equal_bakes_make_equal_bytes(bake, tmp_path):
    for form, options in {"vertices": {}, "openvat": {"texture": "png16"}}.items():
        bake.export(form, tmp_path / "one", name="bar", **options)
        first = contents(tmp_path / "one")
        bake.export(form, tmp_path / "one", name="bar", **options)
        assert contents(tmp_path / "one") == first


def test_a_failed_export_leaves_the_earlier_one(bake, tmp_path, monkeypatch):
    bake.export("vertices", tmp_path / "bar")
    before = contents(tmp_path / "bar")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(vertices_files.safetensors, "write", full)
    with pytest.raises(OSError, match="No space left"):
        bake.export("vertices", tmp_path / "bar")
    assert contents(tmp_path / "bar") == before
    assert os.listdir(tmp_path) == ["bar"]


def test_folders_of_other_files_are_not_replaced(bake, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(FileExistsError, match="must be new, empty, or an earlier export"):
        bake.export("vertices", tmp_path / "mine")
    with pytest.raises(FileExistsError, match="must be a folder, got a file"):
        bake.export("vertices", tmp_path / "mine" / "notes.txt")
    with pytest.raises(FileNotFoundError, match=r"the folder .* does not exist"):
        bake.export("vertices", tmp_path / "no" / "such")
    assert contents(tmp_path / "mine") == {"notes.txt": b"mine"}


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"form": "opnvat"}, ValueError, "form: no form is named 'opnvat'; .*'openvat'"),
        (
            {"form": "vertices", "texture": "png16"},
            TypeError,
            "has the options file, dtype, normals, got 'texture'",
        ),
        ({"form": "vertices", "file": "zip"}, ValueError, "file must be one of safetensors, npz, got 'zip'"),
        ({"form": "vertices", "dtype": "float64"}, ValueError, "dtype must be one of float32, float16"),
        ({"form": "vertices", "normals": 1}, TypeError, "normals must be True or False, got int"),
        (
            {"form": "openvat", "texture": "jpg"},
            ValueError,
            "texture must be one of exr_half, exr_float",
        ),
        ({"form": "openvat", "normals": "below"}, ValueError, "normals must be separate, packed or None"),
        ({"form": "openvat", "side": 0}, ValueError, "side must be at least 1, got 0"),
        ({"form": "openvat", "rate": 0}, ValueError, "rate must be above zero"),
        ({"form": 3}, TypeError, "export: form must be a str, got int"),
        ({"form": "three", "name": 3}, TypeError, "export: name must be a str, got int"),
        ({"form": "three", "folder": None}, TypeError, "export: folder must be a path, got NoneType"),
        *(
            ({"form": "three", "name": name}, ValueError, "name must be the beginning of names of files")
            for name in ("a/b", "/a", "..", ".", "a\\b", "a\0b")
        ),
        *(
            ({"form": form, "count": 100_001}, ValueError, "count must be at most 100000, got 100001; put")
            for form in ("three", "babylon", "godot")
        ),
        ({"form": "openvat", "source": "bar"}, TypeError, "source must be a Character, got str"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_written(bake, tmp_path, options, error, words):
    with pytest.raises(error, match=words):
        bake.export(**{"folder": tmp_path / "bar"} | options)
    assert os.listdir(tmp_path) == []


def test_files_are_named_after_the_folder_wherever_it_is(bake, tmp_path, monkeypatch):
    (tmp_path / "bar").mkdir()
    for start, folder in ((tmp_path, "bar/x/.."), (tmp_path / "bar", ".")):
        monkeypatch.chdir(start)
        assert list(bake.export("vertices", folder).files) == ["bar.safetensors"]


NAMES = [
    '"Armature"|Gallop',
    "a `tick`",
    "_it_",
    "*all* <b>",
    "back\\slash",
    "two\nlines",
    'say "hi"',
    "it's",
]


def renamed(bar, names):
    """The bar with its clip "bend" under other names."""
    clips = [bar.clips["bend"].renamed(name) for name in names]
    return lissom.Character(bar.name, bar.skeleton, bar.mesh, bar.skin, clips)


@pytest.mark.parametrize(
    ("form", "options"),
    [
        ("three", {}),
        ("babylon", {}),
        ("babylon", {"player": "lissom"}),
        ("godot", {}),
        ("openvat", {"texture": "png16"}),
        ("unity", {}),
        ("unreal", {}),
        ("vertices", {}),
    ],
)
def test_names_of_clips_are_themselves_in_a_readme(bar, tmp_path, form, options):
    markdown = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable("table")
    lissom.bake(renamed(bar, NAMES), rate=10).export(form, tmp_path / "bar", **options)
    tokens = markdown.parse((tmp_path / "bar" / "README.md").read_text("utf-8"))
    inline = [token for token in tokens if token.type == "inline"]
    words = ["".join(child.content for child in token.children) for token in inline]
    spans = [child.content for token in inline for child in token.children if child.type == "code_inline"]
    cells = 2 if form == "unreal" or (form == "babylon" and not options) else 1  # in a table of its own, too
    for name in NAMES:
        line = " ".join(name.split())
        assert words.count(line) == cells, line
        assert spans.count(line) == (0 if form == "vertices" or cells == 2 else 1), line
    calls = [
        token.content for token in tokens if token.type == "code_block" and "lip" in token.content.lower()
    ]
    if form in ("three", "godot", "unity") or options.get("player"):
        assert json.dumps(NAMES[0]) in calls[-1]


@pytest.mark.parametrize("name", ["h#1", "h?1", "h%41", "h 1", "a:b"])
def test_pages_find_files_of_any_name(bake, tmp_path, name):
    """What a page fetches is an address: "#" and "?" end its path, "%41" is an "A" there."""
    for form, options in {"three": {}, "babylon": {}, "babylon, ours": {"player": "lissom"}}.items():
        folder = tmp_path / form / name
        folder.parent.mkdir()
        bake.export(form.split(",")[0], folder, **options)
        page = (folder / "index.html").read_text("utf-8")
        settings = json.loads(re.search(r'id="settings">(.*?)</script>', page)[1])
        addresses = [settings[key] for key in ("bake", "mesh", "texture") if key in settings]
        fetched = [urljoin("http://localhost/", address) for address in addresses]
        assert addresses
        for address in fetched:
            parts = urlsplit(address)
            assert (folder / unquote(parts.path.removeprefix("/"))).is_file(), address
            assert (parts.netloc, parts.query, parts.fragment) == ("localhost", "", "")
        readme = (folder / "README.md").read_text("utf-8")
        for address in addresses:
            assert f'("{address}"' in readme


def figure(vertices, triangles, times=(0.0, 1.0), loop=False):
    """A character of one joint, which moves along x."""
    rest = np.zeros((1, 10), np.float32)
    rest[:, 6:] = 1
    skeleton = lissom.Skeleton(["root"], [-1], rest)
    poses = np.repeat(rest[None], len(times), 0)
    poses[:, 0, 0] = np.linspace(0, 1, len(times))
    positions = np.random.default_rng(0).uniform(-1, 1, (vertices, 3)).astype(np.float32)
    weights = np.ones((vertices, 1), np.float32)
    mesh = lissom.Mesh(
        positions, np.reshape(triangles, (-1, 3)).astype(int), 0 * weights.astype(int), weights
    )
    clip = lissom.Clip.from_poses(skeleton, np.array(times), poses, name="go", loop=loop)
    skin = lissom.Skin([0], np.eye(4)[None])
    return lissom.Character("figure", skeleton, mesh, skin, [clip])


@pytest.mark.parametrize("form", export.FORMS)
def test_a_mesh_that_cannot_be_drawn_is_refused(tmp_path, form):
    for vertices in (0, 5):
        bake = lissom.bake(figure(vertices, []), rate=10)
        if vertices and form == "vertices":  # points are arrays as well
            assert bake.export(form, tmp_path / "points").error.max_relative < 0.01
            continue
        with pytest.raises(
            ValueError, match=f"^export: the mesh must have vertices and triangles, got {vertices} and 0; "
        ):
            bake.export(form, tmp_path / "it")
        assert not (tmp_path / "it").exists()


@pytest.mark.parametrize("form", export.FORMS)
def test_a_loop_of_one_frame_stands_still(tmp_path, form):
    still = figure(3, [0, 1, 2], times=(0.0,), loop=True)
    report = lissom.bake(still).export(form, tmp_path / "it", source=still)
    assert report.error.max_relative < 1e-4


def test_another_character_as_the_source_is_refused(bake, bar, tmp_path):
    with pytest.raises(ValueError, match="source: no clip is named 'bend'"):
        bake.export("vertices", tmp_path / "bar", source=lissom.samples.humanoid())
    small = lissom.Mesh(np.eye(3), [[0, 1, 2]], np.zeros((3, 1), int), np.ones((3, 1)))
    other = lissom.Character("small", bar.skeleton, small, bar.skin, bar.clips)
    with pytest.raises(ValueError, match=r"must be the character of the bake, of \d+ vertices, got one of 3"):
        bake.export("vertices", tmp_path / "bar", source=other)


def test_a_bake_without_a_mesh_is_refused(bar, tmp_path):
    bake = lissom.bake(bar, "bend", rate=30, include_mesh=False)
    with pytest.raises(ValueError, match="must have its mesh, got none; bake with include_mesh=True"):
        bake.export("vertices", tmp_path / "bar")


def test_against_the_bake_its_own_error_is_added(bake, bar, tmp_path):
    alone = bake.export("vertices", tmp_path / "bar")
    known = bake.export("vertices", tmp_path / "bar", source=bar)
    own = bake.clips["bend"].error.max
    assert alone.measured_against == "the bake, with its own error added"
    assert known.measured_against == "the source clips"
    assert alone.error.max >= own
    assert known.error.max <= alone.error.max + 1e-6
    for name in ("p99", "rms"):  # bounds of their own, not the largest error again
        assert getattr(known.error, name) <= getattr(alone.error, name) + 1e-6
        assert getattr(alone.error, name) < 0.9 * alone.error.max
