"""A mechanism as a drawing of lines, at the state where its motion starts: what the pages of models in the manual begin with.

The program's own report has all that it takes: the scene (bodies, joints, springs, shapes) as JSON, and the model's code in JavaScript, whose `poses`
says where bodies are. Node.js runs that code; the rest is projection."""
import html
import json
import math
import os
import re
import subprocess
import tempfile

POSES = """
const fs = require("fs");
(0, eval)(fs.readFileSync(0, "utf8"));
const m = globalThis.linkwrightModel, values = (list) => Float64Array.from(list, (e) => e.value);
process.stdout.write(JSON.stringify(Array.from(m.poses(0, values(m.COORDINATES), m.setup(values(m.PARAMETERS))))));
"""

STYLE = """
svg { --ink: #1c1f24; --soft: #8a8f98; --steel: #2f6690; --warm: #c0562b; --paper: #fdfcf8; }
@media (prefers-color-scheme: dark) { svg { --ink: #e7e5df; --soft: #7d838c; --steel: #7cb3dc; --warm: #f08a5d; --paper: #17191d; } }
path, circle { fill: none; stroke: var(--ink); stroke-width: 1.4; stroke-linejoin: round; stroke-linecap: round; }
.body { stroke: var(--steel); stroke-width: 4; } .beam { stroke: var(--steel); stroke-width: 3; } .shape { stroke: var(--steel); stroke-width: 1; opacity: .55; }
.point { stroke: var(--steel); stroke-width: 1.2; opacity: .6; } .spring { stroke: var(--warm); } .rod { stroke-width: 2; } .wheel { stroke-width: 2; }
.axis { stroke: var(--soft); stroke-dasharray: 6 3 1 3; } .slide { stroke-width: 6; opacity: .35; } .ground { stroke: var(--soft); stroke-width: 1.2; }
.pin { fill: var(--paper); } .ball { fill: var(--ink); } .mass { fill: var(--steel); stroke: none; }
text { font: 12px "DejaVu Sans", sans-serif; fill: var(--ink); } .frame { fill: var(--soft); }
"""


