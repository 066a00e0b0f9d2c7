# SPDX-License-Identifier: MIT
"""Read what users see of the package: public names, their signatures and the headings of their docstrings.

Public is `lissom.__all__`; the `__all__` of every module that it names, or that a page of docs/api describes
by automodule; whatever else those pages describe; and the public members of all these classes, inherited
ones included. Names come from the imported package, text from the source as griffe reads it. Nothing says in
which module a thing is written, so private modules may move.
"""

import inspect
import pydoc
import re
import sys
from pathlib import Path
from typing import Any

import griffe

import lissom
from lissom._base.set_module import written_in

ROOT = Path(__file__).resolve().parents[1]
DIRECTIVE = re.compile(r"^\.\. (?:py:)?(auto\w+|data|currentmodule):: +(\S+(?:\n +\w\S*$)*)", re.MULTILINE)
MODULE_PREFIX = re.compile(r"""("[^"]*"|'[^']*')|\b(?:[a-z_]\w*\.)+(?=[A-Za-z_])""")
# What methods written as functions of other files show: see the end of `Clip`.
OWN_OBJECT = re.compile(r"(?<=\()(self|cls)\b[^,)]*(, )?")
# Special methods that no user means by what they write; `__init__` is the signature of its class.
UNSEEN = {f"__{name}__" for name in ("init", "post_init", "reduce", "repr", "str", "setattr", "delattr")}

SOURCES = griffe.load("lissom", search_paths=[ROOT / "python"], allow_inspection=False).modules_collection


def source_of(path: str) -> Any:
    """Return what griffe knows of a thing, by any path that leads to it."""
    try:
        found = SOURCES[path]
        return found.final_target if found.is_alias else found
    except (KeyError, griffe.AliasResolutionError, griffe.CyclicAliasError) as error:
        sys.exit(f"surface: griffe finds no source of {path}; gone, or made when it runs? ({error!r})")


def home(thing: Any) -> Any:
    """Return what griffe knows of a class or function, by where it is written."""
    return source_of(f"{written_in(thing)}.{thing.__qualname__}")


def public_paths() -> set[str]:
    """Return the paths by which users import things."""
    modules = {f"lissom.{name}" for name in lissom.__all__ if inspect.ismodule(getattr(lissom, name))}
    paths: set[str] = set()
    for page in sorted((ROOT / "docs" / "api").glob("*.rst")):
        current = "lissom"
        for kind, names in DIRECTIVE.findall(page.read_text(encoding="utf-8")):
            if kind in ("automodule", "currentmodule"):
                current = names
                modules.add(names)
            else:
                paths |= {n if n.startswith("lissom.") else f"{current}.{n}" for n in names.split()}
    for path in modules | {"lissom"}:
        module: Any = pydoc.locate(path)
        paths |= {path, *(f"{path}.{name}" for name in module.__all__)}
    return paths


def surface() -> dict[str, list[str]]:
    """Return by public path: the kind with its signature, then the heading; of one thing once."""
    found: dict[str, list[str]] = {}
    first: dict[Any, str] = {}
    for path in sorted(public_paths(), key=lambda path: (path.count("."), path)):
        thing = pydoc.locate(path)
        is_code = inspect.isclass(thing) or inspect.isfunction(thing)
        if is_code and first.setdefault(thing, path) != path:
            found[path] = [f"is {first[thing]}"]
        else:
            found[path] = described(home(thing) if is_code else source_of(path), thing)
    for thing, path in first.items():
        if inspect.isclass(thing):
            found |= {f"{path}.{name}": lines for name, lines in members(thing).items()}
    return dict(sorted(found.items()))


def described(source: Any, thing: Any) -> list[str]:
    """Return the lines about one thing, given its source and its value."""
    if source.is_function:
        kind = type(thing).__name__ if isinstance(thing, classmethod | staticmethod) else "function"
        lines = [each.signature(name="overload") for each in source.overloads or ()]
        lines.append(source.signature(name=kind))
    elif source.is_class:
        lines = [f"class{constructor(thing)}", *(f"base {base}" for base in foreign_bases(thing))]
    elif source.is_module:
        lines = ["module"]
    else:
        kind = "property" if "property" in source.labels else "attribute"
        kind += ", settable" if "writable" in source.labels else ""
        is_set_by_methods = source.parent.is_class and "class-attribute" not in source.labels
        lines = [annotated(kind, source.annotation, None if is_set_by_methods else source.value)]
    lines = [OWN_OBJECT.sub("", MODULE_PREFIX.sub(lambda match: match[1] or "", line), 1) for line in lines]
    return lines + ([source.docstring.lines[0]] if source.docstring else [])


def constructor(cls: type) -> str:
    """Return the parameters of a class, or nothing where it takes those of a class outside the package."""
    for source in map(home, ours(cls)):
        if "__init__" in source.members:
            return str(source.members["__init__"].signature(return_type=False, name=" ")).strip()
        if "NamedTuple" in map(str, source.bases):
            fields = (each for each in source.attributes.values() if "property" not in each.labels)
            return f"({', '.join(annotated(f.name, f.annotation, f.value) for f in fields)})"
    return ""


def annotated(name: str, annotation: Any, value: Any) -> str:
    """Return a name with its type and its value, as far as these are written."""
    return name + (f": {annotation}" if annotation else "") + (f" = {value}" if value else "")


def ours(cls: type) -> list[type]:
    """Return the class and those of the package that it inherits from, in the order of look-up."""
    return [base for base in cls.__mro__ if base.__module__.startswith("lissom")]


def foreign_bases(cls: type) -> list[str]:
    """Return the names of the nearest classes outside the package that a class is a kind of."""
    nearest = [base for each in ours(cls) for base in each.__bases__ if base not in (object, *ours(cls))]
    return [base.__name__ for base in nearest]


def members(cls: type) -> dict[str, list[str]]:
    """Return the lines about each public member, and each special method that the package wrote."""
    found: dict[str, list[str]] = {}
    for base in ours(cls):
        values, sources = vars(base), home(base).members
        special = {n for n, s in sources.items() if n.startswith("__") and s.is_function} - UNSEEN
        for name in special | {n for n in (*values, *sources) if not n.startswith("_")}:
            value = values.get(name)  # None: objects have it, the class has not
            function = getattr(value, "__func__", value)
            is_code = inspect.isfunction(function)  # perhaps of another file
            where = f"{written_in(base)}.{base.__qualname__}"
            source = home(function) if is_code else source_of(f"{where}.{name}")
            found.setdefault(name, described(source, value))
    return found
