"""Python's values as the words that the library takes: {"m": 80} is "m=80", (0.1, 100) is "0.1:100"."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Iterator

import numpy as np

from ._results import Record, TableResult, _plain


def number(x: Any) -> str:
    """A number as short as it reads back exactly; a text as it is."""
    if isinstance(x, str):
        return x
    if isinstance(x, (bool, np.bool_)) or not np.isscalar(x):
        raise TypeError(f"a number or an expression is wanted, not {x!r}")
    if isinstance(x, (int, np.integer)):
        return str(int(x))
    if isinstance(x, (complex, np.complexfloating)) and x.imag != 0:
        return f"{x.real!r}{x.imag:+}i" if x.real else f"{x.imag!r}i"
    return repr(float(x.real))


def pairs(given, between: str = "=") -> list[str] | None:
    """{"m": 80} or "m=80" or ["m=80", …]."""
    if given is None or isinstance(given, str):
        return None if given is None else [given]
    if isinstance(given, Mapping):
        return [f"{name}{between}{number(value)}" for name, value in given.items()]
    return [str(word) for word in given]


def names(given) -> list[str] | None:
    """"a, b", or a list of names."""
    if given is None:
        return None
    if isinstance(given, str):
        return [word.strip() for word in given.split(",") if word.strip()]
    return [str(word) for word in given]


def expressions(given) -> list[str] | None:
    """"a, max(b, c)" or a list: parts between commas outside of parentheses."""
    if given is None or not isinstance(given, str):
        return None if given is None else [str(word) for word in given]
    parts, depth = [""], 0
    for c in given:
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts if part.strip()]


def rows(given: Mapping) -> tuple[list[str], np.ndarray]:
    """Names, and an array with a row for each set of values: of arrays of one length, and numbers that all of them share."""
    if not isinstance(given, Mapping) or not given:
        raise TypeError("values: names with arrays of numbers, {'m': [60, 70, 80]}")
    arrays = {str(name): np.asarray(column, dtype=float) for name, column in given.items()}
    lengths = {name: len(a) for name, a in arrays.items() if a.ndim == 1}
    if any(a.ndim > 1 for a in arrays.values()):
        raise ValueError("values: every name has a number, or one for each motion")
    if len(set(lengths.values())) > 1:
        raise ValueError(f"values: the arrays have different lengths, {', '.join(f'{name} {n}' for name, n in lengths.items())}")
    n = next(iter(lengths.values()), 1)
    table = np.empty((n, len(arrays)))
    for i, a in enumerate(arrays.values()):
        table[:, i] = a
    return list(arrays), table


def numbers(given) -> list[float] | None:
    if given is None:
        return None
    return [float(x) for x in np.atleast_1d(np.asarray(given, dtype=float))]


def span(given) -> str | None:
    """"0:10:100", or (0, 10, 100), or an array of values."""
    if given is None or isinstance(given, str):
        return given
    if isinstance(given, tuple) and len(given) in (2, 3):
        return ":".join(number(x) for x in given)
    return ",".join(number(x) for x in given)


def along(given) -> str | None:
    """"v=0:10:100", or ("v", 0, 10, 100), or {"v": values}."""
    if given is None or isinstance(given, str):
        return given
    if isinstance(given, Mapping):
        if len(given) != 1:
            raise TypeError("along: one parameter and its values")
        (name, values), = given.items()
        return f"{name}={span(values)}"
    name, *values = given
    return f"{name}={span(tuple(values))}"


def path(given) -> str:
    return os.fspath(given)


def state(given):
    """A path, {"hip": 0.5, "hip'": 0} (with "t" where it is not 0), or the ``state`` of a result, which has values and inputs."""
    if given is None:
        return None
    if isinstance(given, (str, os.PathLike)):
        return path(given)
    if not isinstance(given, (Mapping, Record)):
        raise TypeError(f"state: a path or names with values, not {given!r}")
    data = _plain(given._data) if isinstance(given, Record) else dict(given)
    if isinstance(data.get("values"), Mapping):
        values, inputs, t = data["values"], data.get("inputs") or {}, data.get("t", 0.0)
    else:
        t = data.pop("t", 0.0)
        inputs = data.pop("inputs", None) or {}
        values = data
    items = lambda d: [(str(k), float(v)) for k, v in d.items()]  # noqa: E731
    return float(t), items(values), items(inputs)


def is_table(given) -> bool:
    return isinstance(given, TableResult) or (isinstance(given, Mapping) and "t" in given)


def to_csv(table) -> str:
    columns = table.columns if isinstance(table, TableResult) else {k: np.asarray(v, dtype=float) for k, v in table.items()}
    lengths = {len(np.atleast_1d(c)) for c in columns.values()}
    if len(lengths) > 1:
        raise ValueError("the columns of a table have one length")
    rows = [",".join(columns)]
    rows += [",".join(repr(float(x)) for x in row) for row in zip(*(np.atleast_1d(c) for c in columns.values()))]
    return "\n".join(rows) + "\n"


class Event:
    """Something that happens where a function of time and state crosses zero: ``Event(lambda t, s: s["y"] - 0.1, "near", "falling")``.

    function   of t and a dictionary of coordinates, speeds, auxiliary states and inputs by their names; gives a number that crosses zero, and does
               not jump there. It is called many times in every step, by the thread that simulates
    name       in ``events`` of the result
    direction  "rising", "falling" or "both"
    """

    def __init__(self, function: Callable[[float, dict[str, float]], float], name: str | None = None, direction: str = "both"):
        if not callable(function):
            raise TypeError(f"an event is a function of time and state, not {function!r}")
        if direction not in ("rising", "falling", "both"):
            raise ValueError(f"the direction of an event is 'rising', 'falling' or 'both', not {direction!r}")
        own = getattr(function, "__name__", "event")
        self.function, self.name, self.direction = function, str(name or (own if own.isidentifier() else "event")), direction

    def __repr__(self):
        return f"Event({self.function!r}, {self.name!r}, {self.direction!r})"


def events(given, stops: bool) -> tuple[list[str], list[tuple]]:
    """Expressions, and functions with what they do: of "falling y", a function of (t, state), an Event, {"name": either}, or several in a list."""
    expressions, functions = [], []

    def add(name, one):
        if isinstance(one, str):
            direction = next((word for word in ("rising ", "falling ") if one.startswith(word)), "")
            expressions.append(one if name is None else f"{direction}{name} = {one[len(direction):]}")
            return
        event = one if isinstance(one, Event) else Event(one)
        sign = {"rising": 1, "falling": -1, "both": 0}[event.direction]
        functions.append((name or event.name, event.function, sign, stops))

    for one in [given] if isinstance(given, (str, Event, Mapping)) or callable(given) else given or []:
        if isinstance(one, Mapping):
            for name, each in one.items():
                add(str(name), each)
        else:
            add(None, one)
    return expressions, functions


@contextlib.contextmanager
def table_files(**tables) -> Iterator[dict[str, str | None]]:
    """Paths of tables: those given as paths, and files for those given as columns, as long as the block lasts."""
    with tempfile.TemporaryDirectory(prefix="linkwright-") as folder:
        files: dict[str, str | None] = {}
        for name, table in tables.items():
            if table is None:
                files[name] = None
            elif is_table(table):
                file = Path(folder) / f"{name}.csv"
                file.write_text(to_csv(table))
                files[name] = str(file)
            elif isinstance(table, (str, os.PathLike)):
                files[name] = path(table)
            else:
                raise TypeError(f"{name}: a path, a result with columns, or columns by name with t among them, not {table!r}")
        yield files


def given(**words) -> dict[str, Any]:
    return {name: value for name, value in words.items() if value is not None}


def as_list(x) -> list:
    return [] if x is None else list(x) if isinstance(x, Iterable) and not isinstance(x, str) else [x]


def write(files: Mapping[Path, str]) -> None:
    """All of them, each whole: they are written beside their places, and then put there."""
    written = []
    try:
        for place, text in files.items():
            place.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
            written.append((Path(name), place))
            with open(handle, "w", encoding="utf-8") as out:
                out.write(text)
        mask = os.umask(0)
        os.umask(mask)
        for name, place in written:
            name.chmod(0o666 & ~mask)
            name.replace(place)
    finally:
        for name, _ in written:
            name.unlink(missing_ok=True)
