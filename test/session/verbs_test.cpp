// Every verb on a session: what comes out, what nonsense is answered, how a long call is stopped.

#include "linkwright/linkwright.hpp"
#include "session/subject.hpp"

namespace linkwright::session {
namespace {

using test::first_error;
using testing::HasSubstr;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Simulate, Moves) {
    const Session pendulum = test::pendulum();
    const auto r = simulate(pendulum, {.rows = {.until = 5, .samples = 50}, .record = {"falling bottom=hip"}});
    ASSERT_TRUE(r) << to_string(r.problems);
    EXPECT_TRUE(r.is_ok());
    EXPECT_EQ(r->motion.rows.size(), 51U);
    EXPECT_FALSE(r->motion.events.empty());
    EXPECT_LT(r->motion.statistics.energy_error, 1e-5);
    EXPECT_EQ(r->table().find("hip"), 1U);
}

TEST(Simulate, NonsenseIsTold) {
    const Session pendulum = test::pendulum();
    const auto error = [&](const SimulateOptions& options) {
        const auto r = simulate(pendulum, options);
        EXPECT_FALSE(r);
        EXPECT_EQ(r.status, Status::wrong_input);
        return first_error(r);
    };
    EXPECT_THAT(error({}), HasSubstr("neither --until nor --times is given"));
    EXPECT_THAT(error({.rows = {.until = -1}}), HasSubstr("--until -1 is not after the start"));
    EXPECT_EQ(error({.rows = {.until = 1}, .tolerance = nan}), "--tolerance nan is not a positive number");
    EXPECT_EQ(error({.rows = {.until = 1}, .tolerance = 0.5}), "--tolerance 0.5 is too coarse");
    EXPECT_EQ(error({.rows = {.until = 1}, .max_steps = 0}), "--max-steps must be at least 1");
    EXPECT_EQ(error({.rows = {.until = 1}, .stop = {"hop"}}).substr(0, 12), "--stop \"hop\"");
    EXPECT_EQ(error({.rows = {.until = 1}, .stop = {"3"}}), "--stop \"3\" never changes");
    EXPECT_EQ(error({.rows = {.until = 1}, .inputs = "/no/such/file.csv"}), "/no/such/file.csv: cannot be opened");
    EXPECT_EQ(error({.rows = {.until = 1}, .state = {.values = NamedState{}}, .restart = "a.csv"}),
              "--state and --restart both define the initial state");
}

TEST(Simulate, IdleOptionsAreWarnedOf) {
    const Diagnostics said = check(SimulateOptions{.rows = {.samples = 3, .times = {1}}, .baumgarte = 5, .step = 0.1});
    ASSERT_EQ(said.size(), 3U);
    EXPECT_FALSE(has_error(said));
    EXPECT_EQ(said[0].what, "--samples has no effect with --times");
}

TEST(Simulate, CanBeStopped) {
    const Session pendulum = test::pendulum();
    double last = -1;
    const auto r = simulate(pendulum, {.rows = {.until = 1000, .samples = 1000}, .on_step = [&](const Step& step) {
                                           EXPECT_EQ(step.from, 0);
                                           EXPECT_EQ(step.until, 1000);
                                           EXPECT_GE(step.now, last);
                                           last = step.now;
                                           return step.now < 5;
                                       }});
    ASSERT_TRUE(r);
    EXPECT_EQ(r.status, Status::numerical_failure);
    EXPECT_EQ(r->motion.stop, motion::Stop::interrupted);
    EXPECT_GE(r->motion.rows.size(), 5U);
    EXPECT_LT(r->motion.rows.size(), 100U);
    EXPECT_NE(first_error(r), "");
}

TEST(Simulate, RestartGoesOn) {
    const Session pendulum = test::pendulum();
    const auto whole = simulate(pendulum, {.rows = {.until = 2}}), half = simulate(pendulum, {.rows = {.until = 1}});
    ASSERT_TRUE(whole && half);
    const test::TemporaryFile file("half.csv", to_csv(half->table()));
    const auto rest = simulate(pendulum, {.rows = {.until = 2}, .restart = file.path()});
    ASSERT_TRUE(rest) << to_string(rest.problems);
    EXPECT_NEAR(rest->motion.rows.back()[1], whole->motion.rows.back()[1], 1e-6);
}

TEST(Simulate, SamplesDriveInputs) {
    const Session pendulum = test::pendulum();
    const test::TemporaryFile file("inputs.csv", "t,tau\n0,1\n1,1\n2,1\n3,1\n");
    const auto driven = simulate(pendulum, {.rows = {.until = 2}, .inputs = file.path()});
    const auto set = simulate(test::pendulum({.set = {"tau=1"}}), {.rows = {.until = 2}});
    ASSERT_TRUE(driven && set) << to_string(driven.problems);
    EXPECT_NEAR(driven->motion.rows.back()[1], set->motion.rows.back()[1], 1e-6);
}

/// A pendulum that is to move from elsewhere than [initial].
TEST(Simulate, BeginsWhereATableDoes) {
    const Session pendulum = test::pendulum();
    const auto forces = inverse(pendulum, {.motion = {"hip = 0.8 + 0.3*t + 0.2*t^3"}, .rows = {.until = 1, .samples = 200}});
    ASSERT_TRUE(forces) << to_string(forces.problems);
    const test::TemporaryFile file("forces.csv", to_csv(forces->table()));
    const auto forward =
        simulate(pendulum, {.rows = {.until = 1, .samples = 4}, .start_from = file.path(), .inputs = file.path(), .tolerance = 1e-10});
    ASSERT_TRUE(forward) << to_string(forward.problems);
    EXPECT_TRUE(forward.problems.empty()) << to_string(forward.problems);
    for (const Eigen::VectorXd& row : forward->motion.rows) EXPECT_NEAR(row[1], 0.8 + 0.3 * row[0] + 0.2 * std::pow(row[0], 3), 1e-6);
    // without it the motion is another one, and that is said
    const auto elsewhere = simulate(pendulum, {.rows = {.until = 1}, .inputs = file.path()});
    ASSERT_TRUE(elsewhere);
    ASSERT_EQ(elsewhere.problems.size(), 1U);
    EXPECT_THAT(elsewhere.problems[0].what, HasSubstr("is at hip = 0.8, hip' = 0.3, and this motion begins at hip = 0.3, hip' = 0:"));
    EXPECT_THAT(elsewhere.problems[0].what, HasSubstr("--start-from " + file.path()));
    // inputs that belong to no motion begin anywhere
    const test::TemporaryFile inputs("inputs.csv", "t,tau\n1,0\n2,0\n3,0\n");
    EXPECT_TRUE(simulate(pendulum, {.rows = {.until = 1}, .inputs = inputs.path()}).problems.empty());
}

TEST(Simulate, ATableToBeginAtIsChecked) {
    const Session pendulum = test::pendulum();
    const test::TemporaryFile half("half.csv", "t,hip\n0,1\n"), empty("empty.csv", "t,hip,hip'\n");
    const auto error = [&](const SimulateOptions& options) { return first_error(simulate(pendulum, options)); };
    EXPECT_EQ(error({.rows = {.until = 1}, .start_from = half.path()}), half.path() + ": no column hip'");
    EXPECT_EQ(error({.rows = {.until = 1}, .start_from = empty.path()}), empty.path() + ": there is no row to start from");
    EXPECT_EQ(error({.rows = {.until = 1}, .restart = "a.csv", .start_from = "b.csv"}),
              "--restart and --start-from both define the initial state");
    EXPECT_EQ(error({.rows = {.until = 1}, .integrator = motion::Integrator::rk4, .step = 0}), "--step 0 is not a positive number");
}

TEST(Simulate, EventsOfAModelTakeOutputs) {
    const std::string text = std::string(test::pendulum_text) + R"([[output]]
name = "bob"
position = "bob.com"
[[output]]
name = "height"
expression = "bob.y + l"
[[output]]
name = "hinge"
reaction = "hip"
[[event]]
name = "low"
when = "WHEN"
direction = "falling"
action = "stop"
)";
    const auto with = [&](const std::string& when) {
        std::string model = text;
        model.replace(model.find("WHEN"), 4, when);
        const auto opened = open_text(model, "pendulum.toml");
        EXPECT_TRUE(opened) << to_string(opened.problems);
        return *opened;
    };
    const auto by_option = simulate(test::pendulum(), {.rows = {.until = 5}, .stop = {"falling 0.5 - 0.5*cos(hip) - 0.01"}});
    ASSERT_TRUE(by_option);
    for (const char* when : {"height - 0.01", "bob.y + l - 0.01", "energy.potential/(m*g) + l - 0.01"}) {
        const auto r = simulate(with(when), {.rows = {.until = 5}});
        ASSERT_TRUE(r) << to_string(r.problems);
        EXPECT_EQ(r->motion.stop, motion::Stop::event) << when;
        EXPECT_NEAR(r->motion.t, by_option->motion.t, 1e-8) << when;
    }
    const auto refused = simulate(with("hinge.fx"), {.rows = {.until = 5}});
    EXPECT_EQ(first_error(refused), "the event 'low' needs accelerations or multipliers");
    ASSERT_EQ(refused.problems.size(), 1U);
    EXPECT_EQ(refused.problems[0].file, "pendulum.toml");
    EXPECT_EQ(refused.problems[0].where.line, 33U);
    EXPECT_EQ(first_error(inspect(with("hinge.fx"))), "the event 'low' needs accelerations or multipliers");
}

