"""Many states at once, by compiled code on all cores."""

from __future__ import annotations

import warnings

import numpy as np

from ._errors import LinkwrightWarning


class Compiled:
    """A function of states: ``f(q, u)`` with rows of coordinates and speeds gives rows of what it was compiled for.

    ``q`` has the shape (n, number of coordinates), ``u`` (n, number of speeds), in the order of ``coordinates`` and ``speeds``; one state may
    be given as a single row, and then one row comes back. ``w`` are inputs, a row for each state or one for all; without it inputs have
    their values from the model at time ``t``. ``x`` are auxiliary states (filters, motors), without it 0. States are taken as they stand: loops
    are not closed.

    Arrays of doubles in C order are read where they are; ``out`` is written in place. Python's lock is released meanwhile, and threads may share
    one function. The numbers do not depend on the number of threads, nor on which other states are in the batch.

    Of closed chains a state whose accelerations cannot be found has NaN in its row, with a warning that names the first.
    """

    def __init__(self, function, mechanism, what):
        self._function, self._mechanism, self._what = function, mechanism, tuple(what)
        self.coordinates: list[str] = function.coordinates
        self.auxiliary: list[str] = function.auxiliary
        self.speeds: list[str] = function.speeds
        self.inputs: list[str] = function.inputs
        #: numbers of a packed state: t, coordinates, auxiliary states, speeds, inputs
        self.width: int = function.width
        self._outputs: int = function.outputs
        #: numbers of a state's row: all quantities together
        self.size: int = function.outputs
        self._parts = function.parts
        self._nq, self._nu = len(self.coordinates), len(self.speeds)
        self._is_plain = len(self._parts) == 1 and not self._parts[0][4]  # the rows are what is asked for

    def __call__(self, q, u, w=None, t=0.0, *, x=None, out=None, threads: int = 0):
        """Rows for the states; a dictionary of such where several quantities were asked for."""
        q, u = np.asarray(q, dtype=float), np.asarray(u, dtype=float)
        is_single = q.ndim == 1
        if q.ndim != u.ndim or q.ndim not in (1, 2):
            raise ValueError("q and u: a row each, or as many rows of both")
        points = 1 if is_single else len(q)
        self._check("q", q, points, self._nq)
        self._check("u", u, points, self._nu)
        if w is not None:
            w = np.asarray(w, dtype=float)
            self._check("w", w, 1 if w.ndim == 1 else points, len(self.inputs))
        if x is not None:
            x = np.asarray(x, dtype=float)
            self._check("x", x, points, len(self.auxiliary))
        return self._run(points, is_single, out, threads, self._times(t, points), q, x, u, w, None)

    @staticmethod
    def _times(t, points):
        if t.__class__ is float and t == 0.0:
            return None
        t = np.asarray(t, dtype=float).reshape(-1)
        if t.size not in (1, points):
            raise ValueError(f"t: one time, or one for each of the {points} states, not {t.size}")
        return t

    def packed(self, states, *, out=None, threads: int = 0):
        """The same of states in one array, a row each: t, coordinates, auxiliary states, speeds, inputs. Nothing is copied."""
        states = np.asarray(states, dtype=float)
        if states.ndim != 2 or states.shape[1] != self.width:
            raise ValueError(f"states: rows of {self.width} numbers, not an array of shape {states.shape}")
        return self._run(len(states), False, out, threads, None, None, None, None, None, states)

    @staticmethod
    def _check(name, a, rows, columns):
        if a.shape != (rows, columns) and not (a.ndim == 1 and rows == 1 and len(a) == columns):
            raise ValueError(f"{name}: {rows} row{'s' if rows != 1 else ''} of {columns}, not an array of shape {a.shape}")

    def _run(self, points, is_single, out, threads, *states):
        wanted = (self._outputs,) if is_single else (points, self._outputs)
        if out is None:
            out = np.empty(wanted)
        elif not isinstance(out, np.ndarray) or out.dtype != np.float64 or not out.flags.carray:
            raise ValueError("out: a writeable array of doubles in C order")
        elif out.shape != wanted:
            raise ValueError(f"out: the shape is {wanted}, not {out.shape}")
        failed, first, why = self._function.run(points, *states, out, threads)
        if failed:
            warnings.warn(f"{failed} of {points} states have no accelerations; the first is number {first}: {why}", LinkwrightWarning, stacklevel=3)
        return out if self._is_plain else self._shaped(out)

    def _shaped(self, rows):
        """Views of the rows, in the shape of each quantity."""
        views = {}
        for name, at, height, width, is_matrix in self._parts:
            part = rows[..., at:at + height * width]
            views[name] = part.reshape(*part.shape[:-1], height, width) if is_matrix else part
        return next(iter(views.values())) if len(views) == 1 else views

    @property
    def is_native(self) -> bool:
        """Machine code, and not the interpreter that stands in for it on other processors."""
        return self._function.is_native

    def __reduce__(self):
        return _compile_again, (self._mechanism, self._what)

    def __repr__(self) -> str:
        return f"<Compiled {', '.join(self._what)} of '{self._mechanism.name}'>"


def _compile_again(mechanism, what):
    return mechanism.compile(what)
