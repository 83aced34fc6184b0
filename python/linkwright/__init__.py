"""Equations of motion of mechanisms: derived, proved, compiled.

    >>> import linkwright as lw
    >>> crane = lw.load("crane.toml", set={"m": 80})
    >>> motion = crane.simulate(until=10)
    >>> motion["theta"].max()

A model comes from a file (``load``), a text (``loads``) or is written in Python (``Model``). What comes of it is a ``Mechanism``; every verb of the
command line is a method of it, with the same words as keywords and the same numbers as results. Numbers are NumPy arrays; ``to_dict()`` of a
result is what ``--json`` prints. ``compile()`` gives a function that computes accelerations of many states at once, on all cores.

What is wrong with a model or an option is an ``InputError`` with all of its diagnostics; numbers that would not are a ``NumericalError`` with what was
reached in ``partial``; Ctrl-C is an ``Interrupted``, likewise. Warnings are ``LinkwrightWarning``; notes are in ``notes`` of the result.
"""

from . import _results as results
from ._batch import Compiled
from ._builder import Model
from ._equations import Equations
from ._errors import Diagnostic, InputError, Interrupted, LinkwrightWarning, NumericalError
from ._linkwright import known_formulations as _known_formulations
from ._linkwright import version as __version__
from ._mechanism import Mechanism, load, loads
from ._results import Record, Result
from ._words import Event

#: Ways to derive the equations: load(…, formulation="lagrange")
formulations: tuple = tuple(_known_formulations().split(", "))

__all__ = [
    "Compiled", "Diagnostic", "Equations", "Event", "InputError", "Interrupted", "LinkwrightWarning", "Mechanism", "Model", "NumericalError", "Record",
    "Result", "__version__", "formulations", "load", "loads", "results",
]
