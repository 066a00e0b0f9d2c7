# SPDX-License-Identifier: MIT
"""Calls without the parser of options: the same as with it, and none of its imports."""

import subprocess
import sys

import pytest

from cli.files import BAR
from lissom.cli.plain_call import plain_call

SAME = [
    ("info", "bar"),
    ("info", "bar", "--json"),
    ("info", "--json", "sample:twisted_bar"),
    ("info", "no such file.glb"),
    ("info", ""),
    ("validate", "bar"),
    ("validate", "bar", "no such file.glb"),
    ("validate", "--json", "bar", "tube"),
]


@pytest.mark.parametrize("arguments", SAME, ids=" ".join)
def test_plain_calls_do_what_parsed_ones_do(run, arguments: tuple[str, ...]) -> None:
    assert plain_call(arguments) is not None
    command, *rest = arguments
    options, files = [[one for one in rest if (one == "--json") is given] for given in (True, False)]
    parsed = (command, *options, "--", *files)  # which only the parser takes
    assert plain_call(parsed) is None
    plain, expected = run(*arguments), run(*parsed)
    assert (plain.code, plain.out, plain.err) == (expected.code, expected.out, expected.err)


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("info",),
        ("validate", "--json"),
        ("info", "bar", "tube"),
        ("info", "bar", "-h"),
        ("info", "bar", "--js"),
        ("info", "bar", "--roles", "roles.toml"),
        ("validate", "-v", "bar"),
        ("show", "bar"),
        ("--version", "info"),
        ("--help",),
    ],
    ids=" ".join,
)
def test_other_calls_are_parsed(arguments: tuple[str, ...]) -> None:
    assert plain_call(arguments) is None


def test_shells_that_complete_are_answered_by_the_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_LISSOM_COMPLETE", "complete_bash")
    assert plain_call(("info", "bar")) is None


def test_an_interrupted_plain_call_ends_as_a_parsed_one(run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("lissom.cli.info.sources.load", interrupted)
    plain, parsed = run("info", "bar"), run("info", "--", "bar")
    assert (plain.code, plain.out, plain.err) == (parsed.code, parsed.out, parsed.err) == (130, "", "")


@pytest.mark.parametrize("arguments", [["--version"], ["info", BAR], ["validate", BAR]])
def test_plain_calls_import_no_parser(arguments: list[str]) -> None:
    code = (
        "import sys\nfrom lissom.cli import main\ntry:\n    main(sys.argv[1:])\nfinally:\n"
        "    found = [name for name in ('typer', 'pydantic', 'numpy.ma') if name in sys.modules]\n"
        "    print(found, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    assert done.stderr == "[]\n"