TEST(Inverse, FindsTheTorque) {
    const Session pendulum = test::pendulum();
    const auto r = inverse(pendulum, {.motion = {"hip = 0.5*t^2"}, .rows = {.until = 1, .samples = 10}});
    ASSERT_TRUE(r) << to_string(r.problems);
    const auto tau = *r->table().find("tau");
    EXPECT_NEAR(r->forces.rows.back()[tau], 2 * 0.25 + 0.1 + 2 * 9.81 * 0.5 * std::sin(0.5), 1e-9);
    EXPECT_THAT(first_error(inverse(pendulum, {})), HasSubstr("--motion is missing"));
    EXPECT_EQ(first_error(inverse(pendulum, {.motion = {"hop = t"}})), "--motion: no coordinate, output or point 'hop'");
    EXPECT_EQ(first_error(inverse(pendulum, {.motion = {"hip = t", "hip = 2*t"}})), "the motion of hip is prescribed twice");
    EXPECT_EQ(first_error(inverse(pendulum, {.motion = {"hip = hip'"}})), "--motion hip: 'hip'' is not a function of time");
}

TEST(Equilibrium, IsFound) {
    const Session pendulum = test::pendulum();
    const auto r = equilibrium(pendulum);
    ASSERT_TRUE(r) << to_string(r.problems);
    EXPECT_NEAR(r->found.front().point.state.q[0], 0, 1e-9);
    EXPECT_EQ(r->found.front().stability, linear::Stability::asymptotically_stable);
    const auto held = equilibrium(pendulum, {.words = {.hold = {"hip=0.5"}, .trim = {"tau"}}});
    ASSERT_TRUE(held && held.is_ok()) << to_string(held.problems);
    EXPECT_NEAR(held->found.front().point.state.w[0], 2 * 9.81 * 0.5 * std::sin(0.5), 1e-7);
}

