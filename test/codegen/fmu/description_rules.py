"""The rules of FMI 2.0 and 3.0 about modelDescription.xml and the archive that an exporter can break, as checks. Each returns what is wrong, as texts."""

import re
import struct
import xml.etree.ElementTree as ElementTree

# causality x variability -> what `initial` may be, the default first; none: the pair is not allowed  [FMI 2.0 §2.2.7, FMI 3.0 §2.4.7.5]
INITIAL = {
    ("parameter", "fixed"): ["exact"],
    ("parameter", "tunable"): ["exact"],
    ("calculatedParameter", "fixed"): ["calculated", "approx"],
    ("calculatedParameter", "tunable"): ["calculated", "approx"],
    ("input", "discrete"): [None],
    ("input", "continuous"): [None],
    ("output", "constant"): ["exact"],
    ("output", "discrete"): ["calculated", "exact", "approx"],
    ("output", "continuous"): ["calculated", "exact", "approx"],
    ("local", "constant"): ["exact"],
    ("local", "fixed"): ["calculated", "approx"],
    ("local", "tunable"): ["calculated", "approx"],
    ("local", "discrete"): ["calculated", "exact", "approx"],
    ("local", "continuous"): ["calculated", "exact", "approx"],
    ("independent", "continuous"): [None],
}
ORDER = ["ModelExchange", "CoSimulation", "UnitDefinitions", "TypeDefinitions", "LogCategories", "DefaultExperiment", "ModelVariables", "ModelStructure"]
STRUCTURE = {2: ["Outputs", "Derivatives", "InitialUnknowns"], 3: ["Output", "ContinuousStateDerivative", "InitialUnknown", "EventIndicator"]}
KINDS = {"dependent", "constant", "fixed", "tunable", "discrete"}
BASE = {"kg", "m", "s", "A", "K", "mol", "cd", "rad", "factor", "offset"}
ATTRIBUTES = {
    2: {
        "fmiModelDescription": {"fmiVersion", "modelName", "guid", "description", "author", "version", "copyright", "license", "generationTool",
                                "generationDateAndTime", "variableNamingConvention", "numberOfEventIndicators"},
        "ModelExchange": {"modelIdentifier", "needsExecutionTool", "completedIntegratorStepNotNeeded", "canBeInstantiatedOnlyOncePerProcess",
                          "canNotUseMemoryManagementFunctions", "canGetAndSetFMUstate", "canSerializeFMUstate", "providesDirectionalDerivative"},
        "CoSimulation": {"modelIdentifier", "needsExecutionTool", "canHandleVariableCommunicationStepSize", "canInterpolateInputs",
                         "maxOutputDerivativeOrder", "canRunAsynchronuously", "canBeInstantiatedOnlyOncePerProcess",
                         "canNotUseMemoryManagementFunctions", "canGetAndSetFMUstate", "canSerializeFMUstate", "providesDirectionalDerivative"},
        "ScalarVariable": {"name", "valueReference", "description", "causality", "variability", "initial", "canHandleMultipleSetPerTimeInstant"},
        "Real": {"declaredType", "quantity", "unit", "displayUnit", "relativeQuantity", "min", "max", "nominal", "unbounded", "start", "derivative", "reinit"},
        "Unknown": {"index", "dependencies", "dependenciesKind"},
    },
    3: {
        "fmiModelDescription": {"fmiVersion", "modelName", "instantiationToken", "description", "author", "version", "copyright", "license",
                                "generationTool", "generationDateAndTime", "variableNamingConvention"},
        "ModelExchange": {"modelIdentifier", "canGetAndSetFMUState", "canSerializeFMUState", "providesDirectionalDerivatives",
                          "needsCompletedIntegratorStep", "needsExecutionTool", "providesEvaluateDiscreteStates"},
        "CoSimulation": {"modelIdentifier", "canGetAndSetFMUState", "canSerializeFMUState", "providesDirectionalDerivatives",
                         "canHandleVariableCommunicationStepSize", "hasEventMode", "needsExecutionTool"},
        "Float64": {"name", "valueReference", "description", "causality", "variability", "initial", "unit", "start", "derivative", "nominal"},
        "Output": {"valueReference", "dependencies", "dependenciesKind"},
        "ContinuousStateDerivative": {"valueReference", "dependencies", "dependenciesKind"},
        "InitialUnknown": {"valueReference", "dependencies", "dependenciesKind"},
        "EventIndicator": {"valueReference", "dependencies", "dependenciesKind"},
    },
}
DATE = re.compile(r"-?\d{4,}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:\d\d)?")


