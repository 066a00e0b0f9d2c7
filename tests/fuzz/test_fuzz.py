# SPDX-License-Identifier: MIT
"""Broken files: the first seeds, and what `make fuzz` found before, on the extension as it is installed."""

import json
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="inputs are tried in forked children, which Windows has not")

from bases import bases
from explorer import BYTES, Outcome, explore
from journeys import JOURNEYS
from mutations import KINDS, case

CORPUS = sorted((Path(__file__).parent / "corpus").glob("*.bin"))


@pytest.mark.parametrize("kind", KINDS)
def test_good_files_come_to_the_end(kind: str) -> None:
    files = bases(kind)
    for outcome in explore(range(len(files)), lambda i: (kind, files[i])):
        assert (outcome.came, outcome.sign) in {("saved", ""), ("played", ""), ("baked", "")}, outcome.text


@pytest.mark.parametrize("seeds", [200, pytest.param(2000, marks=pytest.mark.soak)])
@pytest.mark.parametrize("kind", KINDS)
def test_broken_files_are_refused_or_work(kind: str, seeds: int) -> None:
    """Any seeds would do: the first ones everyday, more in soaks, and others by `make fuzz`."""
    bases(kind)
    first = KINDS.index(kind)
    outcomes = list(explore(range(first, first + seeds * len(KINDS), len(KINDS)), case))
    assert len(outcomes) == seeds
    assert [o for o in outcomes if o.sign] == []
    assert {o.came for o in outcomes} > {"refused"}


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_what_was_found_stays_mended(path: Path) -> None:
    record = json.loads(path.with_suffix(".json").read_text("utf-8"))
    (outcome,) = explore([0], lambda _: (record["kind"], path.read_bytes()))
    assert outcome.sign == "", outcome.text


@pytest.mark.parametrize(
    ("act", "sign"),
    [
        ("raise KeyError('a')", "KeyError in "),
        ("import signal, os; os.kill(os.getpid(), signal.SIGKILL)", "died: SIGKILL"),
        ("import signal, os; os.kill(os.getpid(), signal.SIGALRM)", "died: more than 10 s"),
        # More than the heap of a worker can have free, which the limit cannot see.
        (f"x = [bytearray({BYTES}) for _ in range(64)]", "MemoryError in "),
        ("import warnings; warnings.warn('x')", "UserWarning in "),
    ],
)
def test_faults_are_seen(monkeypatch: pytest.MonkeyPatch, act: str, sign: str) -> None:
    """And the inputs after a crash are tried all the same."""

    def fault(data: bytes, _: Path) -> str:
        if data == b"1":
            exec(act)
        return "done"

    monkeypatch.setitem(JOURNEYS, "glb", fault)
    outcomes: list[Outcome] = list(explore(range(3), lambda i: ("glb", str(i).encode())))
    assert [o.came for o in outcomes] == ["done", outcomes[1].came, "done"]
    assert outcomes[1].sign.startswith(sign)
