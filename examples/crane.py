import linkwright as lw

crane = lw.load("crane.toml", set={"drive": 100})
print(crane.derive(only="M, f"))
print("at the start: accelerations", crane.evaluate().accelerations.round(5))
motion = crane.simulate(until=10, on_step=lambda now, begin, end: None)
print(f"after ten seconds: x = {motion['x'][-1]:.3f}, of {len(motion)} rows")
print("modes, Hz:", crane.modes(trim="drive").frequencies_hz.round(4))
f = crane.compile("accelerations")
print("4096 states at once:", f(motion.to_array("x", "theta")[[0] * 4096], motion.to_array("x'", "theta'")[[0] * 4096]).shape)