TEST(Equilibrium, SaysWhetherTheseAreAll) {
    const Session pendulum = test::pendulum();
    const auto r = equilibrium(pendulum, {.starts = 5});
    ASSERT_TRUE(r) << to_string(r.problems);
    EXPECT_EQ(r->found.size(), 2U);
    const Json j = to_json(*r);
    EXPECT_EQ(j["completeness"]["words"], "all within a whole turn of hip");
    EXPECT_EQ(j["completeness"]["shown"], true);
    EXPECT_EQ(j["completeness"]["starts"], 0);
    EXPECT_LT(j["equilibria"][0]["distance"], j["equilibria"][1]["distance"]);
    EXPECT_FALSE(to_json(*equilibrium(pendulum)).contains("completeness"));  // one was asked for
    const auto tried = equilibrium(pendulum, {.words = {.trim = {"tau"}}, .starts = 5});
    ASSERT_TRUE(tried) << to_string(tried.problems);
    EXPECT_EQ(to_json(*tried)["completeness"]["words"], "found from 5 starts; there may be others");
}

TEST(Equilibrium, NonsenseIsTold) {
    const Session pendulum = test::pendulum();
    EXPECT_EQ(first_error(equilibrium(pendulum, {.words = {.hold = {"hip"}}})), "--hold takes name=value, not 'hip'");
    EXPECT_EQ(first_error(equilibrium(pendulum, {.words = {.hold = {"hop=1"}}})), "--hold: no coordinate or speed 'hop'");
    EXPECT_EQ(first_error(equilibrium(pendulum, {.words = {.hold = {"hip=1/0"}}})), "--hold hip=1/0: the value is not a finite number");
    EXPECT_EQ(first_error(equilibrium(pendulum, {.words = {.trim = {"torque"}}})), "--trim: no input 'torque'");
    EXPECT_THAT(first_error(equilibrium(pendulum, {.starts = 0})), HasSubstr("--starts 0"));
    const auto none = equilibrium(pendulum, {.words = {.hold = {"hip=0.5"}}});
    EXPECT_TRUE(none);
    EXPECT_EQ(none.status, Status::numerical_failure);
    EXPECT_FALSE(none->found.front().is_ok);
    EXPECT_EQ(equilibrium(test::pendulum({.formulation = "newton_euler"})).status, Status::wrong_input);
}

