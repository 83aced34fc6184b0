#!/usr/bin/env python3
"""tex_test.py PROGRAM ROOT [--zoo] [MODEL...]: the LaTeX that the program writes is compiled by pdflatex.

Without --zoo a fixed sample, and a model with the oddest names and texts; with it every model of the zoo in every form: `derive`,
`derive --steps` in each formulation that has steps, `linearize --symbolic`, `perturb`. Of each text it is asked that it compiles,
that no line sticks out by more than 10 pt, and that no key of references.bib and no sign of our own notation is left in it. Pages of two
large mechanisms have few sides, and fragments compile inside a document of another class."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

widest = 10  # pt beyond the margin
stepping = ["kane", "lagrange", "newton_euler", "barycentric", "roberson_schwertassek"]
derivations = [["derive"], ["derive", "--form", "recursive"], *(["derive", "--steps", "--formulation", f] for f in stepping)]
studies = [["linearize", "--symbolic"], ["linearize", "--symbolic", "--state-space"], ["perturb", "--orders"]]  # may be refused
sample = {
    "triple_pendulum": [["derive"]],  # a tree
    "stewart_platform": [["derive"]],  # closed chains
    "four_bar": [derivations[2]],  # a closed chain, step by step
    "flexible_slider_crank": [["derive"]],  # an elastic rod
    "ralf": [["derive"]],  # elastic links in a loop, indices of indices
    "duffing": [["perturb"]],  # an excitation, steady states
    "rod_pendulum": [derivations[2]],
    "slider_crank": [derivations[4], ["linearize", "--symbolic"]],
    "bricard": [["derive"]],
    "gyrostat": [derivations[3]],
    "mufti_tree": [derivations[5]],
    "lynch_triple_pendulum": [derivations[6]],
    "spring_pendulum": [["perturb", "--orders"]],
}
odd = r"""
format = 1
name = "100 % odd_name & #1 {x^2} \\ ~ $ 中 ω"
gravity = [0, "-9.81", 0]

[parameters]
mass_of_arm = { value = 2, unit = "kg", about = "m_arm ^ 2 % & # $ { } \\ ~ – µ ħ 中 ε q̇" }
len = { value = 0.5, unit = "m" }
Izz = { value = 0.1, unit = "kg*m^2" }
stiff = { value = 3, unit = "N*m/rad" }

[[body]]
name = "upper_arm"
mass = "mass_of_arm"
inertia = [0, 0, "Izz"]
points = { pivot = [0, "len", 0] }

[[joint]]
name = "hip_left"
type = "revolute"
parent = "ground"
child = "upper_arm"
child_at = "pivot"
axis = "z"
stiffness = "stiff"
"""


def overfull(log):
    return max((float(w) for w in re.findall(r"Overfull \\hbox \(([0-9.]+)pt too wide\)", log)), default=0)


rigid_only = ("newton_euler", "barycentric", "roberson_schwertassek")


most_sides = {"wishbone": 6, "quadrotor": 4}  # of A4; all that `derive` prints by default
article = r"""\documentclass[twocolumn]{article}
\usepackage{amsmath,array,graphicx,longtable,multicol,textcomp}
\begin{document}
Before. \onecolumn
%s
\twocolumn After.
\end{document}
"""


def sides(log):
    return max(int(n) for n in re.findall(r"\[(\d+)", log))


def check(program, root, model, words):
    """What is wrong with the LaTeX of one command: a list of sentences; None where the program gives none."""
    done = subprocess.run([program, words[0], str(model), *words[1:], "--to", "latex"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=900)
    if done.returncode != 0:
        # balances of rigid bodies refuse beams, and say so
        if 'type = "beam"' in pathlib.Path(model).read_text() and words[-1] in rigid_only:
            return None if f"the formulation {words[-1]} is for rigid bodies" in done.stderr else [f"refused without the reason: {done.stderr.strip()[:300]}"]
        return None if words in studies else [f"exit {done.returncode}: {done.stderr.strip()[:300]}"]
    wrong = []
    text = article % done.stdout if "--fragment" in words else done.stdout
    prose = re.sub(r"\\\[.*?\\\]|\\begin\{(align\*?|equation)\}.*?\\end\{\1\}|\$[^$]*\$", "", text, flags=re.S)
    for key in re.findall(r"^@\w+\{(\w+),", (root / "references.bib").read_text(), re.M):
        if re.search(rf"\b{key}\b", prose) and re.search(rf"\b{key}\b[ ,\]]", text):
            wrong.append(f"the citation key {key} is left")
    if "odd" not in str(model):
        wrong += [f"in prose: {sign!r} in {line.strip()[:120]}" for sign in (r"\textasciicircum", "`") for line in prose.splitlines() if sign in line][:3]
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "page.tex").write_text(text)
        tex = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-draftmode", "page.tex"], cwd=folder,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=900, env={**os.environ, "max_print_line": "1000"})
        log = (pathlib.Path(folder) / "page.log").read_text(errors="replace")
        if tex.returncode != 0:
            at = log.find("\n! ")
            wrong.append("does not compile: " + " ".join(log[at + 1:at + 400].split()))
        if overfull(log) > widest:
            wrong.append(f"sticks out by {overfull(log):.0f} pt, {len(re.findall('Overfull .hbox', log))} lines too wide")
        if words == ["derive"] and sides(log) > most_sides.get(model.stem, 1000):
            wrong.append(f"{sides(log)} sides, not {most_sides[model.stem]}")
        if "Missing character" in log:
            wrong.append(re.search("Missing character.*", log).group())
    if "KEEP" in os.environ:  # a folder, to look at them
        name = "_".join([model.parent.name, *words]).replace("--", "")
        (pathlib.Path(os.environ["KEEP"]) / (name + ".tex")).write_text(text)
        (pathlib.Path(os.environ["KEEP"]) / (name + ".log")).write_text(log)
    return wrong


def main():
    words = [w for w in sys.argv[1:] if w != "--zoo"]
    program, root, only = words[0], pathlib.Path(words[1]), words[2:]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "odd.toml"
        path.write_text(odd)
        jobs = [(path, w) for w in derivations[:1] + derivations[2:4] + studies[:1] + [["derive", "--fragment"]]]
        jobs += [(root / "test" / "tex" / f"{name}.toml", ["derive"]) for name in most_sides]
        if "--zoo" in sys.argv:
            zoo = sorted(m for m in root.glob("models/*/*") if m.name in ("model.toml", "lynch.toml"))
            jobs += [(m, w) for m in zoo if not only or m.parent.name in only for w in derivations + studies]
        else:
            jobs += [(next((root / "models" / m).glob("[ml]*.toml")), w) for m, list_of in sample.items() for w in list_of]
        written, wrong = {}, 0
        with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
            for (model, how), result in zip(jobs, pool.map(lambda job: check(program, root, *job), jobs)):
                if result is not None:
                    written[tuple(how)] = written.get(tuple(how), 0) + 1
                for sentence in result or []:
                    wrong += 1
                    print(f"{model.parent.name}: {' '.join(how)}: {sentence}", flush=True)
    for how in {tuple(how) for _, how in jobs} - set(written):
        wrong += 1
        print(f"{' '.join(how)}: no model gave a page")
    print(f"{sum(written.values())} pages, {wrong} mistakes")
    sys.exit(1 if wrong else 0)


main()
