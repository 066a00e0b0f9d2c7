# SPDX-License-Identifier: MIT
"""Files that are dropped onto the page."""

import json

import pytest

import lissom
from bvh_files import GOOD
from lissom._viewer import desk as desk_module
from lissom._viewer.drop_names import MOST_UPLOAD
from viewer.asking import ask, connected, drop, files, origin, parsed, received, secret


@pytest.fixture(scope="module")
def glb(tmp_path_factory):
    path = tmp_path_factory.mktemp("drop") / "tube.glb"
    lissom.save_glb(lissom.samples.two_bone_tube(), path)
    return path.read_bytes()


def test_a_dropped_file_is_shown_before_the_others(tube, glb):
    answer = drop(tube, "my%20tube.GLB", glb)
    assert answer.status == 200
    key = json.loads(answer.body)["key"]
    assert files(tube)["files"][0] == [key, "my tube.GLB"]
    assert ask(tube, f"bundle/{key}").is_bundle
    assert not any(tube._server.folder.iterdir())


def test_all_kinds_of_files_are_taken(tube, tmp_path):
    bake = tmp_path / "bake.safetensors"
    lissom.bake(lissom.samples.two_bone_tube(), "twist", rate=10).save(bake)
    assert drop(tube, "bake.safetensors", bake.read_bytes()).status == 200
    assert drop(tube, "walk.bvh", GOOD.encode()).status == 200


def test_a_bad_file_is_one_sentence_under_its_own_name(tube):
    answer = drop(tube, "..%2F..%2Fevil%3Cscript%3E.glb", b"glTF\2\0\0\0\x20\0\0\0 not a chunk")
    assert answer.is_fault
    assert answer.sentence.startswith("evil<script>.glb: ")
    assert str(tube._server.folder) not in answer.sentence
    assert not any(tube._server.folder.iterdir())


@pytest.mark.parametrize("name", ["x.txt", "x", "..", "", "%00", "glb", "x.glb%2F", "x.exe%00.txt"])
def test_another_kind_is_refused_before_it_is_read(tube, name):
    answer = drop(tube, name, b"", {"Content-Length": "1000"})
    assert answer.status == 415
    assert answer.sentence.endswith("cannot be shown; drop a .glb, .gltf, .vrm, .bvh or .safetensors file")


def test_names_are_no_paths(tube, glb):
    for name in (
        "%2Ftmp%2Fx.glb",
        "..%5C..%5Cx.glb",
        "a%00b.glb",
        "%0D%0ASet-Cookie:a.glb",
        "x" * 5000 + ".glb",
    ):
        assert drop(tube, name, glb).status == 200
    assert not any(tube._server.folder.iterdir())


@pytest.mark.parametrize("size", [MOST_UPLOAD + 1, 200 * 10**6, 10**14])
def test_a_large_file_is_refused_before_it_is_read(tube, size):
    answer = drop(tube, "huge.glb", b"glTF", {"Content-Length": str(size)})
    assert answer.status == 413
    assert answer.sentence == (
        f"huge.glb: has {size / 1e6:.0f} MB, and at most 134 MB can be dropped; "
        "`lissom view` opens it from its place"
    )


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Length": None},
        {"Content-Length": "-1"},
        {"Content-Length": "+4"},
        {"Content-Length": "4.0"},
        {"Content-Length": "0x4"},
        {"Content-Length": ""},
        {"Content-Length": "9" * 30},
        {"Content-Length": None, "Transfer-Encoding": "chunked"},
        {"Transfer-Encoding": "chunked"},
    ],
)
def test_a_body_must_say_how_long_it_is(tube, headers):
    answer = drop(tube, "x.glb", b"4\r\nglTF\r\n0\r\n\r\n", headers)
    assert (answer.status, answer.sentence) == (411, "an upload must say how many bytes it has")


def test_a_body_that_breaks_off_leaves_nothing(tube):
    with connected(tube) as connection:
        head = (
            f"POST /{secret(tube)}/drop/x.glb HTTP/1.1\r\nHost: 127.0.0.1:{tube.port}\r\n"
            f"Origin: {origin(tube)}\r\nContent-Length: 1000\r\n\r\n"
        )
        connection.sendall(head.encode() + b"glTF")
        connection.shutdown(1)
        answer = parsed(received(connection))
    assert (answer.status, answer.sentence) == (400, "x.glb: was not sent whole")
    assert not any(tube._server.folder.iterdir())


def test_only_the_page_of_drops_takes_a_body(tube):
    for path in ("", "files", "bundle/two_bone_tube", "upload/x.glb"):
        answer = ask(tube, path, "POST", {"Origin": origin(tube), "Content-Length": "0"})
        assert answer.status == 404


def test_a_gltf_reads_no_file_of_this_machine(tube):
    text = {
        "asset": {"version": "2.0"},
        "buffers": [{"uri": "/etc/passwd", "byteLength": 4}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 1, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 12}],
    }
    for uri in ("/etc/passwd", "../bundle", "beside.bin"):
        text["buffers"][0]["uri"] = uri
        assert drop(tube, "x.gltf", json.dumps(text).encode()).is_fault


def test_old_drops_are_forgotten(tube, glb, monkeypatch):
    monkeypatch.setattr(desk_module, "MOST_DROPPED", 2)
    keys = [json.loads(drop(tube, f"{i}.glb", glb).body)["key"] for i in range(3)]
    assert [key for key, _ in files(tube)["files"]][:2] == keys[:0:-1]
    answer = ask(tube, f"bundle/{keys[0]}")
    assert (answer.status, answer.sentence) == (404, "it was dropped too long ago: drop it again")
