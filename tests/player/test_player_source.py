# SPDX-License-Identifier: MIT
"""The player's text as pages and widgets carry it."""

import re
import shutil
import subprocess

import pytest

from lissom._base.stripped import stripped, tightened
from lissom._playground import widget
from lissom.gpu._loader import shader_folder
from lissom.player import _source as source
from lissom.player._source import player_css, player_script


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a; // b\n\n  c; /* d\n e */ f;", "a;\nc;\nf;"),
        ('x = "// no"; // yes', 'x = "// no";'),
        ("x = '/* no */';", "x = '/* no */';"),
        ("x = `a\n  // no\n` // yes", "x = `a\n  // no\n`"),
        (r'x = "\"// no";', r'x = "\"// no";'),
        ("x = s.replace(/\"\\/\\/['/]/g, 1); // yes", "x = s.replace(/\"\\/\\/['/]/g, 1);"),
        ("x = a / b; // 'yes\ny = c / d;", "x = a / b;\ny = c / d;"),
        ("// it's\nx = 'a';", "x = 'a';"),
    ],
)
def test_comments_go_and_strings_stay(text, left):
    assert stripped(text) == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("const a = [1, 2];\nif (a < -1) b = c + +d;", "const a=[1,2];if(a<-1)b=c + +d;"),
        ("x = a - -b; y = a-- - b; z = a + ++b;", "x=a - -b;y=a-- - b;z=a + ++b;"),
        ("x = y\n[1, 2].map(f)\n(g)", "x=y\n[1,2].map(f)\n(g)"),  # no line is joined that was one of its own
        ('x = "a = b";\ny = `c = ${d}`;', 'x="a = b";y=`c = ${d}`;'),
        (
            "S = `\n  #define A (b)\n  #if A > 1\n  x = y;\n  #endif\n  z;\n`;",
            "S=`\n#define A (b)\n#if A > 1\nx=y;\n#endif\nz;`;",
        ),
    ],
)
def test_blanks_go_where_code_stays_the_same(text, left):
    assert tightened(text) == left


def test_script_is_one_scope_that_gives_what_pages_call():
    script = player_script("drop.js", "page.js")
    assert script.startswith('"use strict";const lissom=(()=>{')
    assert re.search(r"return\{[\w,]*startPage\};\n\}\)\(\);$", script)
    assert "SPDX" not in script
    assert "startPage" not in player_script()


def test_script_holds_the_shaders_it_names():
    script = player_script()
    for name in set(re.findall(r'"(player_\w+\.(?:vert|frag))"', script)):
        assert (shader_folder() / name).is_file()
    assert "#version" not in script.split("\n")[1]
    assert "#line" not in script
    assert "#include" not in script


def test_every_file_of_the_folder_is_used():
    folder = source.resources.files("lissom.player") / "js"
    there = {path.name for path in folder.iterdir()}
    assert there == {*source.SOURCES, *widget.SOURCES, "drop.js", "drop_target.js", "page.js", "view.js"}


def test_styles_have_no_comments():
    assert "/*" not in player_css("page.css")
    assert "lissom-page" in player_css("page.css")


def test_script_is_javascript(tmp_path):
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    path = tmp_path / "player.js"
    path.write_text(player_script("drop.js", "page.js"))
    subprocess.run([node, "--check", path], check=True, timeout=60)
