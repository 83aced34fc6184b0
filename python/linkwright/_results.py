"""Results: attributes as the JSON of the command line names them, numbers as NumPy arrays.

The keys of each verb's result, with what they mean, stand in docs/formats/results.md and the JSON schemas beside it.
"""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np

from ._errors import Diagnostic


def _is_complex(value) -> bool:
    return isinstance(value, dict) and value.keys() == {"re", "im"} and not isinstance(value["re"], str)


def _as_complex(value):
    re, im = (np.nan if x is None else x for x in (value["re"], value["im"]))
    return re + 1j * im if isinstance(re, np.ndarray) else complex(re, im)


def _view(value):
    """What an attribute shows: {re, im} is complex, a list of such an array, a dictionary has attributes."""
    if _is_complex(value):
        return _as_complex(value)
    if isinstance(value, dict):
        return Record(value)
    if isinstance(value, list):
        if value and all(_is_complex(x) and not isinstance(x["re"], np.ndarray) for x in value):
            return np.array([_as_complex(x) for x in value])
        return [_view(x) for x in value]
    return value


def _plain(value):
    """As json.loads would have it."""
    if isinstance(value, dict):
        return {key: _plain(x) for key, x in value.items()}
    if isinstance(value, list):
        return [_plain(x) for x in value]
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value


