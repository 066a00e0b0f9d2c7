# SPDX-License-Identifier: MIT
"""The clips of many bakes as a table in a file, which is read as far as a question needs it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from lissom._base.extras import require
from lissom._base.set_module import set_module
from lissom._catalog.schema import COLUMNS, check_column, described, unknown_column
from lissom._formats.regular_file import check_path

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._pages.pages import Pages

__all__ = ["Catalog"]

Filter = Any
"""An expression of pyarrow, or conditions as pyarrow's Parquet readers take them."""


@set_module("lissom")
class Catalog:
    """The clips of many bakes, one row for each clip of each bake, in a Parquet file.

    Nothing is read before a question is answered, and then only the columns and rows that it needs.
    `Catalog.build` and ``lissom catalog`` write the file; :doc:`/howto/catalog-bakes` has its columns.
    Needs pyarrow, which the extra ``catalog`` brings.

    Parameters
    ----------
    path : path-like
        The file.

    Attributes
    ----------
    path : Path
        The file.
    store : str
        The folder of the bakes, or the address of their store: `output` of a row is below it.
    columns : tuple of str
        Names of the columns, in their order.

    Raises
    ------
    ImportError
        If pyarrow is missing.
    ValueError
        If the file is no catalogue, or one of another version.
    OSError
        If it cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow.compute as pc
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bar = "sample:twisted_bar"
    ...     jobs = [lissom.BakeJob(bar, folder, f"{rate}", rate=rate) for rate in (10, 60)]
    ...     baked = list(lissom.bake_many(jobs, workers=1))
    ...     catalog = lissom.Catalog.build(folder, f"{folder}/bakes.parquet")
    ...     coarse = catalog.filter(pc.field("max_relative") > 0.001)
    ...     print(len(catalog), [(row["name"], row["clip"]) for row in coarse.rows()])
    4 [('10', 'bend')]
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(check_path(path, "Catalog: path"))
        self._filters: tuple[Any, ...] = ()
        self._data = _opened(self.path)
        self._said = described(self._data.schema, self.path)

    @classmethod
    def build(
        cls, store: str | os.PathLike[str], path: str | os.PathLike[str], *, resume: bool = True
    ) -> Catalog:
        """Write the catalogue of a folder of bakes, or of a store, atomically, and open it.

        Of bakes that ``lissom bake`` or `bake_many` made, the records are read; others are read themselves.
        Where a name has several bakes, of changed inputs, the one that ``bakes.json`` lists counts. What is
        no bake is left out, with a warning of the logger ``lissom.catalog``. Equal folders make equal rows,
        sorted by name, output and place in the bake.

        Of a store, its names are read, which are the outputs and names of jobs: of each the bake that was
        made last has rows.

        Parameters
        ----------
        store : path-like
            The folder; those in it count as well. Or the folder or address of a store,
            ``s3://BUCKET/PREFIX``, of whose ``records`` each is one bake.
        path : path-like
            The file to write, which is replaced. Its name should end in ``.parquet``.
        resume : bool
            Take the rows of bakes that an earlier catalogue at `path` has, and read new records alone. False
            reads all.

        Returns
        -------
        Catalog

        Raises
        ------
        ImportError
            If pyarrow is missing.
        ValueError
            If `path` is a file that is no catalogue, or there are no stores of such addresses.
        OSError
            If the store is no folder, cannot be read or does not answer, or the file cannot be written; an
            old one is still there.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     bar = lissom.bake(lissom.samples.twisted_bar(), rate=30).save(f"{folder}/bar.safetensors")
        ...     catalog = lissom.Catalog.build(folder, f"{folder}/bakes.parquet")
        ...     print(catalog.arrays(["clip", "frames"]))
        {'clip': array(['twist', 'bend'], dtype=object), 'frames': array([121, 121], dtype=int32)}
        """
        from lissom._catalog.build import build

        target = Path(check_path(path, "Catalog.build: path"))
        build(check_path(store, "Catalog.build: store"), target, resume)
        return cls(target)

    def __len__(self) -> int:
        if not self._filters:
            return int(self._data.count_rows())
        return int(self._asked(lambda: self._data.count_rows(filter=self._filter)))

    def __repr__(self) -> str:
        return f"<Catalog: {len(self)} clips, {self.path}>"

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, in their order."""
        return tuple(COLUMNS)

    @property
    def store(self) -> str:
        """The folder of the bakes, or the address of their store."""
        store: str = self._said["store"]
        return store if "://" in store else os.path.normpath(self.path.parent / store)

    def filter(self, condition: Filter) -> Catalog:
        """Return the rows that meet a condition, without reading any.

        Parameters
        ----------
        condition : pyarrow.compute.Expression, or list of tuple
            ``pc.field("loop") & (pc.field("duration") < 1.05)``, or the same as the conditions that pyarrow's
            readers take: ``[("loop", "==", True), ("duration", "<", 1.05)]``, all of which must hold; an
            empty list leaves all rows.

        Returns
        -------
        Catalog
            Filters add up.

        Raises
        ------
        TypeError
            If `condition` is neither.
        ValueError
            If it names a column that does not exist, or compares values of other types.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     hero = lissom.bake(lissom.samples.humanoid(), rate=30).save(f"{folder}/hero.safetensors")
        ...     catalog = lissom.Catalog.build(folder, f"{folder}/bakes.parquet")
        ...     loops = catalog.filter([("loop", "==", True), ("duration", "<", 1.1)])
        ...     print(loops.arrays(["clip"])["clip"])
        ['run']
        """
        pc = _arrow("compute")
        expression = condition
        if isinstance(condition, list):
            if not condition:
                return self
            try:
                expression = _arrow("parquet").filters_to_expression(condition)
            except (ValueError, TypeError) as error:
                raise ValueError(f"Catalog.filter: condition cannot be read: {error}") from None
        if not isinstance(expression, pc.Expression):
            raise TypeError(
                "Catalog.filter: condition must be an expression of pyarrow.compute or a list of (column, "
                f"comparison, value), got {type(condition).__name__}"
            )
        result = object.__new__(Catalog)
        result.path, result._data, result._said = self.path, self._data, self._said
        result._filters = (*self._filters, expression)
        asked = self._asked(lambda: self._data.scanner(columns={"asked": expression}).projected_schema)
        if asked.field("asked").type != _arrow().bool_():  # pyarrow would take its bytes for bools
            raise ValueError(
                f"Catalog.filter: condition must be true or false, such as field > 1, got {expression}, "
                f"which is of type {asked.field('asked').type}"
            )
        return result

    def table(self, columns: Sequence[str] | None = None) -> Any:
        """Read rows as a table of Arrow.

        Parameters
        ----------
        columns : sequence of str, optional
            The columns to read; all when omitted.

        Returns
        -------
        pyarrow.Table
            In the order of the file.

        Raises
        ------
        TypeError, ValueError
            If there is no such column.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     bar = lissom.bake(lissom.samples.twisted_bar(), rate=30).save(f"{folder}/bar.safetensors")
        ...     catalog = lissom.Catalog.build(folder, f"{folder}/bakes.parquet")
        ...     print(catalog.table(["frames", "loop"]).to_pydict())
        {'frames': [121, 121], 'loop': [True, True]}
        """
        return self._table(_names("Catalog.table", columns))

    def arrays(self, columns: Sequence[str] | None = None) -> dict[str, NDArray[Any]]:
        """Read rows as NumPy arrays, one for each column.

        Parameters
        ----------
        columns : sequence of str, optional
            As for `table`.

        Returns
        -------
        dict of str to ndarray, shape (rows,)
            int32, int64, float64 or bool; objects for texts and tags. What is null is NaN in numbers and None
            in objects.

        Raises
        ------
        TypeError, ValueError
            As for `table`.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     bar = lissom.bake(lissom.samples.twisted_bar(), rate=30).save(f"{folder}/bar.safetensors")
        ...     catalog = lissom.Catalog.build(folder, f"{folder}/bakes.parquet")
        ...     print(catalog.arrays(["bytes"])["bytes"].sum())
        7744
        """
        table = self._table(_names("Catalog.arrays", columns))
        return {
            name: column.to_numpy() for name, column in zip(table.column_names, table.columns, strict=True)
        }

    def rows(self, columns: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
        """Return rows one after another, as dicts by column; what is null is None.

        Parameters
        ----------
        columns : sequence of str, optional
            As for `table`.

        Returns
        -------
        iterator of dict
            Values of Python by column.

        Raises
        ------
        TypeError, ValueError
            As for `table`.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     bar = lissom.bake(lissom.samples.twisted_bar(), rate=30).save(f"{folder}/bar.safetensors")
        ...     catalog = lissom.Catalog.build(folder, f"{folder}/bakes.parquet")
        ...     print(next(catalog.rows(["clip", "duration", "loop"])))
        {'clip': 'twist', 'duration': 4.0, 'loop': True}
        """
        return self._rows(_names("Catalog.rows", columns))  # checked here, not by the first row

    def pack(self, folder: str | os.PathLike[str], *, side: int = 1024) -> Pages:
        """Pack the clips into pages of texels, for `lissom.gpu.CrowdLibrary`, and open them.

        Clips follow one another in the order of the rows: those of a bake are near each other. Pages that are
        there already are not written again, and ones that the table does not name any more stay. Bakes of
        other types than float16 are left out, with a warning of the logger ``lissom.catalog``. Weights of
        morph targets stay in the bakes, from where crowds play them.

        Parameters
        ----------
        folder : path-like
            Where the pages go, and ``pages.parquet``; created if it does not exist.
        side : int
            Lines of a page, of 2048 texels each: a power of two up to 16384. Pages of 1024 have 16 MiB.

        Returns
        -------
        Pages

        Raises
        ------
        TypeError, ValueError
            If there are no clips, `side` is no power of two or too small for a clip, a clip is not in its
            bake any more, two bakes have one name, or the bytes of a store are not those of its record; an
            earlier table is still there.
        OSError
            If a bake cannot be read or a page not be written.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     hero = lissom.bake(lissom.samples.humanoid(), rate=30).save(f"{folder}/hero.safetensors")
        ...     catalog = lissom.Catalog.build(folder, f"{folder}/bakes.parquet")
        ...     print(catalog.filter([("clip", "in", ["walk", "run"])]).pack(f"{folder}/pages", side=8))
        <Pages: 2 clips of 1 bake in 1 page of 2048 x 8 texels>
        """
        from lissom._catalog.pack import pack

        return pack(self, Path(check_path(folder, "Catalog.pack: folder")), side)

    @property
    def _filter(self) -> Any:
        if not self._filters:
            return None
        result = self._filters[0]
        for condition in self._filters[1:]:
            result = result & condition
        return result

    def _table(self, names: list[str]) -> Any:
        return self._asked(lambda: self._data.to_table(columns=names, filter=self._filter))

    def _rows(self, names: list[str]) -> Iterator[dict[str, Any]]:
        for batch in self._table(names).to_batches(max_chunksize=1024):
            yield from batch.to_pylist()

    def _asked(self, question: Any) -> Any:
        """Return the answer of pyarrow; ValueError in one line where it refuses a filter."""
        pa = _arrow()
        try:
            return question()
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
            raise ValueError(f"Catalog.filter: {_reason(str(error))}") from None


def _reason(text: str) -> str:
    """Return what pyarrow says in its first line; for a column that does not exist, those that do."""
    line = text.partition("\n")[0]
    if line.startswith("No match for FieldRef.Name("):
        return unknown_column(line.removeprefix("No match for FieldRef.Name(").partition(")")[0])
    return f"pyarrow refuses the condition: {line}"


def _names(function: str, columns: Sequence[str] | None) -> list[str]:
    """Return the columns to read; errors begin with `function`."""
    if isinstance(columns, str):
        raise TypeError(f"{function}: columns must be a list of names, got {columns!r} alone")
    return list(COLUMNS) if columns is None else [check_column(function, name) for name in columns]


def _opened(path: Path) -> Any:
    data = _arrow("dataset")
    pa = _arrow()
    if path.is_dir():
        raise IsADirectoryError(
            f"Catalog: {path} is a folder, not a catalogue; run `lissom catalog {path} -o bakes.parquet`, or "
            "Catalog.build, and open what that writes"
        )
    try:
        with open(path, "rb"):  # pyarrow names neither the file nor the reason as Python does
            return data.dataset(str(path), format="parquet")
    except FileNotFoundError:
        raise FileNotFoundError(
            f"Catalog: {path} does not exist; `lissom catalog FOLDER -o {path}` writes it, or Catalog.build"
        ) from None
    except pa.ArrowInvalid:
        raise ValueError(
            f"Catalog: {path} must be a Parquet file that `lissom catalog` wrote, and is none"
        ) from None


def _arrow(part: str = "") -> ModuleType:
    return require(f"pyarrow.{part}" if part else "pyarrow", "catalog", "lissom.Catalog")