TEST(Operating, WordsExcludeOneAnother) {
    const Session pendulum = test::pendulum();
    using At = linear::Operating::At;
    EXPECT_EQ(first_error(linearize(pendulum, {.operating = {.at = At::initial, .state = {.values = NamedState{}}}})),
              "--at initial and --state exclude each other");
    EXPECT_THAT(first_error(linearize(pendulum, {.operating = {.at = At::initial, .equilibrium = {.steady = true}}})),
                HasSubstr("exclude --at initial"));
    const auto initial = linearize(pendulum, {.operating = {.at = At::initial}});
    ASSERT_TRUE(initial);
    EXPECT_NEAR(initial->linear.point.state.q[0], 0.3, 1e-12);
    EXPECT_THAT(to_string(initial.problems), HasSubstr("note: this state is not an equilibrium"));
    const auto given = linearize(pendulum, {.operating = {.state = {.values = NamedState{.values = {{"hip", 0.1}}}}}});
    ASSERT_TRUE(given);
    EXPECT_NEAR(given->linear.point.state.q[0], 0.1, 1e-12);
    const auto nearest = linearize(pendulum);
    ASSERT_TRUE(nearest);
    EXPECT_NEAR(nearest->linear.point.state.q[0], 0, 1e-9);
}

TEST(Linearize, Pendulum) {
    const auto r = linearize(test::pendulum());
    ASSERT_TRUE(r) << to_string(r.problems);
    EXPECT_NEAR(r->linear.state_space.A(1, 0), -9.81 / 0.5, 1e-9);
    EXPECT_NEAR(r->linear.state_space.A(1, 1), -0.1 / 0.5, 1e-9);
    EXPECT_EQ(first_error(linearize(test::pendulum(), {.onto = {"knee"}})), "--onto: there is no 'knee'");
    EXPECT_EQ(first_error(linearize(test::pendulum(), {.onto = {"hip,hip"}})), "--onto names hip twice");
    const auto page = linear_page(test::pendulum());
    ASSERT_TRUE(page) << to_string(page.problems);
    EXPECT_THAT(*page, HasSubstr("M = l^2*m"));
    EXPECT_EQ(first_error(linear_page(test::pendulum(), {.keep = {"knee"}})), "--keep: there is no 'knee'");
    EXPECT_EQ(linear_page(test::pendulum(), {.onto = {"hip"}}).status, Status::wrong_input);
}

TEST(Modes, PendulumAndItsPicture) {
    const Session pendulum = test::pendulum();
    const auto r = modes(pendulum, {.methods = {linear::ModesBy::qr, linear::ModesBy::qz}});
    ASSERT_TRUE(r) << to_string(r.problems);
    EXPECT_EQ(r->where, "at equilibrium");
    EXPECT_NEAR(std::norm(r->modes().modes.front().pole), 9.81 / 0.5, 1e-9);
    EXPECT_LT(difference(r->found[0], r->found[1]), 1e-9);
    EXPECT_EQ(modes(pendulum, {.methods = {}}).status, Status::wrong_input);
    const auto picture = animate(pendulum, {.frames = 12});
    ASSERT_TRUE(picture) << to_string(picture.problems);
    EXPECT_EQ(picture->table.rows.size(), 13U);
    EXPECT_NEAR(picture->table.rows.front()[1], 0.2, 1e-9);
    EXPECT_EQ(first_error(animate(pendulum, {.mode = 2})), "--animate 2: there are modes 1 to 1");
    EXPECT_EQ(first_error(animate(pendulum, {.amplitude = nan})), "--amplitude must be a number other than zero");
}

