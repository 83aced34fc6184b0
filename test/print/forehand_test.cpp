// The double pendulum as Forehand, Cartmell and Khanin print it at the end of their worked derivation [forehand (108),
// (109)]. The model has actuators where they have none: tau1 and tau2 are added on the right.

#include "print/subject.hpp"

namespace linkwright::print {
namespace {

TEST(Forehand, DoublePendulum) {
    const Subject s = subject("models/double_pendulum/model.toml");
    const eom::EquationsOfMotion& e = s.equations;
    Desk desk;
    desk.lay_out(e);

    // (108), left side: the factors of the two accelerations
    desk.expect_equal(e.M[0][0], "(m1/3 + m2)*l1^2 + m2*l1*l2*cos(theta2) + m2*l2^2/3", "M11");
    desk.expect_equal(e.M[0][1], "m2*l1*l2/2*cos(theta2) + m2*l2^2/3", "M12");
    desk.expect_equal(e.f[0],
                      "m2*l1*l2/2*(theta1' + theta2')^2*sin(theta2) - (m1/2 + m2)*g*l1*sin(theta1)"
                      " - m2*l1*l2/2*theta1'^2*sin(theta2) - m2*g*l2/2*sin(theta1 + theta2) + tau1",
                      "f1");
    // (109)
    desk.expect_equal(e.M[1][0], "m2*l1*l2/2*cos(theta2) + m2*l2^2/3", "M21");
    desk.expect_equal(e.M[1][1], "m2*l2^2/3", "M22");
    desk.expect_equal(e.f[1], "-m2*l1*l2/2*theta1'^2*sin(theta2) - m2*g*l2/2*sin(theta1 + theta2) + tau2", "f2");
}

}  // namespace
}  // namespace linkwright::print
