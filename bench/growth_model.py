#!/usr/bin/env python3
"""bench/growth_model.py SHAPE N     a mechanism of N bodies as a model file, to standard output

Shapes: chain, tree (binary), star (N bodies on the ground), floating (a chain on a body that flies), named (a chain in which
every body has parameters of its own). Joints turn about x, y, z in turn, with weak springs and dampers. Bodies have no two masses
alike, so that nothing is the same by accident; how fast it moves does not depend on N, as long as it is not heavy: g is small.
"""
import sys

SHAPES = ("chain", "tree", "star", "floating", "named")


def write(shape, n):
    """The text of the file."""
    lines = ["format = 1", f'name = "{shape} of {n}"', 'gravity = [0, "-g", 0]', "", "[parameters]", "g = 0.01", "k = 20", "c = 0.2"]
    masses = [1 + (37 * i % 101) / 1000 for i in range(n + 1)]
    if shape == "named":
        for i in range(1, n + 1):
            lines += [f"m{i} = {masses[i]:.3f}", f"l{i} = {0.5 + 13 * i % 89 / 1000:.3f}", f"J{i} = {0.1 + 7 * i % 97 / 1000:.3f}"]
    for i in range(1, n + 1):
        m, l, inertia = ((f'"m{i}"', f'"l{i}"', f'"J{i}"') if shape == "named"
                         else (f"{masses[i]:.3f}", f"{0.5 + 13 * i % 89 / 1000:.3f}", f"{0.1 + 7 * i % 97 / 1000:.3f}"))
        lines += ["", "[[body]]", f'name = "b{i}"', f"mass = {m}", f"com = [{l}, 0, 0.02]", f"inertia = [0.02, {inertia}, {inertia}]"]
    for i in range(1, n + 1):
        inner = {"tree": i // 2, "star": 0}.get(shape, i - 1)
        lines += ["", "[[joint]]", f'name = "q{i}"', f'parent = "{f"b{inner}" if inner else "ground"}"', f'child = "b{i}"']
        if shape == "floating" and i == 1:
            lines += ['type = "free"']
            continue
        at = [0, 0, 0] if inner == 0 else [1, (0.3 if i % 2 else -0.3) if shape == "tree" else 0, 0]
        if shape == "star":
            at = [0, i, 0]
        lines += ['type = "revolute"', f'axis = "{"xyz"[i % 3]}"', f"parent_at = {at}", 'stiffness = "k"', 'damping = "c"']
    lines += ["", "[initial]"]
    lines += [f"q{i} = {0.02 + i % 5 / 100:.2f}" for i in range(2 if shape == "floating" else 1, n + 1)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in SHAPES or not sys.argv[2].isdigit():
        sys.exit(__doc__)
    sys.stdout.write(write(sys.argv[1], int(sys.argv[2])))