TEST(Sweep, FollowsPolesInTheParametersOwnUnit) {
    const Session pendulum = test::pendulum();
    const auto r = sweep(pendulum, {.along = "l=50:100:2"});
    ASSERT_TRUE(r) << to_string(r.problems);
    ASSERT_EQ(r->sweep.samples.size(), 3U);
    EXPECT_EQ(r->sweep.samples.back().value, 100);
    EXPECT_NEAR(std::norm(*r->sweep.samples.back().poles.front()), 9.81, 1e-9);
    EXPECT_EQ(first_error(sweep(pendulum, {.along = "m=-1:1"})).substr(0, 25), "--sweep m=-1:1: at m = -1");
    EXPECT_EQ(sweep(pendulum, {}).status, Status::wrong_input);
    EXPECT_TRUE(linearize(pendulum)) << "what a sweep has changed is nobody else's";
    EXPECT_NEAR(linearize(pendulum)->linear.state_space.A(1, 0), -9.81 / 0.5, 1e-9);
}

TEST(Frequency, Pendulum) {
    const Session pendulum = test::pendulum();
    const auto r = frequency(pendulum, {.frequencies = {0}});
    ASSERT_TRUE(r) << to_string(r.problems);
    EXPECT_NEAR(r->transfer.channels.front().magnitude.front(), 1 / (2 * 9.81 * 0.5), 1e-9);
    EXPECT_EQ(first_error(frequency(pendulum, {.range = "1"})), "--range \"1\" is not two numbers");
    EXPECT_THAT(first_error(frequency(pendulum, {.range = "2:1"})), HasSubstr("the upper end must be above the lower"));
    EXPECT_THAT(first_error(frequency(pendulum, {.points = 1})), HasSubstr("--points 1"));
    EXPECT_THAT(first_error(frequency(pendulum, {.frequencies = {nan}})), HasSubstr("is not a frequency"));
    EXPECT_EQ(first_error(frequency(pendulum, {.from = {"torque"}})), "--from: no input 'torque'");
}

TEST(Spectrum, OfAMotionAndOfAFile) {
    const Session pendulum = test::pendulum();
    const auto r = spectra(pendulum, {.columns = {"hip"}, .until = 20, .samples = 256});
    ASSERT_TRUE(r) << to_string(r.problems);
    ASSERT_FALSE(r->spectra.front().peaks.empty());
    EXPECT_NEAR(r->spectra.front().peaks.front().frequency, std::sqrt(9.81 / 0.5) / (2 * std::numbers::pi), 0.02);
    const auto motion = simulate(pendulum, {.rows = {.until = 20, .samples = 256}});
    const test::TemporaryFile file("motion.csv", to_csv(motion->table()));
    EXPECT_TRUE(spectra_of_file(file.path(), {.columns = {"hip", "hip'"}}));
    EXPECT_EQ(first_error(spectra_of_file(file.path(), {.columns = {"hop"}})), "--spectrum: no column 'hop'");
    EXPECT_THAT(first_error(spectra(pendulum, {.columns = {"hip"}})), HasSubstr("--until is missing"));
    EXPECT_EQ(spectra(pendulum, {.until = 1}).status, Status::wrong_input);
}

TEST(Sensitivity, Pendulum) {
    const Session pendulum = test::pendulum();
    const auto r = sensitivity(pendulum, {.to = {"all"}});
    ASSERT_TRUE(r) << to_string(r.problems);
    EXPECT_EQ(r->parameters.size(), 4U);
    EXPECT_EQ(first_error(sensitivity(pendulum, {.to = {"mass"}})), "--to: no parameter 'mass'");
    EXPECT_THAT(first_error(sensitivity(pendulum, {})), HasSubstr("--to is missing"));
    EXPECT_THAT(first_error(sensitivity(test::pendulum({.freeze = {"m"}}), {.to = {"m"}})), HasSubstr("is frozen"));
    const auto along = motion_sensitivity(pendulum, {.to = {"g", "hip(0)"}, .rows = {.until = 1, .samples = 4}});
    ASSERT_TRUE(along) << to_string(along.problems);
    EXPECT_EQ(along->table.rows.size(), 5U);
    EXPECT_EQ(motion_sensitivity(pendulum, {.to = {"g"}, .rows = {.until = 1}, .tolerance = nan}).status, Status::wrong_input);
}

