# SPDX-License-Identifier: MIT
"""What a glTF file says of its use: the licence, and words to find it by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from lissom._formats.budget import Budget, JsonExtent
from lissom._formats.kind import MOTION_SUFFIX
from lissom._jobs.key import json_text
from lissom._jobs.sources import SAMPLE_PREFIX

__all__ = ["Terms", "terms"]

LICENCES = ("license", "licence")
TAGS = ("tags", "keywords")
VRM_LICENCES = ("licenseUrl", "otherLicenseUrl", "licenseName", "copyrightInformation")
XMP_LICENCES = ("xmpRights:UsageTerms", "xmpRights:WebStatement", "dc:rights")
XMP = "KHR_xmp_json_ld"


class Terms(NamedTuple):
    """What a file says of its use.

    Attributes
    ----------
    licence : str or None
        As written there: of ``asset.extras``, XMP metadata, a VRM avatar, or ``asset.copyright``, the first
        of these.
    tags : tuple of str
        Of ``asset.extras`` and of XMP metadata, in their order.
    """

    licence: str | None = None
    tags: tuple[str, ...] = ()


class _Document(msgspec.Struct):
    asset: dict[str, Any] = {}
    extensions: dict[str, Any] = {}


def terms(source: str) -> Terms:
    """Return what a source says of its use; nothing where it is no glTF, or says it in no form known here."""
    if source.startswith(SAMPLE_PREFIX) or source.lower().endswith(MOTION_SUFFIX):
        return Terms()
    try:
        text = json_text(Path(source))
        Budget.of_file(Path(source), len(text)).spend(JsonExtent.of(text).plain_bytes)
        document = msgspec.json.decode(text, type=_Document)
    except (ValueError, RecursionError):  # loading it reports what is wrong
        return Terms()
    asset, extensions = document.asset, document.extensions
    extras = _table(asset.get("extras"))
    packet = _packet(asset, extensions)
    avatar = _table(_table(extensions.get("VRMC_vrm", extensions.get("VRM"))).get("meta"))
    licence = next(
        (
            text
            for table, names in (
                (extras, LICENCES),
                (packet, XMP_LICENCES),
                (avatar, VRM_LICENCES),
                (asset, ["copyright"]),
            )
            for name in names
            for text in _texts(table.get(name))
        ),
        None,
    )
    tags = [tag for name in TAGS for text in _texts(extras.get(name)) for tag in text.split(",")]
    tags += _texts(packet.get("dc:subject"))
    return Terms(licence, tuple(dict.fromkeys(filter(None, (tag.strip() for tag in tags)))))


def _packet(asset: Mapping[str, Any], extensions: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the XMP packet of the asset."""
    packets = _table(extensions.get(XMP)).get("packets")
    number = _table(_table(asset.get("extensions")).get(XMP)).get("packet")
    if isinstance(packets, list) and type(number) is int and 0 <= number < len(packets):
        return _table(packets[number])
    return {}


def _texts(value: Any) -> list[str]:
    """Return the texts of a value: itself, or the items of a list, or of one of JSON-LD's kinds of lists."""
    if isinstance(value, str):
        return [value.strip()] if value.strip() else []
    if isinstance(value, list):
        return _joined(value)
    table = _table(value)
    if "@value" in table:
        return _texts(table["@value"])
    return _joined(
        item for name, item in table.items() if name in ("@set", "@list") or name.startswith("rdf:_")
    )


def _joined(values: Iterable[Any]) -> list[str]:
    return [text for value in values for text in _texts(value)]


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
