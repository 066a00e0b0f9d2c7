# SPDX-License-Identifier: MIT
"""Sources of bakes and commands: model files, built-in samples, and the clips and parts in them by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lissom._base.names import unknown_name
from lissom._character.clip_choice import clip_name_of
from lissom._formats.kind import HEAD_SIZE, kind_fault
from lissom._formats.regular_file import open_regular
from lissom._store.open_store import SCHEMES, is_url, meant_address

if TYPE_CHECKING:
    from lissom._character.character import Character
    from lissom.samples._humanoid import Build

__all__ = [
    "SAMPLES",
    "SAMPLE_PREFIX",
    "SHORT_NAMES",
    "address_fault",
    "clip_name",
    "load",
    "sample_meant",
    "without",
]

# Samples are named like files: "sample:humanoid", or "humanoid" alone where no file has that name.
SAMPLE_PREFIX = "sample:"
SAMPLES = ("humanoid", "child", "giant", "twisted_bar", "two_bone_tube")
BUILDS: dict[str, Build] = {
    "humanoid": "adult",
    "child": "child",
    "giant": "giant",
}  # samples that are builds of the humanoid
SHORT_NAMES = {"bar": "twisted_bar", "tube": "two_bone_tube"}

FORMS = "a file, a sample or an address, s3://BUCKET/KEY, gs://BUCKET/KEY, az://CONTAINER/KEY or file:///PATH"


def sample_meant(source: str) -> str:
    """Return a source with a sample's full name: "bar" and "sample:bar" are "sample:twisted_bar".

    An existing file goes before a sample without prefix.
    """
    name = source.removeprefix(SAMPLE_PREFIX)
    meant = SHORT_NAMES.get(name, name)
    if meant not in SAMPLES or (name == source and Path(source).exists()):
        return source
    return SAMPLE_PREFIX + meant


def address_fault(source: str) -> str:
    """Say what a source must be that reads like an address and is none; empty for all others.

    An existing file goes before an address that lacks its ``://``.
    """
    meant = meant_address(source)
    if meant is not None:
        if Path(source).exists():
            return ""
        return FORMS if _is_unknown(meant) else f"{meant}, or for a file of that name ./{source}"
    return FORMS if is_url(source) and _is_unknown(source) else ""


def _is_unknown(address: str) -> bool:
    """Whether no file can be fetched from an address: no such scheme, no bucket, or no name in it."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return True
    is_placed = bool(parts.netloc) or parts.scheme == "file"
    return parts.scheme not in SCHEMES or not is_placed or not parts.path.strip("/")


def load(source: str, *, strict: bool = False) -> Character:
    """Load a file, or make the sample that ``source`` names.

    Raises
    ------
    ValueError
        For an unknown sample, a folder, a file that is not a model, or one that cannot be used
        (``GltfError``).
    OSError
        For a file that cannot be read.
    """
    if source.startswith(SAMPLE_PREFIX):
        name = source.removeprefix(SAMPLE_PREFIX)
        if name not in SAMPLES:
            known = ", ".join((*SAMPLES, *SHORT_NAMES))
            raise ValueError(f"{source}: no such sample; there are {known}")
        from lissom import samples

        if name in BUILDS:
            return samples.humanoid(BUILDS[name])
        make: Callable[[], Character] = getattr(samples, name)
        return make()
    _check_kind(Path(source), source)
    from lissom._files.load import load as load_model

    return load_model(source, strict=strict)


def _check_kind(path: Path, source: str) -> None:
    """Refuse a folder, and a file whose first bytes are not those of a model; the loader checks the rest."""
    if path.is_dir():
        raise ValueError(
            f"{source}: is a folder, pass one file of it (`lissom validate` and `lissom bake` take folders)"
        )
    with open_regular(path) as file:
        head = file.read(HEAD_SIZE)
    fault = kind_fault(head, path.suffix, "`lissom info` shows it, `lissom crowd` draws it")
    if fault is not None:
        raise ValueError(f"{source}: {fault}")


def clip_name(source: str, name: str, known: Iterable[str]) -> str:
    """Return the clip of a name, or the only clip of a similar name.

    Case does not matter, and the part before a ``|`` may be left out: ``walk`` finds ``Armature|Walk``.

    Raises
    ------
    ValueError
        If there is none, or more than one: the message lists similar names.
    """
    return clip_name_of(list(known), name, source, _listing(source))


def without(source: str, character: Character, parts: Sequence[str]) -> Character:
    """Return a character without some parts; names are as for `Character.without`.

    Raises
    ------
    ValueError
        If there is no such part, or none would be left.
    """
    names = () if character.mesh is None else [part.name for part in character.mesh.parts]
    for part in parts:
        if not any(name == part or name.startswith(f"{part}/") for name in names):
            raise ValueError(f"{source}: {unknown_name('part', part, names, _listing(source))}")
    try:
        return character.without(*parts) if parts else character
    except ValueError:
        raise ValueError(f"{source}: --without leaves no part; keep at least one") from None


def _listing(source: str) -> str:
    return f"`lissom info {source}` lists them"