TEST(Place, PutsTheFrequencyWhereItIsWanted) {
    const Session pendulum = test::pendulum({.set = {"c=0"}});
    const auto r = place(pendulum, {.eigenvalues = {10}, .vary = {"l"}});
    ASSERT_TRUE(r && r.is_ok()) << to_string(r.problems);
    EXPECT_NEAR(r->placement.walk.back().parameters[0], 0.981, 1e-8);
    ASSERT_EQ(r->set.size(), 1U);
    EXPECT_THAT(r->set.front(), testing::StartsWith("--set l=98."));
    EXPECT_THAT(first_error(place(pendulum, {.vary = {"l"}})), HasSubstr("none of --eigenvalues, --frequencies, --poles is given"));
    EXPECT_THAT(first_error(place(pendulum, {.eigenvalues = {nan}, .vary = {"l"}})), HasSubstr("finite"));
    EXPECT_THAT(first_error(place(pendulum, {.eigenvalues = {10}, .vary = {"l"}, .bounds = {"l"}})), HasSubstr("is not NAME=LOW:HIGH"));
    EXPECT_THAT(first_error(place(pendulum, {.eigenvalues = {10}, .vary = {"l"}, .bounds = {"l=60:70"}})),
                HasSubstr("lies outside its bounds"));
}

TEST(Generate, GivesFilesAsText) {
    const auto r = generate(test::pendulum({.freeze = {"g"}}), {.languages = {"c", "python"}});
    ASSERT_TRUE(r) << to_string(r.problems);
    EXPECT_GE(r->files.size(), 2U);
    ASSERT_EQ(r->package.frozen.size(), 1U);
    EXPECT_EQ(r->package.frozen.front().value, 9.81);
    EXPECT_EQ(first_error(generate(test::pendulum(), {.languages = {"cobol"}})), "unknown language 'cobol'");
    EXPECT_EQ(first_error(generate(test::pendulum(), {})), "--language is missing");
}

TEST(Count, AllAndOne) {
    const Session pendulum = test::pendulum();
    const auto one = count(pendulum);
    const auto all = count_all(pendulum);
    ASSERT_TRUE(one && all);
    EXPECT_EQ(one->formulation, "recursive");
    EXPECT_EQ(all->size(), 6U);
    for (const CountedFormulation& f : *all) {
        if (f.formulation == "recursive") EXPECT_EQ(f.programs.front().run.total(), one->programs.front().run.total());
    }
    EXPECT_TRUE(count_kane_evaluations(pendulum));
    EXPECT_EQ(count_kane_evaluations(pendulum, "some").status, Status::wrong_input);
    EXPECT_TRUE(base_parameters(pendulum));
}

TEST(Prove, ClosedChainsAreLookedAtWhereTheyAreClosed) {
    const auto tree = prove(test::pendulum(), {.only = {"kane", "recursive"}, .seed = 1});
    ASSERT_TRUE(tree) << to_string(tree.problems);
    EXPECT_TRUE(tree.is_ok());
    EXPECT_TRUE(tree->closed.pairs.empty());
    const auto loop = prove(test::opened("four_bar/model.toml"), {.only = {"kane", "recursive"}, .seed = 1});
    ASSERT_TRUE(loop) << to_string(loop.problems);
    EXPECT_TRUE(loop.is_ok());
    EXPECT_FALSE(loop->closed.pairs.empty());
    EXPECT_EQ(first_error(prove(test::pendulum(), {.only = {"kain"}})), "unknown formulation 'kain'");
    EXPECT_EQ(prove(test::pendulum(), {.patience = nan}).status, Status::wrong_input);
}

