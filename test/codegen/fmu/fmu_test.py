#!/usr/bin/env python3
"""FMUs of the zoo through an importer of our own: what they compute against `simulate`, what they say against the rules of the standard.

usage: fmu_test.py LINKWRIGHT ROOT [MODEL …]
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import description_rules as rules

LINKWRIGHT, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
HERE = pathlib.Path(__file__).parent
failures = 0

EVENTS = """
[[event]]
name = "bottom"
when = "{0}"
direction = "falling"

[[event]]
name = "any"
when = "{0} - {1}"
"""
STOP = """
[[event]]
name = "end"
when = "{0} - {1}"
direction = "rising"
action = "stop"
"""

SLOWER = """
[[filter]]
name = "slow"
input = "elbow + 0.1*pd1"
numerator = [1]
denominator = ["Td", 0.8, 1]
sample = "2.5*T"
method = "tustin"

[[filter]]
name = "slower"
input = "slow - 0.3*shoulder"
numerator = [1, 3]
denominator = [0.1, 1]
sample = "6*T"

[[force]]
name = "shaker"
on = "fore.hand"
vector = [0, "20*slower", 0]
"""

# model, appended text, end, step of Runge and Kutta, versions, what to do (all), values that are set before the start
ALL = "me,cs,linear,state,misuse"
CASES = {
    "single_pendulum": ("single_pendulum", EVENTS.format("theta", 0.2), 3, 2e-3, (2, 3), ALL, {}),
    "stopped_pendulum": ("single_pendulum", STOP.format("theta", 0.3), 5, 2e-3, (2, 3), "me,cs,misuse", {}),
    "cart_pole": ("cart_pole", "", 1, 1e-3, (2,), ALL, {}),
    "double_pendulum": ("double_pendulum", "", 1, 1e-3, (3,), ALL, {}),
    "spinning_top": ("spinning_top", "", 0.5, 5e-4, (2,), ALL, {}),
    "four_bar": ("four_bar", EVENTS.format("sin(alpha)", 0.5), 1, 5e-4, (2, 3), ALL, {}),
    "other_four_bar": ("four_bar", "", 1, 5e-4, (2,), "me,cs", {"a": 0.12, "rho": 1.5, "alpha": 1.2, "alpha'": 8}),
    "slider_crank": ("slider_crank", "", 0.6, 1e-4, (2,), ALL, {}),
    "bennett": ("bennett", "", 1, 1e-3, (3,), "me,cs,state,misuse", {}),
    "rolling_disk": ("rolling_disk", "", 1, 1e-3, (2,), ALL, {}),
    "driven_crank": ("driven_crank", "", 1, 1e-3, (3,), ALL, {}),
    "hub_beam_electric": ("hub_beam_electric", "", 0.05, 2e-5, (3,), ALL, {"volts": 12}),
    "satellite": ("satellite", "", 2, 2e-3, (2,), ALL, {}),
    "motor_driven_arm": ("motor_driven_arm", "", 0.1, 4e-5, (2, 3), ALL, {}),
    "two_computers": ("motor_driven_arm", SLOWER + EVENTS.format("elbow - pi/3 + 0.0005", -0.002), 0.1, 4e-5, (2, 3), "me,cs,state", {}),
    "stopped_computer": ("motor_driven_arm", STOP.format("pi/3 - 0.0035", "elbow"), 0.1, 4e-5, (2, 3), "me,cs,state,misuse", {}),
    "stopped_computers": ("motor_driven_arm", SLOWER + STOP.format("t", "0.0303") + EVENTS.format("elbow - pi/3 + 0.0005", -0.002), 0.1, 4e-5, (2, 3), "me,cs", {}),
    "stiff": ("van_der_pol", "", 50, 1e-3, (2, 3), "cs,state", {"mu": 100}),
}


def expect(is_right, what):
    global failures
    if not is_right:
        failures += 1
        print("FAILED:", what)


def run(*words, **how):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, **how)


def simulate(model, end, rows, start, what):
    more = [word for k, v in start.items() for word in (("--initial", f"{k}={v}") if k.startswith("alpha") else ("--set", f"{k}={v}"))]
    more += [] if "me" in what else ["--integrator", "bdf"]
    ran = run(LINKWRIGHT, "simulate", model, "--until", end, "--samples", rows, "--tolerance", "1e-12", "--json", "--quiet", *more)
    expect(ran.returncode == 0, f"simulate {model}: {ran.stderr}")
    motion = json.loads(ran.stdout)
    motion["rows"] = list(zip(*motion["columns"].values()))
    return motion


def unpack(archive, folder):
    with zipfile.ZipFile(archive) as z:
        expect(z.testzip() is None, f"{archive} is damaged")
        names = z.namelist()
        z.extractall(folder)
    return names


def slopes_are_right(d, lines):
    """Directional derivatives against differences; what is not listed has no influence, what is `constant` has the same one everywhere."""
    by_reference = {v.reference: v for v in d.variables}
    listed = {u.key: u for u in d.outputs + d.derivatives + d.indicators}
    largest = {}
    for _, unknown, known, by_differences, exact in lines:
        largest[unknown] = max(largest.get(unknown, 1.0), abs(float(by_differences)))
    for _, unknown, known, by_differences, exact in lines:
        u, k = by_reference[int(unknown)], by_reference[int(known)]
        name, error = f"d({u.name})/d({k.name})", abs(float(by_differences) - float(exact))
        expect(error < 2e-6 * largest[unknown], f"{name} is {by_differences}, not {exact}")
        if u.key in listed and k.key not in listed[u.key].dependencies and (k.causality != "parameter" or d.version == 3):
            noise = 1e-8 if k.causality == "parameter" else 1e-10  # by parameters the FMU takes differences
            expect(abs(float(by_differences)) < 1e-8 * largest[unknown] and float(exact) == 0 or abs(float(exact)) < noise * largest[unknown],
                   f"{name} is {exact}, and not listed")


def try_model(name, folder, importer):
    model, more, end, step, versions, what, start = CASES[name]
    text = (ROOT / "models" / model / "model.toml").read_text()
    path = folder / f"{name}.toml"
    at = text.find("[initial]")
    path.write_text(text[:at] + more + "\n" + text[at:] if at >= 0 else text + more)
    rows = 20
    motion = simulate(path, end, rows, start, what)
    columns = {c: i for i, c in enumerate(motion["columns"])}
    for version in versions:
        who = f"{name}, FMI {version}"
        out = folder / f"{name}{version}"
        ran = run(LINKWRIGHT, "generate", path, "--language", "fmu", "--fmi", version, "-o", out, env=os.environ | {"SOURCE_DATE_EPOCH": "86400"})
        expect(ran.returncode == 0 and ran.stderr == "", f"{who}: generate: {ran.stderr}")
        archive = next(out.glob("*.fmu"))
        names = unpack(archive, out / "inside")
        d, wrong = rules.check((out / "inside" / "modelDescription.xml").read_text())
        wrong += rules.check_archive(archive.read_bytes(), names, d)
        expect(not wrong, f"{who}: {wrong}")
        expect(d.root.get("generationDateAndTime") == "1970-01-02T00:00:00Z", f"{who}: the date")
        shown = [v for v in d.variables if v.name in columns and v.causality in ("local", "output")]
        expect(len(shown) >= len(d.states), f"{who}: states are missing in simulate")
        counted = [v for v in d.variables if v.name.endswith(".count") or v.name.endswith(".time") and v.name.startswith("event.")]
        knowns = [v for v in d.variables if v.causality == "input" or v in d.states]
        if version == 3 and not any(v.variability == "fixed" for v in d.variables):
            knowns += [v for v in d.variables if v.causality == "parameter"]
        unknowns = [d.by_key[u.key] for u in d.derivatives + d.outputs + d.indicators]
        library = out / "inside" / "binaries" / {2: "linux64", 3: "x86_64-linux"}[version] / f"{d.identifier}.so"
        refs = lambda list_: ",".join(str(v.reference) for v in list_)
        given = ",".join(f"{d.by_name[k].reference}={v}" for k, v in start.items())
        ran = run(importer, library, version, d.token, len(d.states), d.events, end, rows, step, refs(shown + counted), refs(knowns), refs(unknowns),
                  d.states[0].reference, what, env=os.environ | {"START": given})
        expect(ran.returncode == 0, f"{who}: importer: {ran.stderr}")
        lines = [line.split() for line in ran.stdout.splitlines()]
        for way in [w for w in ("me", "cs") if w in what]:
            table = [list(map(float, line[1:])) for line in lines if line[0] == way]
            expect(len(table) == len(motion["rows"]), f"{who}: {way} has {len(table)} rows, simulate {len(motion['rows'])}")
            worst, where = 0, ""
            for got, wanted in zip(table, motion["rows"]):
                expect(abs(got[0] - wanted[0]) < 1e-6, f"{who}: {way} is at {got[0]}, simulate at {wanted[0]}")
                for v, x in zip(shown, got[1:]):
                    y = wanted[columns[v.name]]
                    error = abs(x - y) / max(1, abs(y))
                    if not error <= worst:
                        worst, where = error, f"{v.name} at {got[0]}: {x}, simulate {y}"
            expect(worst < 1e-6, f"{who}: {way}: {where}")
            print(f"  {who}: {way} differs from simulate by {worst:.1e}")
            if counted and table:
                records = motion.get("events", [])
                for v, x in zip(counted, table[-1][1 + len(shown):]):
                    mine = [e["t"] for e in records if v.name.startswith(f"event.{e['name']}.")]
                    wanted = len(mine) if v.name.endswith("count") else mine[-1] if mine else 0
                    expect(abs(x - wanted) < 1e-6, f"{who}: {way}: {v.name} is {x}, simulate {wanted}")
        slopes_are_right(d, [line for line in lines if line[0] == "slope"])
        for line in lines:
            if line[0] in ("restored", "refused"):
                expect(line[1] == "1", f"{who}: {' '.join(line)}")
        again = name == "single_pendulum" and run(LINKWRIGHT, "generate", path, "--language", "fmu", "--fmi", version, "-o", folder / "again", env=os.environ | {"SOURCE_DATE_EPOCH": "86400"})
        if name == "single_pendulum":
            expect((folder / "again" / archive.name).read_bytes() == archive.read_bytes(), f"{who}: written twice, it differs")


def sample_beside_code(folder):
    """Other languages of the same command have the continuous filter, and a note says so."""
    ran = run(LINKWRIGHT, "generate", ROOT / "models" / "motor_driven_arm" / "model.toml", "--language", "fmu,c", "-o", folder / "both")
    expect(ran.returncode == 0 and "treated as continuous" in ran.stderr, f"sampled filters in C: {ran.stderr}")
    with zipfile.ZipFile(folder / "both" / "motor_driven_arm.fmu") as z:
        expect("pd1.held" in z.read("modelDescription.xml").decode(), "an FMU beside C does not sample")
    expect("held" not in (folder / "both" / "motor_driven_arm.c").read_text(), "C beside an FMU samples")


def refuse_and_go_without(folder):
    ran = run(LINKWRIGHT, "generate", ROOT / "models" / "single_pendulum" / "model.toml", "--language", "fmu", "--fmi", 4, "-o", folder)
    expect(ran.returncode == 2 and "--fmi is 2 or 3" in ran.stderr, f"FMI 4: {ran.stderr}")
    nowhere = folder / "bin"
    nowhere.mkdir()
    ran = run(LINKWRIGHT, "generate", ROOT / "models" / "single_pendulum" / "model.toml", "--language", "fmu", "-o", folder / "sources", env={"PATH": str(nowhere)})
    expect(ran.returncode == 0 and "no C compiler" in ran.stderr, f"without a compiler: {ran.stderr}")
    with zipfile.ZipFile(folder / "sources" / "single_pendulum.fmu") as z:
        expect(not [n for n in z.namelist() if n.startswith("binaries")], "without a compiler there is a binary")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        importer = folder / "importer"
        ran = run("cc", "-std=c99", "-O1", "-o", importer, HERE / "importer.c", "-ldl", "-lm")
        expect(ran.returncode == 0, f"the importer does not compile: {ran.stderr}")
        sample_beside_code(folder)
        refuse_and_go_without(folder)
        for case in sys.argv[3:] or CASES:
            try_model(case, folder, importer)
    print("failures:", failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
