"""Models written in Python. They become the text of a model file, and the ordinary reader checks that."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np


def _key(name: str) -> str:
    is_bare = name.isascii() and name.replace("_", "a").replace("-", "a").isalnum()
    return name if is_bare else json.dumps(name, ensure_ascii=False)


def _value(x: Any) -> str:
    """As TOML writes it."""
    if isinstance(x, (bool, np.bool_)):
        return "true" if x else "false"
    if isinstance(x, str):
        return json.dumps(x, ensure_ascii=False)
    if isinstance(x, (int, np.integer)):
        return str(int(x))
    if isinstance(x, (float, np.floating)):
        return repr(float(x)) if math.isfinite(x) else str(float(x))
    if isinstance(x, Mapping):
        return "{ " + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in x.items()) + " }"
    if isinstance(x, (list, tuple, np.ndarray)):
        return "[" + ", ".join(_value(v) for v in (x.tolist() if isinstance(x, np.ndarray) else x)) + "]"
    raise TypeError(f"{x!r} cannot stand in a model file: numbers, expressions as text, lists and dictionaries of these can")


class Model:
    """A mechanism, described piece by piece with the words of the model file (docs/formats/model.md)::

        crane = lw.Model("Crane", gravity=[0, "-g", 0])
        g, M, m, l = crane.parameters(g=9.81, M=120, m=80, l=4)
        crane.input("drive")
        crane.body("trolley", mass=M)
        crane.body("load", mass=m, com=[0, f"-{l}", 0])
        crane.joint("x", "prismatic", "ground", "trolley", axis="x", actuator="drive")
        crane.joint("theta", "revolute", "trolley", "load", axis="z")
        crane.initial(theta="10*deg")
        motion = crane.open().simulate(until=10)

    Expressions are texts in the language of model files. Names are given back, to be put into such texts. ``text`` is the model file; ``open()``
    reads it, and raises lw.InputError with all that is wrong, lines counted in that text. Whatever else a file may hold goes in by
    ``add("spring", …)`` and ``table("ground", …)``; a keyword that Python reserves takes an underscore at its end: ``from_=``.
    """

    def __init__(self, name: str, *, gravity=None, about: str | None = None):
        self._head: dict[str, Any] = {"format": 1, "name": name}
        if gravity is not None:
            self._head["gravity"] = gravity
        self._about = about
        self._tables: dict[str, dict[str, Any]] = {}
        self._elements: list[tuple[str, dict[str, Any]]] = []

    @property
    def name(self) -> str:
        return self._head["name"]

    def table(self, section: str, entries: Mapping[str, Any] | None = None, **more) -> None:
        """Entries of a section such as [ground] or [symbols]."""
        self._tables.setdefault(section, {}).update({**(entries or {}), **_without_underscores(more)})

    def add(self, element: str, name: str | None = None, **keys) -> str:
        """One more [[element]]: force, spring, constraint, motor, filter, trajectory, event, beam, chain, …"""
        entries = {"name": name} if name is not None else {}
        self._elements.append((element, {**entries, **_without_underscores(keys)}))
        return name or ""

    def parameter(self, name: str, value, *, unit: str | None = None, about: str | None = None, **more) -> str:
        """A parameter: a number in its unit, or an expression in others; ``min`` and ``max`` where it has bounds."""
        return self._named("parameters", name, value, unit, about, more)

    def parameters(self, **values) -> list[str]:
        """Several at once, without units."""
        return [self.parameter(name, value) for name, value in values.items()]

    def input(self, name: str, value=0, *, unit: str | None = None, about: str | None = None) -> str:
        """Something that drives the mechanism; its value when nobody else says one, an expression in t and parameters."""
        return self._named("inputs", name, value, unit, about, {})

    def _named(self, section, name, value, unit, about, more) -> str:
        extra = {k: v for k, v in {"unit": unit, "about": about, **more}.items() if v is not None}
        self.table(section, {name: {"value": value, **extra} if extra else value})
        return name

    def body(self, name: str, **keys) -> str:
        """A rigid body: ``mass``, ``inertia``, ``com``, ``points``."""
        return self.add("body", name, **keys)

    def joint(self, name: str, type: str, parent: str, child: str, **keys) -> str:
        """A joint: ``axis``, ``parent_at``, ``child_at``, ``actuator``, ``stiffness``, ``damping``, …"""
        return self.add("joint", name, type=type, parent=parent, child=child, **keys)

    def output(self, name: str, **keys) -> str:
        """Something to be told: ``position="load.com"``, ``expression="…"``, ``reaction="…"``, …"""
        return self.add("output", name, **keys)

    def initial(self, values: Mapping[str, Any] | None = None, **more) -> None:
        """Where coordinates and speeds begin; names with primes or dots in a dictionary: {"theta'": 1}."""
        self.table("initial", values, **more)

    def guess(self, values: Mapping[str, Any] | None = None, **more) -> None:
        """Where closing loops begins."""
        self.table("guess", values, **more)

    @property
    def text(self) -> str:
        """The model file."""
        lines = [f"# {line}" for line in (self._about or "").splitlines()]
        lines += [f"{_key(k)} = {_value(v)}" for k, v in self._head.items()]
        late = ("initial", "guess")  # as one would write it
        for section in [*(s for s in self._tables if s not in late), None, *(s for s in self._tables if s in late)]:
            if section is None:
                for element, keys in self._elements:
                    lines += ["", f"[[{element}]]", *(f"{_key(k)} = {_value(v)}" for k, v in keys.items())]
            else:
                lines += ["", f"[{section}]", *(f"{_key(k)} = {_value(v)}" for k, v in self._tables[section].items())]
        return "\n".join(lines) + "\n"

    def save(self, path) -> None:
        """Writes the model file."""
        from pathlib import Path

        from ._words import write

        write({Path(path): self.text})

    def open(self, **options):
        """The mechanism, read from the text; options as of lw.loads."""
        from ._mechanism import loads

        return loads(self.text, **{"name": self.name, **options})

    def __repr__(self) -> str:
        count = len(self._elements)
        return f"<Model '{self.name}': {count} element{'' if count == 1 else 's'}>"


def _without_underscores(keys: Mapping[str, Any]) -> dict[str, Any]:
    return {k[:-1] if k.endswith("_") and not k.startswith("_") else k: v for k, v in keys.items()}
