"""The equations of motion, to be read: text, Markdown, LaTeX, data, SymPy."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from ._errors import unpack

if TYPE_CHECKING:
    from ._mechanism import Mechanism

#: Names of the expression language (docs/formats/expressions.md): letters, digits and _, parts with dots, primes for rates.
_NAME = re.compile(r"[^\W\d]\w*(?:\.\w+)*'*")
_DECIMAL = re.compile(r"(?<![\w.])(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?")


class Equations:
    """What ``derive`` found. Pages are written when they are asked for: ``text``, ``markdown``, ``latex``; a notebook shows the formulas.

    ``to_dict()`` has every entry as an exact formula, ``sympy()`` the same as SymPy expressions.
    """

    def __init__(self, mechanism: Mechanism, options: dict[str, Any], on_step):
        self._mechanism, self._options, self._on_step = mechanism, options, on_step
        self._pages: dict[tuple, str] = {}
        self.text  # what is wrong with the options is told at once  # noqa: B018

    def _page(self, to: str, **more) -> str:
        key = (to, *more.items())
        if key not in self._pages:
            answer = self._mechanism._session.derive({**self._options, **more, "to": to}, self._on_step)
            self._pages[key] = unpack(answer, lambda page, _: page)
        return self._pages[key]

    @property
    def text(self) -> str:
        """The page as the command line prints it."""
        return self._page("text")

    @property
    def markdown(self) -> str:
        """The page with formulas between dollars."""
        return self._page("markdown")

    @property
    def latex(self) -> str:
        """LaTeX to include in a document."""
        return self._page("latex", fragment=True)

    def to_latex_document(self) -> str:
        """LaTeX with \\documentclass, ready to be compiled."""
        return self._page("latex")

    def to_dict(self) -> dict[str, Any]:
        """Every entry, exact: what ``derive --to json`` prints."""
        return json.loads(self._page("json"))

    def _repr_markdown_(self) -> str:
        return self.markdown

    def _repr_latex_(self) -> str:
        """The displayed formulas of the page, one below the other."""
        blocks = re.findall(r"\$\$(.+?)\$\$", self.markdown, flags=re.DOTALL)
        return "\n\n".join(f"$$\n{block.strip()}\n$$" for block in blocks)

    def sympy(self) -> dict[str, Any]:
        """SymPy's expressions: ``mass_matrix`` and ``forcing`` as matrices, ``kinematics``, ``auxiliary`` and ``outputs`` by name, ``energy``,
        ``constraints`` with phi, rate, G, gamma; ``symbols`` by name. Decimal numbers are exact rationals. Needs SymPy.

        Symbols are real and have the names of the model: the rate of theta is the symbol ``theta'``, not a derivative of a function.
        """
        return _Converter(json.loads(self._page("json", form="readable"))).everything()

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Equations of '{self._mechanism.name}'>"


class _Converter:
    def __init__(self, data: dict[str, Any]):
        import sympy

        self.sympy, self.data = sympy, data
        # The rules of SymPy's parser would take S, N, E … for functions of its own: every name goes through a stand-in.
        self.symbols: dict[str, Any] = {}
        self.defined: dict[str, Any] = {}
        self.functions = {
            **{name: getattr(sympy, name) for name in "sin cos tan asin acos atan atan2 sqrt exp log tanh sign".split()},
            "abs": sympy.Abs, "min": sympy.Min, "max": sympy.Max,
            "if": lambda c, a, b: sympy.Piecewise((a, c if isinstance(c, sympy.logic.boolalg.Boolean) else c > 0), (b, True)),
        }
        self.constants = {"pi": sympy.pi, "deg": sympy.pi / 180, "undefined": sympy.nan}

    def symbol(self, name: str):
        if name in self.defined:
            return self.defined[name]
        if name not in self.symbols:
            self.symbols[name] = self.sympy.Symbol(name, real=True)
        return self.symbols[name]

    def formula(self, text: str):
        """Of a formula in the library's own language: names are looked up, never evaluated by the parser."""
        environment: dict[str, Any] = {"__builtins__": {}, "number": self.sympy.Rational}

        def stand_in(match: re.Match) -> str:
            name = match[0]
            is_call = match.string[match.end():].lstrip().startswith("(")
            key = f"n{len(environment)}"
            environment[key] = (self.functions[name] if is_call and name in self.functions
                                else self.constants[name] if name in self.constants else self.symbol(name))
            return key

        pieces, at = [], 0
        for match in re.finditer(rf"{_NAME.pattern}|{_DECIMAL.pattern}|\d+", text):
            pieces.append(text[at:match.start()])
            word = match[0]
            pieces.append(f"number('{word}')" if word[0].isdigit() or word[0] == "." else stand_in(match))
            at = match.end()
        source = "".join([*pieces, text[at:]]).replace("^", "**")
        return self.sympy.sympify(eval(source, environment))  # noqa: S307: names are stand-ins, nothing else can be called

    def matrix(self, rows):
        return self.sympy.Matrix([[self.formula(x) for x in row] for row in rows]) if rows else self.sympy.zeros(0, 0)

    def everything(self) -> dict[str, Any]:
        data, formula = self.data, self.formula
        for z in data.get("intermediates", []):
            self.defined[z["name"]] = formula(z["value"])
        by_name = lambda d: {k: formula(v) for k, v in (d or {}).items()}  # noqa: E731
        out: dict[str, Any] = {}
        if "mass_matrix" in data:
            out["mass_matrix"] = self.matrix(data["mass_matrix"])
        if "forcing" in data:
            out["forcing"] = self.sympy.Matrix([formula(x) for x in data["forcing"]])
        for key in ("kinematics", "auxiliary", "outputs", "energy"):
            if key in data:
                out[key] = by_name(data[key])
        out["constraints"] = [
            {"name": c["name"], "phi": formula(c["phi"]), "rate": formula(c["rate"]),
             "G": self.sympy.Matrix([[formula(x) for x in c["G"]]]), "gamma": formula(c["gamma"])}
            for c in data.get("constraints", [])
        ]
        out["symbols"] = dict(self.symbols)
        return out
