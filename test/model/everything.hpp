#pragma once
// A model that uses every part of the format at least once. It means nothing mechanically.

namespace linkwright::model {

inline constexpr const char* everything = R"toml(format = 1
name = "Everything, \"quoted\""
gravity = [0, 0, "-g*(1 + eps*sin(t))"]

[parameters]
g = 9.81
eps = 0
l = { value = 500, unit = "mm", about = "length", min = 1, max = 2000 }
m = { value = 2, unit = "kg" }
It = "m*l^2/12"
spin = { value = 60, unit = "rpm" }
alpha = "30*deg"
third = "1/3"
grouped.one = 1
grouped.two = { value = 2, unit = "N*m/rad" }

[inputs]
tau = 0.0
push = { value = "m*sin(2*t)", unit = "N", about = "a push" }

[ground]
points = { wall = [1, 0, "l"] }

[[body]]
name = "base"
mass = "m"
inertia = ["It", "It", "It"]
points = { left = [0, "l/2", 0], right = [0, "-l/2", 0] }
rotor = [{ axis = "z", inertia = 0.01, speed = "spin" }, { axis = [1, 1, 0], inertia = 0.02, torque = "tau - base.rotor2" }]

[[body]]
name = "arm"
mass = 1.5
inertia = [0.2, 0.3, 0.4, 0.01, -0.02, "third/100"]
com = [0.1, 0, 0]
rotor = { axis = "x", inertia = 0.1, torque = 0 }

[[chain]]
name = "link"
ports = ["from"]
set = { L = 0.25, mass = "2*L" }

[[chain.body]]
name = "rod"
mass = "mass"
inertia = [0, 0, "mass*L^2/12"]
points = { tip = ["L/2", 0, 0], tail = ["-L/2", 0, 0] }

[[chain.joint]]
name = "pin"
type = "revolute"
parent = "from"
child = "rod"
child_at = "tail"
damping = "0.1*mass"
armature = "0.01*mass"
actuator = "-pin*L"

[[chain.spring]]
from = "from"
to = "rod.com"
stiffness = 3

[[chain.output]]
name = "tip"
position = "rod.tip"

[[chain.output]]
name = "height"
expression = "tip.y + pin' + L"

[chain.initial]
pin = "L"

[[body]]
name = "wheel"
mass = 1
inertia = [1, 1, 2]

[[instance]]
of = "link"
name = "link"
count = 3
from = "arm.com"
next = { from = "rod.tip" }

[[instance]]
of = "link"
name = "side"
from = "ground.wall"
set = { L = "l/2" }

[[body]]
name = "cart"
mass = 3

[[body]]
name = "b1"
[[body]]
name = "b2"
[[body]]
name = "b3"
[[body]]
name = "b4"
[[body]]
name = "b5"
[[body]]
name = "b6"
[[body]]
name = "b7"
[[body]]
name = "b8"

[[joint]]
name = "fly"
type = "free"
parent = "ground"
child = "base"
damping = [0.1, 0.1, 0.1, 0, 0, "eps"]
armature = [0, 0, 0, 0.2, 0, "2*eps"]

[[joint]]
name = "shoulder"
type = "spherical"
parent = "base"
parent_at = "left"
child = "arm"
child_at = [0, "-l", 0]
both_axes = { rotate = ["x", "z"], by = ["alpha", "90*deg"] }
actuator = ["tau", 0, "push*fly.x"]

[[joint]]
name = "slider"
type = "prismatic"
parent = "ground"
child = "cart"
axis = ["sin(alpha)", 0, "cos(alpha)"]
stiffness = "grouped.two"
rest = "l"

[[joint]]
name = "bolt"
type = "screw"
parent = "cart"
child = "b1"
axis = "-y"
pitch = "l/(2*pi)"

[[joint]]
name = "tube"
type = "cylindrical"
parent = "b1"
child = "b2"
axis = [1, 2, 3]
stiffness = 5

[[joint]]
name = "cross"
type = "universal"
parent = "b2"
child = "b3"
axes = ["z", [0, 3, 4]]
parent_axes = { z = [0, 0.6, 0.8], x = [1, 0, 0] }
child_axes = { y = [0.36, 0.4800001, 0.8], z = ["4/5", "-3/5", 0] }

[[joint]]
name = "table"
type = "planar"
parent = "b3"
child = "b4"
axis = "x"
coordinates = ["px", "py", "phi"]

[[joint]]
name = "ring"
type = "gimbal"
parent = "b4"
child = "b5"
speeds = ["w1", "w2", "w3"]
stiffness = [1, 2, 3]

[[joint]]
name = "rail"
type = "translation"
parent = "b5"
child = "b6"
axes = ["y", "-x"]

[[joint]]
name = "shift"
type = "translation"
parent = "b6"
child = "b7"
axes = [[1, 1, 0]]

[[joint]]
name = "roll"
type = "free"
parent = "ground"
child = "wheel"
axes = ["z", "x", "y"]

[[joint]]
name = "fix"
type = "weld"
parent = "b7"
child = "b8"

[[joint]]
name = "loop"
type = "revolute"
parent = "link3.rod"
parent_at = "tip"
child = "ground"
cut = true

[[spring]]
name = "tie"
from = "base.right"
to = "ground.wall"
stiffness = "100*(1 + loop^2)"
damping = 1
rest = "l"
actuator = "push"

[[force]]
on = "arm"
vector = ["push", 0, "-slider'"]
in = "base"
from = "base.right"

[[torque]]
on = "arm"
vector = [0, 0, "tau*w1"]
in = "arm"
from = "base"

[[rod]]
name = "strut"
from = "cart"
to = "ground.wall"
length = "l*(1 + 0.1*sin(t))"

[[constraint]]
name = "same"
holonomic = "px - slider^2 + eps*t"

[[constraint]]
nonholonomic = "px'*sin(phi) - py'*cos(phi) + eps"

[[event]]
name = "touch"
when = "ring.1 - t"
direction = "falling"
action = "stop"

[[gear]]
drive = "ring.1"
driven = "cross.2"
ratio = "-3/2"

[[rolling]]
name = "contact"
type = "disk"
on = "wheel"
axis = "z"
radius = "l"
plane = { at = [0, 0, "eps"], normal = "z" }

[[rolling]]
type = "sphere"
on = "base.left"
radius = 0.1
plane = { normal = [0, "-sin(alpha)", "cos(alpha)"] }

[[rolling]]
type = "knife-edge"
on = "cart"
axis = "y"
plane = { normal = "z" }

[[motion]]
coordinate = "rail.y"
equals = "0.1*sin(3*t)"

[[motion]]
joint = "shoulder"
rotate = ["z", "x"]
by = ["t", "alpha"]

[speeds]
u1 = "slider' + px'*cos(phi)"
u2 = "px' - 2"

[[output]]
name = "where"
position = "arm.com"
in = "base"
relative_to = "ground.wall"

[[output]]
name = "fast"
velocity = "cart"

[[output]]
name = "felt"
acceleration = "wheel.origin"

[[output]]
name = "attitude"
orientation = "arm"
in = "base"

[[output]]
name = "load"
reaction = "slider"

[[output]]
name = "sum"
expression = "energy.total + where.x*load.fx - momentum.angular.z + slider'' + fly.wx' + contact.normal + strut.tension + loop + link1.height + attitude.xy + t"

[initial]
slider = "l"
"slider'" = 0.1
fly.wx = 1
fly.x = "2*alpha"
arm.rotor = 3
u1 = 0

[guess]
loop = "-45*deg"
ring.2 = 0.1

[[shape]]
on = "arm"
type = "capsule"
at = [0, 0, "-l/2"]
axes = { z = "y", x = "z" }
radius = 0.02
length = "l"
colour = "#4477aa"

[[shape]]
name = "plate"
on = "cart"
type = "box"
at = "com"
size = ["l", 0.1, 0.05]
colour = "teal"

[[shape]]
name = "rail"
on = "ground"
type = "polyline"
points = [[0, 0, 0], ["l", 0, 0], ["2*l", 0, "alpha"]]

[[shape]]
on = "wheel"
type = "mesh"
file = "parts/wheel.STL"
scale = 0.001

[symbols]
alpha = "\\alpha_0"
slider = "s"
fly.wx = "\\omega_x"
)toml";

}  // namespace linkwright::model