/// exp(1000)·h is infinite on both sides, which is no difference; and there is one verdict.
TEST(Prove, InfinitiesAgree) {
    const auto session = open_text(R"(format = 1
gravity = [0, -9.81, 0]
[[body]]
name = "b"
mass = 1
inertia = [1, 1, 1]
com = [0, 1, 0]
[[joint]]
name = "h"
type = "revolute"
parent = "ground"
child = "b"
[[constraint]]
holonomic = "h - 0.3"
[[output]]
name = "o"
expression = "exp(1000)*h"
)",
                                   "infinite.toml");
    ASSERT_TRUE(session) << to_string(session.problems);
    const auto proof = prove(*session, {.seed = 1});
    ASSERT_TRUE(proof) << to_string(proof.problems);
    EXPECT_TRUE(proof.is_ok());
    EXPECT_EQ(proof->verdict(), sym::Verdict::equal);
    ASSERT_FALSE(proof->closed.pairs.empty());
    for (const proof::Pair& p : proof->closed.pairs) EXPECT_THAT(p.note, HasSubstr("o is infinite on both sides")) << p.b;
}

TEST(Compare, FindsASlip) {
    const test::TemporaryFile right("right.eqs", "M[1][1] = m*l^2\n"), wrong("wrong.eqs", "M[1][1] = m*l\n");
    const auto equal = compare(test::pendulum(), {.file = right.path(), .seed = 1});
    ASSERT_TRUE(equal) << to_string(equal.problems);
    EXPECT_TRUE(equal.is_ok());
    const auto different = compare(test::pendulum(), {.file = wrong.path(), .seed = 1});
    ASSERT_TRUE(different) << to_string(different.problems);
    EXPECT_EQ(different.status, Status::numerical_failure);
    const auto frozen = compare(test::pendulum({.freeze = {"m"}}), {.file = right.path(), .seed = 1});
    ASSERT_TRUE(frozen) << to_string(frozen.problems);
    EXPECT_TRUE(frozen.is_ok());
    const test::TemporaryFile opaque("opaque.eqs", "M[1][1] = m*l*abs(l)\n");
    const auto agrees = compare(test::pendulum(), {.file = opaque.path(), .seed = 1});
    ASSERT_TRUE(agrees) << to_string(agrees.problems);
    EXPECT_EQ(agrees.status, Status::numerical_failure);
    EXPECT_TRUE(agrees->is_all_in_agreement());
    EXPECT_EQ(to_json(*agrees)["entries"][0]["verdict"], "numbers");
    EXPECT_EQ(compare(test::pendulum(), {.file = "/no/such/file"}).status, Status::wrong_input);
    EXPECT_EQ(compare(test::pendulum(), {}).status, Status::wrong_input);
}

TEST(Perturb, PendulumSoftens) {
    const Session pendulum = test::pendulum({.set = {"c=0"}});
    const auto study = perturb(pendulum);
    ASSERT_TRUE(study) << to_string(study.problems);
    ASSERT_EQ(study->backbones.size(), 1U);
    EXPECT_TRUE(study->formulas);
    EXPECT_THAT(perturbation_page(*study, {}), HasSubstr("Pendulum"));
    const auto halved = compare_scales(pendulum, {.amplitude = {"1=0.2"}, .samples = 50, .halving = 2});
    ASSERT_TRUE(halved && halved.is_ok()) << to_string(halved.problems);
    ASSERT_EQ(halved->halvings.size(), 3U);
    EXPECT_GT(*halved->halvings.back().order, 1.5);
    const auto once = compare_scales(pendulum, {.until = 3, .samples = 30});
    ASSERT_TRUE(once) << to_string(once.problems);
    EXPECT_EQ(once->table().rows.size(), 31U);
}