class Record:
    """Entries as attributes and by name: ``r.energy.kinetic``, ``r["energy"]["kinetic"]``, ``"energy" in r``, ``dict(r)``.

    No method has a name that an entry could have: ``r.state.values`` is the entry. ``dict(r).values()`` is the method.
    """

    def __init__(self, data: dict[str, Any]):
        self._data = data

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._data:
            raise AttributeError(f"{type(self).__name__} has no '{name}'; it has {', '.join(self._data)}")
        return _view(self._data[name])

    def __getitem__(self, name: str) -> Any:
        return _view(self._data[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __contains__(self, name) -> bool:
        return name in self._data

    def __len__(self) -> int:
        return len(self._data)

    def keys(self) -> list[str]:
        return list(self._data)

    def __dir__(self):
        return [*super().__dir__(), *(key for key in self._data if key.isidentifier())]

    def __eq__(self, other) -> bool:
        return isinstance(other, Record) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionaries, lists and numbers: what ``--json`` prints, number for number."""
        return _plain(self._data)

    def __repr__(self) -> str:
        return f"<{', '.join(self._data)}>" if len(self._data) < 8 else f"<{', '.join(list(self._data)[:7])}, …>"


class Result(Record):
    """What a verb found: attributes, ``to_dict()``, and what there is to say of it in ``notes``, ``warnings`` and ``diagnostics``."""

    diagnostics: list[Diagnostic]

    def __init__(self, data: dict[str, Any], diagnostics: list[Diagnostic]):
        super().__init__(data)
        self.diagnostics = diagnostics

    def _said(self, severity: str, key: str) -> list[str]:
        said = [d.what for d in self.diagnostics if d.severity == severity]
        return said + [text for text in self._data.get(key, []) if text not in said]

    @property
    def notes(self) -> list[str]:
        """Sentences worth reading: what was chosen, what was left out."""
        return self._said("note", "notes")

    @property
    def warnings(self) -> list[str]:
        return self._said("warning", "warnings")

    def _about(self) -> str:
        return ""

    def __repr__(self) -> str:
        model = self._data.get("model") or self._data.get("name") or ""
        about = self._about()
        return f"<{type(self).__name__}" + (f" of '{model}'" if model else "") + (f": {about}" if about else "") + ">"


class TableResult(Result):
    """A result with columns: ``r.columns`` is a plain dictionary of arrays, ``r["theta"]`` one of them."""

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """Name and numbers of each column: ``pandas.DataFrame(r.columns)``."""
        return self._data["columns"]

    @property
    def t(self) -> np.ndarray:
        return self.columns["t"]

    def __getitem__(self, name: str) -> Any:
        return self.columns[name] if name in self.columns else super().__getitem__(name)

    def to_array(self, *names: str) -> np.ndarray:
        """Columns side by side, a row for each time: those named, or all."""
        return np.column_stack([self.columns[name] for name in names or self.columns])

    def to_pandas(self):
        """A DataFrame over t; needs pandas."""
        import pandas

        return pandas.DataFrame({k: v for k, v in self.columns.items() if k != "t"}, index=pandas.Index(self.t, name="t"))

    def __len__(self) -> int:
        return len(self.t)

    def __iter__(self):
        return iter(self._data)

    def _about(self) -> str:
        n = len(self)
        return f"{n} row{'' if n == 1 else 's'}" + (f", t = {self.t[0]:g} … {self.t[-1]:g}" if n else "")


class Simulation(TableResult):
    """A motion: ``columns`` (t, coordinates, speeds, energies, outputs), ``events``, ``stop``, ``statistics``."""

    def _about(self) -> str:
        return super()._about() + ("" if self.stop.reason == "reached" else f", {self.stop.reason}")


class Ensemble(Result):
    """Many runs: ``columns`` (what was varied and what was collected, a number for each run), ``points`` with the statistics, ``failures``.

    ``r["m"]`` is a column; ``r.statistics("max(abs(theta))")`` what all runs say of it: mean, standard_deviation, mean_within, quantiles, histogram, indices.
    """

    def __init__(self, data, diagnostics):
        super().__init__(data["data"], diagnostics)
        names = [*data["varied"], *data["grid"]]
        #: runs × what was varied, and runs × what was collected: NaN where a run has failed or has no such number
        self.values: np.ndarray = data["values"]
        self.results: np.ndarray = data["results"]
        self._columns = dict(zip(names, self.values.T)) | dict(zip(data["collectors"], self.results.T))
        #: runs that an earlier call had done; whether motions went four at a time; seconds that the runs took
        self.resumed, self.has_lanes, self.seconds = data["resumed"], data["has_lanes"], data["seconds"]

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """Name and numbers of each column, views into ``values`` and ``results``: ``pandas.DataFrame(r.columns)``."""
        return self._columns

    def __getitem__(self, name: str) -> Any:
        return self._columns[name] if name in self._columns else super().__getitem__(name)

    def statistics(self, name: str, point: int = 0) -> Record:
        """Of a collector, at a point of the grid."""
        for collected in self._data["points"][point]["collected"]:
            if collected["name"] == name:
                return Record(collected)
        raise KeyError(f"'{name}' was not collected; there are {', '.join(c['name'] for c in self._data['points'][point]['collected'])}")

    def to_pandas(self):
        """A DataFrame with a row for each run; needs pandas."""
        import pandas

        return pandas.DataFrame(self._columns, index=pandas.RangeIndex(len(self.values), name="run"))

    def _about(self) -> str:
        return f"{self._data['runs']} runs" + (f", {len(self._data['failures'])} failed" if self._data["failures"] else "")


class Motions:
    """Many motions: ``t``, and for each column an array of motions × times, ``r["theta"]``; all of them are views into ``array``.

    ``array``     motions × times × columns; NaN after the end of a motion that stopped, and in all of one that failed
    ``failures``  number and reason of those that failed; ``failed`` is true at these
    """

    def __init__(self, data, diagnostics: list[Diagnostic]):
        self.model: str = data["model"]
        self.t: np.ndarray = data["t"]
        self.array: np.ndarray = data["rows"]
        self.names: list[str] = data["columns"]
        self.failures: list[tuple[int, str]] = data["failures"]
        self.diagnostics = diagnostics
        #: whether they went four at a time, by how many threads, in how many seconds
        self.has_lanes, self.threads, self.seconds = data["has_lanes"], data["threads"], data["seconds"]

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.names:
            raise KeyError(f"there is no column '{name}'; there are {', '.join(self.names)}")
        return self.array[:, :, self.names.index(name)]

    @property
    def columns(self) -> dict[str, np.ndarray]:
        return {name: self[name] for name in self.names}

    @property
    def final(self) -> dict[str, np.ndarray]:
        """The last row of every motion: for each column a number a motion."""
        return {name: self.array[:, -1, i] for i, name in enumerate(self.names)}

    @property
    def failed(self) -> np.ndarray:
        which = np.zeros(len(self.array), dtype=bool)
        which[[i for i, _ in self.failures]] = True
        return which

    def __len__(self) -> int:
        return len(self.array)

    def to_pandas(self, motion: int):
        """One motion as a DataFrame over t; needs pandas."""
        import pandas

        return pandas.DataFrame(self.array[motion], columns=self.names, index=pandas.Index(self.t, name="t"))

    def __repr__(self) -> str:
        bad = f", {len(self.failures)} failed" if self.failures else ""
        return f"<Motions of '{self.model}': {len(self)}, t = {self.t[0]:g} … {self.t[-1]:g}{bad}>"


class Inverse(TableResult):
    """Forces for a given motion: ``columns``, ``stop``."""


class Evaluation(Result):
    """Numbers at a state: ``mass_matrix``, ``forcing``, ``accelerations``, ``multipliers``, ``energy``, ``outputs`` and more."""

    def _about(self) -> str:
        return f"t = {self._data['t']:g}, {len(self._data['coordinates'])} coordinates"


class Inspection(Result):
    """What a mechanism is: ``summary``, ``freedoms``, ``mobility``, ``bodies``, ``joints``, ``redundant_constraints``, ``closed``."""

    def _about(self) -> str:
        return self._data["summary"]


class Equilibrium(Result):
    """A state of rest or steady motion: ``state``, ``stability``, ``verdict``, ``poles``; with ``starts``, others in ``equilibria``."""

    def _about(self) -> str:
        return str(self._data.get("verdict") or self._data.get("stability") or "")


class Linearization(Result):
    """Small motions: ``second_order`` (M, C, K, B) where there is one, ``state_space`` (A, B, C, D, states)."""

    def _about(self) -> str:
        return f"{len(self._data['state_space']['states'])} states"


class Modes(Result):
    """``poles``, ``frequencies_hz``, and each of ``modes`` with its shape and words."""

    def _about(self) -> str:
        return f"{len(self._data['poles'])} poles"


class Sweep(Result):
    """Poles along a parameter: ``values``, ``branches`` (re and im of each), ``events``."""

    def _about(self) -> str:
        return f"{len(self._data.get('values', self._data.get('gains', [])))} values, {len(self._data['branches'])} branches"

    @property
    def branches(self) -> list[np.ndarray]:
        """Poles of each branch, complex; NaN where it has ended."""
        return [np.asarray(b["re"], dtype=float) + 1j * np.asarray(b["im"], dtype=float) for b in self._data["branches"]]


class Animation(TableResult):
    """One period of a mode."""


class Sensitivity(Result):
    """Derivatives of eigenvalues, vectors or an equilibrium by parameters."""

    def _about(self) -> str:
        return f"of {self._data['of']}" if "of" in self._data else ""


class MotionSensitivity(TableResult):
    """Derivatives of a motion by parameters and initial values, as columns."""


class Placement(Result):
    """Parameters for wanted eigenvalues: ``parameters``, ``converged``, ``error``, ``set``."""

    def _about(self) -> str:
        return "converged" if self._data["converged"] else "not converged"


class FrequencyResponse(Result):
    """Transfer functions: ``frequencies``, ``poles``, ``channels`` with magnitude, phase, margins."""

    def _about(self) -> str:
        return f"{len(self._data['channels'])} channels, {len(self._data['frequencies'])} frequencies"


class Spectrum(Result):
    """Which frequencies are in columns of a motion: ``frequencies``, ``spectra`` by column."""


class Perturbation(Result):
    """Multiple scales: ``modulation``, ``resonances``, ``backbones``, ``steady_states``; ``text`` and ``latex`` are pages to read."""

    text: str
    latex: str

    def __init__(self, data, diagnostics, text: str, latex: str):
        super().__init__(data, diagnostics)
        self.text, self.latex = text, latex


class SteadyResponse(Result):
    """Steady states along the frequency of an excitation: ``response.branches``."""


class ScalesComparison(Result):
    """Multiple scales beside simulation: ``comparison`` or ``halving``."""


class Proof(Result):
    """Whether all formulations, the readable form and the program are the same functions: ``equal``, ``verdict``, ``pairs``."""

    def __bool__(self) -> bool:
        return bool(self._data["equal"])

    def _about(self) -> str:
        return str(self._data["verdict"])


class Comparison(Result):
    """Somebody's equations against ours: ``equal``, ``agrees``, ``entries`` with verdicts and repairs."""

    def __bool__(self) -> bool:
        return bool(self._data["equal"])

    def _about(self) -> str:
        wrong = sum(e["verdict"] != "equal" for e in self._data["entries"])
        return f"{len(self._data['entries'])} entries, {wrong} not equal"


class Count(Result):
    """Operations of every program: ``programs``."""


class BaseParameters(Result):
    """The combinations of masses and inertias that the equations depend on."""


class Structure(Result):
    """Natural frequencies of the mechanism as a structure: ``frequencies_hz``, ``shapes``, ``kinetic_energy``."""


class Code(Result):
    """Emitted code: ``texts`` has the files by name, ``save(folder)`` writes them, ``files`` and ``programs`` tell of them."""

    texts: dict[str, str]

    def __init__(self, data, diagnostics, texts: dict[str, str]):
        super().__init__(data, diagnostics)
        self.texts = texts

    def save(self, folder) -> list[str]:
        """Writes the files below ``folder``, which is made where it is not there; their paths."""
        from pathlib import Path

        from ._words import write

        files = {Path(folder) / name: text for name, text in self.texts.items()}
        write(files)
        return [str(path) for path in files]

    def _about(self) -> str:
        return ", ".join(self.texts)


class Page(str):
    """A page of HTML; a notebook shows where it is, ``save(path)`` writes it."""

    def save(self, path) -> None:
        from pathlib import Path

        from ._words import write

        write({Path(path): str(self)})

    def __repr__(self) -> str:
        return f"<Page of {len(self)} characters>"
