# SPDX-License-Identifier: MIT
"""The kernel's side of files that are dropped in a notebook."""

import json

import numpy as np
import pytest

import lissom
from bvh_files import GOOD
from lissom._base.extras import require
from lissom._viewer import drop_target
from lissom._viewer.drop_names import MOST_UPLOAD


@pytest.fixture(scope="module")
def glb(tmp_path_factory):
    path = tmp_path_factory.mktemp("drop") / "tube.glb"
    lissom.save_glb(lissom.samples.two_bone_tube(), path)
    return path.read_bytes()


def begin(name, size, identifier="a"):
    return {"kind": "begin", "id": identifier, "name": name, "size": size}


def send(target, name, data, step=1 << 20):
    """Send a file as a view does, and return the last answer."""
    answer, buffers = target._answer(begin(name, len(data)), [])
    while answer["kind"] == "more":
        at = answer["at"]
        piece = memoryview(data[at : at + step])
        answer, buffers = target._answer({"kind": "piece", "id": answer["id"]}, [piece])
    return answer, buffers


def test_a_file_becomes_a_character_and_a_bundle(glb):
    target = lissom.DropTarget()
    assert repr(target) == "DropTarget(nothing yet)"
    assert target._answer({"kind": "hello"}, []) is None
    answer, (bundle,) = send(target, "my tube.glb", glb, step=1000)
    assert answer == {"kind": "bundle", "id": "a"}
    assert b'"positions"' in bundle[8 : 8 + int.from_bytes(bundle[:8], "little")]
    assert target.character.name == "my tube"
    wanted = lissom.load(glb).mesh.positions
    np.testing.assert_array_equal(target.character.mesh.positions, wanted)
    assert repr(target) == "DropTarget('my tube')"
    assert target._answer({"kind": "hello"}, []) == ({"kind": "bundle"}, [bundle])  # a view that comes later


def test_motion_capture_is_taken_too():
    target = lissom.DropTarget()
    send(target, "walk.BVH", GOOD.encode())
    assert target.character.name == "walk"


def test_a_bad_file_is_a_sentence_and_the_last_character_stays(glb):
    target = lissom.DropTarget()
    send(target, "good.glb", glb)
    kept = target.character
    with pytest.raises(ValueError, match=r"^evil<b>\.glb: ") as refused:
        send(target, "../../evil<b>.glb", b"glTF\2\0\0\0\x20\0\0\0 not a chunk")
    assert "/tmp" not in str(refused.value)
    assert str(refused.value).endswith("32 bytes, got 1953459764")  # without a code, which is for programs
    with pytest.raises(ValueError, match=r"^empty\.glb: "):
        send(target, "empty.glb", b"")
    assert target.character is kept


def test_what_is_too_large_or_of_another_kind_is_refused_before_it_is_sent():
    target = lissom.DropTarget()
    with pytest.raises(ValueError, match=r"huge\.glb: has 200 MB, and at most 134 MB can be dropped"):
        target._answer(begin("huge.glb", 200 * 10**6), [])
    with pytest.raises(ValueError, match=r"x\.txt: cannot be shown; drop a \.glb, .* or \.bvh file"):
        target._answer(begin("x.txt", 10), [])
    for size in (-1, 1.5, "9", None, True):
        with pytest.raises((ValueError, TypeError), match="DropTarget: size must be"):
            target._answer(begin("x.glb", size), [])
    answer, _ = target._answer(begin("x.glb", MOST_UPLOAD), [])
    assert answer == {"kind": "more", "id": "a", "at": 0}
    assert len(target._upload.data) == 0  # nothing is set aside for what was only announced


def test_more_bytes_than_were_told_are_refused():
    target = lissom.DropTarget()
    target._answer(begin("x.glb", 4), [])
    with pytest.raises(ValueError, match=r"x\.glb: has more bytes than the 4 that were told"):
        target._answer({"kind": "piece", "id": "a"}, [b"glTF!"])


def test_pieces_of_another_file_and_unknown_messages_are_passed_over(glb):
    target = lissom.DropTarget()
    assert target._answer({"kind": "piece", "id": "a"}, [b"x"]) is None
    target._answer(begin("x.glb", len(glb), "a"), [])
    target._answer(begin("y.glb", len(glb), "b"), [])
    assert target._answer({"kind": "piece", "id": "a"}, [glb]) is None
    assert target._answer({"kind": "dance"}, []) is None
    assert target._answer({"kind": "piece", "id": "b"}, [glb])[0]["kind"] == "bundle"
    assert target.character.name == "y"


def test_a_gltf_reads_no_file_of_this_machine():
    text = {"asset": {"version": "2.0"}, "buffers": [{"uri": "/etc/passwd", "byteLength": 4}]}
    text |= {"bufferViews": [{"buffer": 0, "byteLength": 4}], "nodes": [{"mesh": 0}]}
    text |= {"accessors": [{"bufferView": 0, "componentType": 5121, "count": 4, "type": "SCALAR"}]}
    text |= {"meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}]}
    with pytest.raises(ValueError, match=r"^x\.gltf: "):
        send(lissom.DropTarget(), "x.gltf", json.dumps(text).encode())


def test_a_gltf_is_told_that_it_comes_alone():
    text = {"asset": {"version": "2.0"}, "buffers": [{"uri": "beside.bin", "byteLength": 36}]}
    text |= {"bufferViews": [{"buffer": 0, "byteLength": 36}], "nodes": [{"mesh": 0}]}
    text |= {"accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}]}
    text["accessors"][0] |= {"min": [0, 0, 0], "max": [1, 1, 1]}
    text |= {"meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}]}
    with pytest.raises(ValueError, match=r"a dropped file comes alone; lissom view opens it from its place$"):
        send(lissom.DropTarget(), "x.gltf", json.dumps(text).encode())


def test_errors_go_to_the_view_and_end_the_upload(monkeypatch):
    pytest.importorskip("anywidget")
    target = lissom.DropTarget(height=300)
    said = []
    monkeypatch.setattr(target.widget, "send", lambda *message: said.append(message))
    target.widget._listen(target.widget, begin("x.glb", 4), [])
    target.widget._listen(target.widget, {"kind": "piece", "id": "a"}, [b"glTF!"])
    assert said[-1][0]["kind"] == "error"
    assert target._upload is None
    assert target.widget.options["height"] == 300
    assert "text/plain" in target._repr_mimebundle_()


def test_without_the_extra_it_says_what_to_install(monkeypatch):
    drop_target._widget_class.cache_clear()

    def missing(module, extra, feature):
        return require("no_such_module_anywhere", extra, feature)

    monkeypatch.setattr(drop_target, "require", missing)
    shown = lissom.DropTarget()._repr_mimebundle_()
    assert set(shown) == {"text/plain"}
    assert 'pip install "lissom[jupyter]"' in shown["text/plain"]
    with pytest.raises(ImportError):
        lissom.DropTarget().widget  # noqa: B018