TEST(Perturb, NonsenseIsTold) {
    const Session pendulum = test::pendulum({.set = {"c=0"}});
    EXPECT_EQ(first_error(perturb(pendulum, {.degree = 9})), "--degree 9 is not supported");
    EXPECT_EQ(first_error(perturb(pendulum, {.order = 3})), "--order 3 needs terms of degree 4, and the expansion ends at 3");
    EXPECT_THAT(first_error(perturb(pendulum, {.closeness = nan})), HasSubstr("--closeness nan"));
    EXPECT_EQ(first_error(perturb(pendulum, {.keep = {"hop"}})), "--keep: no coordinate 'hop'");
    EXPECT_EQ(first_error(perturb(pendulum, {.damping = 1})), "--damping: there is no linear damping or coupling to be ordered");
    EXPECT_EQ(first_error(steady_response(pendulum, {.range = "1:0"})), "--response '1:0' is not a range of frequencies");
    EXPECT_THAT(first_error(steady_response(pendulum, {.range = "1:2:10"})), HasSubstr("nothing here depends on time"));
    EXPECT_EQ(first_error(compare_scales(pendulum, {.shrink = {"m=1"}})), "--shrink requires --halving");
    EXPECT_EQ(first_error(compare_scales(pendulum, {.amplitude = {"2=0.1"}})), "--amplitude 2=0.1: there is no mode 2");
}

TEST(Inspect, Loop) {
    const auto r = inspect(test::opened("four_bar/model.toml"));
    ASSERT_TRUE(r) << to_string(r.problems);
    EXPECT_EQ(r->freedoms, 1U);
    EXPECT_TRUE(r->closed.is_ok());
    const auto idle = inspect(
        *open_text(std::string(test::pendulum_text).replace(std::string(test::pendulum_text).find("c = 0.1"), 7, "c = 0.1\nidle = 1")));
    ASSERT_TRUE(idle);
    EXPECT_THAT(idle->unused, testing::ElementsAre("idle"));
}

TEST(Derive, Pages) {
    const Session pendulum = test::pendulum();
    const auto page = derive(pendulum, {.only = {"M"}});
    ASSERT_TRUE(page);
    EXPECT_THAT(*page, HasSubstr("M[1][1] = l^2*m"));
    EXPECT_TRUE(derive(pendulum, {.to = present::To::latex, .steps = true}));
    EXPECT_EQ(first_error(derive(pendulum, {.only = {"W"}})), "--only: unknown part 'W'");
    EXPECT_THAT(first_error(derive(test::pendulum({.formulation = "recursive"}), {.steps = true})), HasSubstr("has no worked derivation"));
}

/// A cantilever with a mass and a moment of inertia at its tip, in the one shape that it swings in.
constexpr const char* loaded_cantilever = R"(format = 1
name = "Loaded"
[parameters]
L = 2
load = 1
J = 0.02
[[body]]
name = "arm"
type = "beam"
length = "L"
mass_per_length = 1.5
bending = { y = 800 }
shapes = { y = { family = "clamped-mass", count = 1 } }
masses = [ { at = "L", mass = "load", inertia = "J" } ]
damping = 0.01
[[joint]]
name = "theta"
type = "weld"
parent = "ground"
child = "arm"
)";

/// Its wave number is a root, found by steps that are written out: a formula of 10¹¹ symbols if one spells it.
TEST(Derive, GivesNumbersWhereAFormulaWouldFillBooks) {
    const auto arm = linkwright::open_text(loaded_cantilever);
    ASSERT_TRUE(arm) << to_string(arm.problems);
    for (const auto to : {present::To::text, present::To::latex, present::To::json}) {
        const auto page = derive(*arm, {.to = to});
        ASSERT_TRUE(page);
        EXPECT_LT(page->size(), 60'000U);
        if (to != present::To::json) EXPECT_THAT(*page, HasSubstr("1.51108"));  // beta; JSON has it as a fraction
    }
}

/// βL = 1.511079232 is the root for m/μL = 1/3, J/μL³ = 1/600 (flex/shapes.hpp); constants of which constants are made are there too.
TEST(Modes, OfALoadedCantileverFollowWhatIsAtItsTip) {
    const auto lambda = [](const std::string& J) {
        const auto arm = linkwright::open_text(loaded_cantilever, "arm.toml", {.set = {"J=" + J}});
        const auto found = modes(*arm);
        EXPECT_TRUE(found) << to_string(found.problems);
        return std::norm(found->modes().poles[0]);
    };
    EXPECT_NEAR(lambda("0.02"), std::pow(1.511079232, 4) * 800 / (1.5 * 16), 1e-6);
    EXPECT_LT(lambda("0.03"), lambda("0.02") - 0.1);
}

}  // namespace
}  // namespace linkwright::session