class Variable:
    def __init__(self, version, place, element):
        get = element.get if version == 3 else lambda key: element.get(key, element[0].get(key))
        self.name, self.reference = get("name"), int(get("valueReference"))
        self.causality, self.variability, self.initial = get("causality"), get("variability"), get("initial")
        self.start, self.unit, self.derivative = get("start"), get("unit"), get("derivative")
        self.key = place + 1 if version == 2 else self.reference  # what <ModelStructure> calls it

    def meant_initial(self):
        return self.initial or INITIAL[self.causality, self.variability][0]


class Unknown:
    def __init__(self, element):
        self.key = int(element.get("index") or element.get("valueReference"))
        self.dependencies = None if element.get("dependencies") is None else [int(x) for x in element.get("dependencies").split()]
        self.kinds = (element.get("dependenciesKind") or "").split()


class Description:
    def __init__(self, text):
        self.root = ElementTree.fromstring(text)
        self.version = int(self.root.get("fmiVersion")[0])
        self.token = self.root.get("guid") or self.root.get("instantiationToken")
        self.identifier = self.root.find("ModelExchange").get("modelIdentifier")
        self.variables = [Variable(self.version, i, x) for i, x in enumerate(self.root.find("ModelVariables"))]
        self.by_key = {v.key: v for v in self.variables}
        self.by_name = {v.name: v for v in self.variables}
        structure = self.root.find("ModelStructure")

        def unknowns(name2, name3):
            found = structure.findall(f"{name2}/Unknown") if self.version == 2 else structure.findall(name3)
            return [Unknown(x) for x in found]

        self.outputs = unknowns("Outputs", "Output")
        self.derivatives = unknowns("Derivatives", "ContinuousStateDerivative")
        self.initial_unknowns = unknowns("InitialUnknowns", "InitialUnknown")
        self.indicators = unknowns("EventIndicators", "EventIndicator")
        self.events = len(self.indicators) if self.version == 3 else int(self.root.get("numberOfEventIndicators"))
        self.states = [self.by_key[int(self.by_key[u.key].derivative)] for u in self.derivatives if u.key in self.by_key]


def check_elements(d):
    wrong = []
    names = [x.tag for x in d.root]
    if names != sorted(names, key=ORDER.index):
        wrong.append(f"elements stand in the order {names}")
    inside = [x.tag for x in d.root.find("ModelStructure")]
    if inside != sorted(inside, key=STRUCTURE[d.version].index):
        wrong.append(f"elements of ModelStructure stand in the order {inside}")
    for x in d.root.iter():
        allowed = ATTRIBUTES[d.version].get(x.tag)
        if allowed is not None and set(x.attrib) - allowed:
            wrong.append(f"{x.tag} has the attributes {set(x.attrib) - allowed}")
    if not DATE.fullmatch(d.root.get("generationDateAndTime")):
        wrong.append("generationDateAndTime is no xs:dateTime")
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", d.identifier):
        wrong.append("modelIdentifier is no identifier")
    return wrong


