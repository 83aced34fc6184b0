"""What goes wrong, and what there is to say beside a result."""

from __future__ import annotations

import re
import warnings as _python_warnings
from typing import Any, NamedTuple


class Diagnostic(NamedTuple):
    """One thing that there is to say, with its place in the model file where it has one.

    ``str()`` of it is what the command line prints: ``crane.toml:12:8: error: …`` and a hint on a line of its own.
    """

    severity: str  #: "error", "warning" or "note"
    file: str  #: empty where the text came from no file
    line: int  #: from 1; 0: no place
    column: int
    what: str
    hint: str  #: what to try; may be empty

    def __str__(self) -> str:
        place = f"{self.file}:" if self.file else ""
        place += f"{self.line}:{self.column}: " if self.line else (" " if place else "")
        return f"{place}{self.severity}: {self.what}" + (f"\n    hint: {self.hint}" if self.hint else "")


class InputError(ValueError):
    """A model, a name or an option that makes no sense. All that is wrong is told at once, in ``diagnostics``."""

    diagnostics: list[Diagnostic]

    def __init__(self, message: str, diagnostics: list[Diagnostic] | None = None):
        super().__init__(message)
        self.diagnostics = diagnostics or []

    def __reduce__(self):
        return type(self), (self.args[0], self.diagnostics)


class NumericalError(ArithmeticError):
    """The numbers would not: no convergence, no equilibrium, a motion that could not go on.

    ``partial`` is what was reached: the rows of a motion up to there, the nearest approach of a search; None where that is nothing.
    """

    diagnostics: list[Diagnostic]
    partial: Any

    def __init__(self, message: str, diagnostics: list[Diagnostic] | None = None, partial: Any = None):
        super().__init__(message)
        self.diagnostics = diagnostics or []
        self.partial = partial

    def __reduce__(self):
        return type(self), (self.args[0], self.diagnostics, self.partial)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C in the middle of a long call; ``partial`` is what was reached, where the verb keeps that."""

    def __init__(self, message: str = "", diagnostics: list[Diagnostic] | None = None, partial: Any = None):
        super().__init__(message)
        self.diagnostics = diagnostics or []
        self.partial = partial


class LinkwrightWarning(UserWarning):
    """What should be known of a result, though there is one. ``warnings.simplefilter("error", lw.LinkwrightWarning)`` makes it an error."""


def _in_python(text: str) -> str:
    """The library calls options by their words on the command line: ``--max-step`` is the keyword ``max_step`` here."""
    return re.sub(r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)", lambda word: word[1].replace("-", "_"), text)


def read_diagnostics(rows) -> list[Diagnostic]:
    return [Diagnostic(severity, file, line, column, _in_python(what), _in_python(hint)) for severity, file, line, column, what, hint in rows]


def _message(problems: list[Diagnostic]) -> str:
    return "\n".join(str(d) for d in problems if d.severity == "error") or "\n".join(map(str, problems))


def _is_inside(frame) -> bool:
    return frame.f_globals.get("__name__", "").startswith("linkwright.") or frame.f_globals.get("__name__") == "linkwright"


def warn(problems: list[Diagnostic]) -> None:
    """Warnings as Python has them, at the line that called the package."""
    import sys

    level, frame = 1, sys._getframe()
    while frame is not None and _is_inside(frame):
        level, frame = level + 1, frame.f_back
    for d in problems:
        if d.severity == "warning":
            _python_warnings.warn(str(d).replace("warning: ", "", 1), LinkwrightWarning, stacklevel=level)


def unpack(answer, wrap, *, a_failure_is_an_answer: bool = False):
    """The value of a call, wrapped by ``wrap(value, diagnostics)``; what there is to say is said, and what failed is raised."""
    status, rows, value, stopped_by = answer
    problems = read_diagnostics(rows)
    result = None if value is None else wrap(value, problems)
    if status == 2:
        raise InputError(_message(problems), problems)
    if stopped_by == "signal":
        raise Interrupted(_message(problems), problems, result)
    is_wanted = a_failure_is_an_answer or stopped_by == "on_step"
    if status == 1 and not (is_wanted and result is not None):
        raise NumericalError(_message(problems), problems, result)
    warn(problems)
    return result
