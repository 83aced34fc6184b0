#include <gtest/gtest.h>

#include "linkwright/perturb/modal_form.hpp"

namespace linkwright::perturb {
namespace {

TEST(Complex, IsAFieldOverAnyReal) {
    const Complex<double> a{1, 2}, b{3, -1};
    EXPECT_EQ((a * b).re, 5);
    EXPECT_EQ((a * b).im, 5);
    EXPECT_EQ((a * conj(a)).re, 5);
    EXPECT_EQ((a * conj(a)).im, 0);
}

}  // namespace
}  // namespace linkwright::perturb