def check_variables(d):
    wrong = []
    units = {x.get("name") for x in d.root.findall("UnitDefinitions/Unit")}
    for x in d.root.findall("UnitDefinitions/Unit/BaseUnit"):
        if set(x.attrib) - BASE:
            wrong.append(f"BaseUnit has the attributes {set(x.attrib) - BASE}")
    if len({v.name for v in d.variables}) != len(d.variables):
        wrong.append("names are not unique")
    if len({v.reference for v in d.variables}) != len(d.variables):
        wrong.append("value references are not unique")
    if [v.causality for v in d.variables].count("independent") != 1:
        wrong.append("there is not one independent variable")
    for v in d.variables:
        allowed = INITIAL.get((v.causality, v.variability))
        if allowed is None or (v.initial is not None and v.initial not in allowed):
            wrong.append(f"{v.name} is {v.causality}, {v.variability}, {v.initial}")
            continue
        needs = v.meant_initial() in ("exact", "approx") or v.causality == "input"
        if needs != (v.start is not None):
            wrong.append(f"{v.name} has {'no' if needs else 'a'} start value")
        if v.unit is not None and v.unit not in units:
            wrong.append(f"the unit {v.unit} of {v.name} is not defined")
        if v.derivative is not None and d.by_key.get(int(v.derivative)) is None:
            wrong.append(f"{v.name} is the derivative of nothing")
    return wrong


def check_structure(d):
    wrong = []
    outputs = {v.key for v in d.variables if v.causality == "output"}
    derivatives = [v.key for v in d.variables if v.derivative is not None]
    states = {int(v.derivative) for v in d.variables if v.derivative is not None}
    if sorted(u.key for u in d.outputs) != sorted(outputs):
        wrong.append("Outputs are not the variables with causality output")
    if [u.key for u in d.derivatives] != derivatives:
        wrong.append("Derivatives are not the derivatives")
    initial = outputs | states | set(derivatives) | {v.key for v in d.variables if v.causality == "calculatedParameter"}
    initial = {k for k in initial if d.by_key[k].meant_initial() in ("approx", "calculated")}
    if [u.key for u in d.initial_unknowns] != sorted(initial):
        wrong.append(f"InitialUnknowns are {[u.key for u in d.initial_unknowns]}, and not {sorted(initial)}")
    inputs = {v.key for v in d.variables if v.causality == "input"}
    parameters = {v.key for v in d.variables if v.causality == "parameter"}
    exact = {v.key for v in d.variables if v.meant_initial() == "exact"}
    later = inputs | states | (parameters if d.version == 3 else set())
    for unknowns, knowns, kinds in ((d.outputs, later, KINDS), (d.derivatives, later, KINDS), (d.indicators, later, KINDS),
                                    (d.initial_unknowns, inputs | exact, {"dependent", "constant"})):
        for u in unknowns:
            name = d.by_key[u.key].name
            if u.dependencies is None:
                wrong.append(f"{name} has no dependencies")
                continue
            if set(u.dependencies) - knowns or len(set(u.dependencies)) != len(u.dependencies):
                wrong.append(f"{name} depends on {[d.by_key[k].name for k in set(u.dependencies) - knowns]}")
            if len(u.kinds) != len(u.dependencies) or set(u.kinds) - kinds:
                wrong.append(f"{name} has dependencies of the kinds {u.kinds}")
    return wrong


def check(text):
    d = Description(text)
    return d, check_elements(d) + check_variables(d) + check_structure(d)


def check_archive(raw, names, d):
    """The layout of the ZIP, and that no byte of it speaks of the day."""
    wrong = []
    if raw[:4] != b"PK\x03\x04" or names[0] != "modelDescription.xml":
        wrong.append("the archive does not begin with modelDescription.xml")
    folder = {2: "linux64", 3: "x86_64-linux"}[d.version]
    for name in (f"binaries/{folder}/{d.identifier}.so", f"sources/{d.identifier}_fmu.c", f"sources/{d.identifier}.c"):
        if name not in names:
            wrong.append(f"{name} is missing")
    if d.version == 3 and "sources/buildDescription.xml" not in names:
        wrong.append("sources/buildDescription.xml is missing")
    if any(n.startswith("/") or ".." in n or "\\" in n for n in names):
        wrong.append("a name leads out of the archive")
    if struct.unpack("<HH", raw[10:14]) != (0, 0x21):
        wrong.append("files have a date")
    return wrong
