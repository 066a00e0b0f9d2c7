# SPDX-License-Identifier: MIT
"""The long arrays of a glTF, as the core reads them from the text and as the decoder does, are the same."""

from __future__ import annotations

import json
import random
from typing import Any

import msgspec
import numpy as np
import pytest

import lissom
from gltf_files import arm
from lissom._files.gltf import tables
from lissom._files.gltf.schema import Document

VALUES = (
    0, 1, 7, -1, 1.5, 1.0, 2**53, 2**53 + 1, 2**70, 1e300, True, False, None, "", "VEC3", "LINEAR",
    "rotation", "é", 'a"b', [], [0.5, "x", None], {}, {"count": 1}, {"node": 1, "path": "scale"},
)  # fmt: skip
NAMES = ("count", "type", "bufferView", "sparse", "target", "path", "node", "name", "normalized", "max", "é")


def by_decoder(text: bytes, monkeypatch: pytest.MonkeyPatch) -> tuple[Document, tables.Tables]:
    with monkeypatch.context() as patch:
        patch.setattr(tables, "_plain", lambda text: None)
        return tables.decode(text)


def assert_same(one: tuple[Document, tables.Tables], other: tuple[Document, tables.Tables]) -> None:
    assert msgspec.json.encode(one[0]) == msgspec.json.encode(other[0])
    for mine, theirs in zip(one[1], other[1], strict=True):
        assert mine.odd == theirs.odd
        np.testing.assert_array_equal(mine.counts, theirs.counts)
        for name, column in theirs.columns.items():
            np.testing.assert_array_equal(mine[name], column, name)


def document() -> dict[str, Any]:
    root: dict[str, Any] = json.loads(arm().text())
    root["accessors"][0] |= {"normalized": True, "name": "first", "min": [0, -1.5e-7], "extras": {"a": [{}]}}
    root["accessors"].append(
        {
            "componentType": 5126,
            "count": 9,
            "type": "VEC3",
            "sparse": {
                "count": 2,
                "indices": {"bufferView": 0, "componentType": 5121},
                "values": {"bufferView": 1, "byteOffset": 4},
            },
        }
    )
    root["bufferViews"][0] |= {"byteStride": 12, "target": 34962, "extensions": {"EXT_other": {}}}
    return root


def test_tables_of_plain_documents_come_from_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    text = json.dumps(document()).encode()
    plain = tables._plain(text)
    assert plain is not None
    assert list(plain[1].accessors.odd["sparse"]) == [len(document()["accessors"]) - 1]
    assert len(plain[1].channels) == sum(len(one["channels"]) for one in document()["animations"])
    assert plain[0].accessors == plain[0].bufferViews == plain[0].animations[0].channels == []
    assert_same(plain, by_decoder(text, monkeypatch))


def test_broken_tables_are_as_the_decoder_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the core reads a table that somebody changed, the decoder accepts it, too, and reads the same."""
    read = {True: 0, False: 0}
    for seed in range(800):
        choose = random.Random(seed)
        root = document()
        rows = choose.choice(
            [root["accessors"], root["bufferViews"]]
            + [one[name] for one in root["animations"] for name in ("channels", "samplers")]
        )
        holder = choose.choice(rows)
        if "target" in holder and isinstance(holder["target"], dict) and choose.random() < 0.5:
            holder = holder["target"]
        name = choose.choice([*holder, *NAMES])
        if choose.random() < 0.2:
            holder.pop(name, None)
        else:
            holder[name] = choose.choice(VALUES)
        text = json.dumps(root, ensure_ascii=choose.random() < 0.5).encode()
        if choose.random() < 0.3:  # a byte more, less or other, anywhere
            at = choose.randrange(len(text))
            text = text[:at] + choose.choice((b"", b" ", b",", b'"', b"]", b"0", b"\xff")) + text[at + 1 :]
        try:
            expected = by_decoder(text, monkeypatch)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            assert tables._plain(text) is None, text
            continue
        plain = tables._plain(text)
        read[plain is not None] += 1
        if plain is not None:
            assert_same(plain, expected)
    assert min(read.values()) > 50  # both ways are tried


@pytest.mark.parametrize("cut", [0.3, 0.6, 0.99])
def test_a_document_that_is_cut_off_is_refused_as_one(cut: float) -> None:
    text = json.dumps(document()).encode()
    with pytest.raises(lissom.errors.GltfError, match="must be valid JSON"):
        lissom.load(text[: int(cut * len(text))])