def add(a, b, share=1.0):
    return [x + share * y for x, y in zip(a, b)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def unit(a):
    length = math.sqrt(dot(a, a))
    return [x / length for x in a] if length > 0 else [0.0, 0.0, 1.0]


def turned(R, a):
    """R row by row."""
    return [dot(R[3 * i:3 * i + 3], a) for i in range(3)]


def square_to(a):
    """Two directions that make a frame with `a`."""
    a = unit(a)
    other = [1.0, 0, 0] if abs(a[0]) < 0.8 else [0, 1.0, 0]
    b = unit(cross(a, other))
    return b, cross(a, b)


def distance(a, b):
    return math.dist(a, b)


class Drawing:
    """Lines, marks and words in space, in the ground."""

    def __init__(self, scene, poses):
        self.scene, self.size = scene, scene["size"] or 1.0
        self.lines, self.marks, self.words = [], [], []
        self.pose = {"ground": ([1.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0], [0.0, 0, 0])}
        moving = [b for b in scene["bodies"] if b["name"] != "ground"]
        for i, body in enumerate(moving):
            numbers = poses[15 * i:15 * i + 15]
            self.pose[body["name"]] = (numbers[:9], numbers[9:12])
        self.centres = {body["name"]: poses[15 * i + 12:15 * i + 15] for i, body in enumerate(moving)}
        self.axis_points = poses[15 * len(moving):]
        for part in (self.draw_beams, self.draw_shapes, self.draw_bodies, self.draw_links, self.draw_wheels, self.draw_joints):
            part()

    def place(self, body, at):
        R, p = self.pose[body]
        return add(p, turned(R, at))

    def direction(self, body, axes, a):
        return unit(turned(self.pose[body][0], turned(axes, a)))

    def line(self, kind, *points):
        self.lines.append((kind, [list(p) for p in points]))

    def circle(self, kind, centre, axis, radius):
        a, b = square_to(axis)
        self.line(kind, *(add(add(centre, a, radius * math.cos(t)), b, radius * math.sin(t)) for t in (math.tau * k / 36 for k in range(37))))

    def draw_beams(self):
        at = 0
        self.bent = set()
        for beam in self.scene["beams"]:
            numbers = self.axis_points[3 * at:3 * (at + beam["count"])]
            at += beam["count"]
            self.bent.add(beam["body"])
            self.line("beam", *(numbers[k:k + 3] for k in range(0, len(numbers), 3)))

    def draw_shapes(self):
        for shape in self.scene["shapes"]:
            body = shape["body"]
            put = lambda a: self.place(body, add(shape["at"], turned(shape["axes"], a)))  # noqa: E731
            axis = self.direction(body, shape["axes"], [0, 0, 1])
            if shape["type"] == "box":
                x, y, z = (s / 2 for s in shape["size"])
                corner = lambda k: put([x if k & 1 else -x, y if k & 2 else -y, z if k & 4 else -z])  # noqa: E731
                for k in range(8):
                    for bit in (1, 2, 4):
                        if not k & bit:
                            self.line("shape", corner(k), corner(k | bit))
            elif shape["type"] in ("cylinder", "capsule"):
                ends = [put([0, 0, s * shape["length"] / 2]) for s in (-1, 1)]
                for end in ends:
                    self.circle("shape", end, axis, shape["radius"])
                for side in (1, -1):
                    self.line("shape", *(add(end, square_to(axis)[0], side * shape["radius"]) for end in ends))
            elif shape["type"] == "sphere":
                for a in ([1, 0, 0], [0, 1, 0], [0, 0, 1]):
                    self.circle("shape", put([0, 0, 0]), self.direction(body, shape["axes"], a), shape["radius"])
            elif shape["points"]:
                self.line("shape", *(put(p) for p in shape["points"]))

    def draw_bodies(self):
        """From the joint that carries a body to every place where something hangs on it, and to its centre of mass."""
        for body in self.scene["bodies"]:
            name = body["name"]
            if name == "ground" or body["hidden"]:
                continue
            places, root = [], None
            for joint in self.scene["joints"]:
                if joint["child"] == name:
                    at = self.place(name, joint["child_at"])
                    root = at if root is None and not joint["cut"] else root
                    places.append(at)
                if joint["parent"] == name:
                    places.append(self.place(name, joint["parent_at"]))
            for link in self.scene["springs"] + self.scene["rods"]:
                places += [self.place(name, end["at"]) for end in (link["from"], link["to"]) if end["body"] == name]
            places += [self.place(name, wheel["at"]) for wheel in self.scene["wheels"] if wheel["body"] == name]
            root = root or (places[0] if places else self.pose[name][1])
            near = 1e-9 * self.size
            centre = self.centres[name]
            ends = [p for p in places if distance(p, root) > near]
            if not ends and distance(centre, root) > near and name not in self.bent:
                ends = [centre]
            if name not in self.bent:
                for end in ends:
                    self.line("body", root, end)
            for point in body["points"]:
                at = self.place(name, point["at"])
                if all(distance(at, p) > near for p in (root, *ends)):
                    self.line("body" if not ends else "point", root, at)
            if body["mass"] > 0:
                self.marks.append(("mass", centre, 4))
            furthest = max(ends, key=lambda p: distance(p, root), default=centre)
            self.words.append(("", [(a + b) / 2 for a, b in zip(root, furthest)], name))

    def draw_links(self):
        for kind in ("springs", "rods"):
            for link in self.scene[kind]:
                a, b = (self.place(end["body"], end["at"]) for end in (link["from"], link["to"]))
                if distance(a, b) == 0:
                    continue
                if kind == "rods":
                    self.line("rod", a, b)
                    continue
                side = square_to(add(b, a, -1))[self.flat_side(add(b, a, -1))]
                width = 0.03 * self.size
                turns = [add(add(a, add(b, a, -1), (k + 0.5) / 12 * 0.7 + 0.15), side, width * (-1) ** k) for k in range(12)]
                self.line("spring", a, add(a, add(b, a, -1), 0.15), *turns, add(a, add(b, a, -1), 0.85), b)

    def flat_side(self, along):
        """Which of the two directions square to a spring lies in the plane z = 0, if one does."""
        return 0 if abs(square_to(along)[0][2]) < 1e-9 else 1

    def draw_wheels(self):
        for wheel in self.scene["wheels"]:
            centre, axis = self.place(wheel["body"], wheel["at"]), unit(turned(self.pose[wheel["body"]][0], wheel["axis"]))
            self.circle("wheel", centre, axis, wheel["radius"])
            if wheel["type"] == "sphere":
                for a in square_to(axis):
                    self.circle("shape", centre, a, wheel["radius"])

    def draw_joints(self):
        for joint in self.scene["joints"]:
            at = self.place(joint["parent"], joint["parent_at"])
            axis = self.direction(joint["parent"], joint["parent_axes"], joint["axes"][0] if joint["axes"] else [0, 0, 1])
            kind = joint["type"]
            if kind in ("section", "weld"):
                mark = None
            elif kind in ("prismatic", "cylindrical", "screw"):
                end = self.place(joint["child"], joint["child_at"])
                reach = max(0.1 * self.size, 1.2 * abs(dot(add(end, at, -1), axis)))
                self.line("slide", add(at, axis, -0.05 * self.size), add(at, axis, math.copysign(reach, dot(add(end, at, -1), axis) or 1)))
                mark = "pin"
            elif kind in ("spherical", "ball"):
                mark = "ball"
            else:
                mark = None if kind in ("free", "floating") else "pin"
                if mark and joint["axes"]:
                    self.line("axis", add(at, axis, -0.07 * self.size), add(at, axis, 0.07 * self.size))
            if mark:
                self.marks.append((mark, at, 4.5))
            if joint["parent"] == "ground" and kind not in ("free", "floating", "section"):
                self.marks.append(("ground", at, 0))


def views(drawing):
    """Two directions on the paper: along the plane of a plane mechanism, else from an eye to the right of it and above."""
    up = unit(drawing.scene["up"])
    points = [p for kind, line in drawing.lines if kind != "axis" for p in line] + [m[1] for m in drawing.marks]
    for k in (2, 1, 0):
        normal = [float(i == k) for i in range(3)]
        along = [dot(p, normal) for p in points]
        if abs(dot(up, normal)) < 1e-9 and max(along) - min(along) < 1e-6 * drawing.size:
            return (cross(up, normal) if k != 1 else cross(normal, up)), up, True
    first = [1.0, 0, 0] if abs(up[0]) < 0.8 else [0, 1.0, 0]
    first = unit(add(first, up, -dot(first, up)))
    second = cross(up, first)
    turn, lift = math.radians(-32), math.radians(22)
    right = add([c * math.cos(turn) for c in first], second, math.sin(turn))
    depth = add([-c * math.sin(turn) for c in first], second, math.cos(turn))
    return right, add([c * math.cos(lift) for c in up], depth, math.sin(lift)), False


def to_svg(drawing, title):
    right, high, is_plane = views(drawing)
    lines = [(k, l) for k, l in drawing.lines if not (is_plane and k == "axis" and distance(*[[dot(p, right), dot(p, high)] for p in l]) < 1e-9)]
    flat = [(dot(p, right), -dot(p, high)) for _, l in lines for p in l] + [(dot(m[1], right), -dot(m[1], high)) for m in drawing.marks]
    if not flat:
        return ""
    (left, top), (far, low) = (min(c) for c in zip(*flat)), (max(c) for c in zip(*flat))
    scale = min(520 / max(far - left, 1e-12), 340 / max(low - top, 1e-12), 260 / (0.2 * drawing.size))
    margin = 60
    width, height = (far - left) * scale + 2 * margin, (low - top) * scale + 2 * margin
    at = lambda p: (margin + (dot(p, right) - left) * scale, margin + (-dot(p, high) - top) * scale)  # noqa: E731
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" role="img">'
           f"<title>{html.escape(title)}</title><style>{STYLE}</style>"]
    order = ["ground", "shape", "slide", "axis", "point", "rod", "wheel", "spring", "beam", "body"]
    for kind, line in sorted(lines, key=lambda l: order.index(l[0])):
        out.append(f'<path class="{kind}" d="M{" L".join("{:.1f} {:.1f}".format(*at(p)) for p in line)}"/>')
    for kind, place, radius in sorted(drawing.marks, key=lambda m: m[0] != "ground"):
        x, y = at(place)
        if kind == "ground":
            hatch = "".join(f"M{x - 11 + 6 * k:.1f} {y + 14:.1f}l-5 6" for k in range(5))
            out.append(f'<path class="ground" d="M{x:.1f} {y:.1f}l-8 14h16zM{x - 14:.1f} {y + 14:.1f}h28{hatch}"/>')
        else:
            out.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius}"/>')
    taken = []
    for kind, place, word in drawing.words:
        x, y = at(place)
        x, y = x + 8, y - 8
        while any(abs(x - a) < 60 and abs(y - b) < 13 for a, b in taken) and y < height + 200:
            y += 14
        taken.append((x, y))
        if len(drawing.words) <= 14:
            out.append(f'<text x="{min(x, width - 7 * len(word)):.1f}" y="{min(y, height - 4):.1f}">{html.escape(word)}</text>')
    for k, name in enumerate("xyz"):
        a = [float(i == k) for i in range(3)]
        dx, dy = 26 * dot(a, right), -26 * dot(a, high)
        if math.hypot(dx, dy) > 3:
            out.append(f'<path class="ground" d="M30 {height - 30:.1f}l{dx:.1f} {dy:.1f}"/><text class="frame" x="{30 + 1.35 * dx - 3:.1f}" '
                       f'y="{height - 30 + 1.35 * dy + 4:.1f}">{name}</text>')
    return "".join(out) + "</svg>\n"


def draw(program, model, title):
    """The picture of a model file as SVG; empty, with a reason, where there is none."""
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "page.html")
        ran = subprocess.run([program, "report", model, "--only", "mechanism", "--until", "0.001", "--samples", "1", "-o", page, "--quiet"],
                             capture_output=True, text=True)
        if not os.path.exists(page):
            return "", ran.stderr.strip().splitlines()[0] if ran.stderr.strip() else "no page was written"
        with open(page, encoding="utf-8") as file:
            text = file.read()
    part = lambda name: re.search(rf'<script[^>]*id="linkwright-{name}">(.*?)</script>', text, re.S).group(1)  # noqa: E731
    ran = subprocess.run(["node", "-e", POSES], input=part("code") + "\n" + part("start"), capture_output=True, text=True)
    if ran.returncode != 0:
        return "", ran.stderr.strip().splitlines()[-1]
    poses = json.loads(ran.stdout)
    if any(x is None for x in poses):
        return "", "a body is nowhere"
    return to_svg(Drawing(json.loads(part("report"))["scene"], poses), title), ""
