# SPDX-License-Identifier: MIT
"""The shader loader: includes once, circles refused, errors that name file and line, both headers."""

import pytest

from lissom.errors import GpuError
from lissom.gpu._loader import HEADERS, load_program, read_shader, shader_folder

PROGRAMS = [
    ("skinned_model.vert", "surface.frag"),
    ("skinned_model.vert", "contact_shadow.frag"),
    ("skinned_model.vert", "key_shadow.frag"),
    ("crowd.vert", "surface.frag"),
    ("crowd.vert", "key_shadow.frag"),
    ("crowd.vert", "contact_shadow.frag"),
    ("deformed.vert", "nothing.frag"),
    ("plane.vert", "ground.frag"),
    ("skinned_model.vert", "nothing.frag"),
    ("skinned_model.vert", "terrain_contact.frag"),
    ("crowd.vert", "nothing.frag"),
    ("crowd.vert", "terrain_contact.frag"),
    ("terrain.vert", "terrain.frag"),
    ("terrain.vert", "terrain_heights.frag"),
    ("terrain.vert", "nothing.frag"),
    ("plane.vert", "terrain.frag"),
    ("terrain_edges.vert", "terrain_edges.frag"),
    ("screen.vert", "blur.frag"),
    ("screen.vert", "plane_blur.frag"),
    ("skinned_model.vert", "impostor_bake.frag"),
    ("impostor.vert", "impostor.frag"),
    ("impostor.vert", "impostor_cover.frag"),
    ("impostor_blob.vert", "impostor_blob.frag"),
    ("screen.vert", "crowd_palette.frag"),
    ("crowd.vert", "player_edge.frag"),
    ("player_bones.vert", "surface.frag"),
    ("player_handle.vert", "surface.frag"),
    ("player_line.vert", "player_flat.frag"),
    ("player_triangle.vert", "player_flat.frag"),
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "include").mkdir()
    return tmp_path


def write(folder, **files):
    for name, text in files.items():
        stem, _, ending = name.rpartition("_")
        where = folder if ending in ("vert", "frag") else folder / "include"
        (where / f"{stem}.{ending}").write_text(text)


def test_includes_nest_and_come_once(folder):
    write(
        folder,
        a_glsl='#include "b.glsl"\nfloat a;\n',
        b_glsl="float b;\n",
        main_vert='#include "a.glsl"\n#include "b.glsl"\nvoid main() {}\n',
    )
    source = read_shader("main.vert", folder=folder)
    assert source.files == ("main.vert", "a.glsl", "b.glsl")
    assert source.text.startswith("#version 330 core\n")
    assert source.text.count("float b;") == 1
    assert source.text.index("float b;") < source.text.index("float a;") < source.text.index("void main")


def test_lines_carry_their_file(folder):
    write(folder, a_glsl="float a;\n\nfloat c;\n", main_vert='\n#include "a.glsl"\nvoid main() {}\n')
    lines = read_shader("main.vert", folder=folder).text.splitlines()
    assert lines == [
        "#version 330 core",
        "#line 1",
        "",
        "#line 10001",
        "float a;",
        "",
        "float c;",
        "#line 3",
        "void main() {}",
    ]


@pytest.mark.parametrize(
    ("said", "explained"),
    [
        ("0:10003(11): error: x", "a.glsl:3(11): error: x"),  # Mesa
        ("0(10003) : error C0000: x", "a.glsl:3 : error C0000: x"),  # NVIDIA
        ("ERROR: 0:10003: 'x' : y", "ERROR: a.glsl:3: 'x' : y"),  # ANGLE, Apple
        ("0:7(1): error", "main.vert:7(1): error"),
        ("0:990001(1): version 1.0: 10:0", "0:990001(1): version 1.0: 10:0"),
    ],
)
def test_places_in_messages_become_files_and_lines(folder, said, explained):
    write(folder, a_glsl="", main_vert='#include "a.glsl"\n')
    assert read_shader("main.vert", folder=folder).explain(said) == explained


def test_a_circle_is_refused(folder):
    write(folder, a_glsl='#include "b.glsl"\n', b_glsl='#include "a.glsl"\n', main_vert='#include "a.glsl"\n')
    with pytest.raises(ValueError, match=r"include circle: main.vert -> a.glsl -> b.glsl -> a.glsl"):
        read_shader("main.vert", folder=folder)


def test_a_missing_file_names_who_wants_it(folder):
    write(folder, main_vert='#include "none.glsl"\n')
    with pytest.raises(ValueError, match=r"no shader file .*none.glsl, included by main.vert"):
        read_shader("main.vert", folder=folder)


def test_an_unknown_version_is_refused():
    with pytest.raises(ValueError, match="version must be one of"):
        read_shader("surface.frag", "100")


def test_a_compile_error_names_the_include_and_its_line(context, folder):
    write(
        folder,
        good_glsl="float good() { return 1.0; }\n",
        bad_glsl="float fine;\n\nfloat bad() { return nowhere; }\n",
        main_vert='#include "good.glsl"\n#include "bad.glsl"\nvoid main() { gl_Position = vec4(bad()); }\n',
        nothing_frag="void main() {}\n",
    )
    with (
        context as gl,
        pytest.raises(GpuError, match=r"(?s)main.vert with nothing.frag .*bad.glsl:3\b.*nowhere"),
    ):
        load_program(gl, "main.vert", folder=folder)


def test_an_error_in_the_fragment_stage_names_its_file(context, folder):
    write(
        folder,
        main_vert="void main() { gl_Position = vec4(0.0); }\n",
        bad_frag="out vec4 c;\nvoid main() { c = nowhere; }\n",
    )
    with context as gl, pytest.raises(GpuError, match=r"bad.frag:2\b"):
        load_program(gl, "main.vert", "bad.frag", folder=folder)


@pytest.mark.parametrize("version", HEADERS)
@pytest.mark.parametrize(
    "defines",
    [
        {},
        {"INFLUENCE_COUNT": 8},
        {"PALETTE_STRIDE": 3},
        {"PALETTE_STRIDE": 5},
        {"POSE_DIRECT": 1},
        {"POSE_DIRECT": 1, "PALETTE_STRIDE": 3},
        {"POSE_DIRECT": 1, "PALETTE_STRIDE": 5},
    ],
)
@pytest.mark.parametrize(("vertex", "fragment"), PROGRAMS)
def test_every_program_compiles_under_both_headers(context, vertex, fragment, version, defines):
    with context as gl:
        load_program(gl, vertex, fragment, version=version, defines=defines).release()


def test_the_list_of_programs_is_whole():
    files = {path.name for path in shader_folder().glob("*.*")}
    assert files == {name for pair in PROGRAMS for name in pair}
