# SPDX-License-Identifier: MIT
"""Messages about names and counts: unknown names, "1 clip" and "2 clips", "a, b or c"."""

from __future__ import annotations

from collections.abc import Collection, Iterable

__all__ = ["counted", "either", "name_meant", "near_names", "only_like", "unknown_name"]

_SHOWN = 3


def counted(count: int, noun: str) -> str:
    """Say how many: "1 clip", "2 clips"."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def either(words: Iterable[object]) -> str:
    """Say which of several: "a", "a or b", "a, b or c"."""
    *first, last = map(str, words)
    return f"{', '.join(first)} or {last}" if first else last


def unknown_name(kind: str, name: str, known: Iterable[str], listing: str = "") -> str:
    """Say that no `kind` ("clip", "part") has this name, and which names are similar.

    `listing` says where to see all of them: "`lissom info hero.glb` lists them".
    """
    names = list(known)
    if not names:
        return f"no {kind} is named {name!r}; there are no {kind}s"
    near = near_names(name, names)
    if near:
        hint = f"did you mean {either(map(repr, near))}?"
    elif len(names) <= _SHOWN:
        return f"no {kind} is named {name!r}; there are: {', '.join(map(repr, names))}"
    else:
        hint = f"there are {len(names)}, such as {', '.join(map(repr, names[:_SHOWN]))}"
    return f"no {kind} is named {name!r}; {hint}{f' ({listing})' if listing else ''}"


def only_like(name: str, names: Iterable[str]) -> str | None:
    """Return the only name that differs from this by its case alone, or else by what stands before a ``|``.

    Exporters put the armature there: "walk" is like "Armature|Walk". None where there is none, or several.
    """
    known, wanted = list(names), name.casefold()
    for tail in (False, True):
        found = [n for n in known if (n.rpartition("|")[2] if tail else n).casefold() == wanted]
        if len(found) == 1:
            return found[0]
    return None


def name_meant(name: str, names: Collection[str]) -> str | None:
    """Return the name that is meant by one: itself where there is such a one, or else `only_like` it.

    `names` may be clips by name, whose ``in`` is as broad as this.
    """
    return name if name in tuple(names) else only_like(name, names)


def near_names(name: str, names: Iterable[str]) -> list[str]:
    """Return at most three names like this one, whatever their case, most similar first.

    Where one is `only_like` it, that alone. What stands before a ``|`` counts as little as it does to people.
    """
    import difflib  # for errors alone

    names = list(names)
    meant = only_like(name, names)
    if meant is not None:
        return [meant]
    wanted = name.casefold()
    likeness: dict[str, float] = {}
    for known in names:
        whole = known.casefold()
        forms = {whole, whole.rpartition("|")[2]}
        ratio = max(difflib.SequenceMatcher(None, wanted, form).ratio() for form in forms)
        holds = len(wanted) > 1 and any(
            wanted in form or (len(form) > 2 and form in wanted) for form in forms
        )
        if ratio >= 0.6 or holds:
            likeness[known] = ratio + holds
    return sorted(likeness, key=lambda known: -likeness[known])[:_SHOWN]
