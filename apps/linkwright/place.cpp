#include "linkwright/session/place.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "operating_words.hpp"
#include "progress.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

using linear::EigenvalueTargets;
using linear::Placement;
using Complex = std::complex<double>;

struct Options {
    SharedOptions common;
    session::PlaceOptions place;
};

std::string number(double x) {
    const bool is_plain = x == 0 || (std::abs(x) >= 1e-3 && std::abs(x) < 1e5);
    return is_plain ? fmt::format("{:.6f}", x) : fmt::format("{:.6e}", x);
}
std::string number(Complex z) {
    if (z.imag() == 0) return number(z.real());
    return fmt::format("{} {} {}i", number(z.real()), z.imag() < 0 ? '-' : '+', number(std::abs(z.imag())));
}

std::string right(const std::string& text, std::size_t width) { return fmt::format(" {:>{}}", text, width - 1); }

std::string as_text(const session::Placed& r, const std::vector<std::string>& typed) {
    const EigenvalueTargets& wish = r.wish;
    const Placement& found = r.placement;
    const bool is_complex = wish.of != EigenvalueTargets::Of::lambda;
    std::string out = fmt::format("{}: {} by varying {}\n\n", r.names.model,
                                  wish.of == EigenvalueTargets::Of::lambda ? "wanted λ"
                                  : wish.of == EigenvalueTargets::Of::pole ? "wanted poles"
                                                                           : "wanted frequencies",
                                  fmt::join(typed, ", "));
    const std::size_t width = is_complex && wish.of == EigenvalueTargets::Of::pole ? 26 : 14;
    std::string head = " step";
    for (std::size_t k = 0; k < r.vary.size(); ++k) {
        head += right(r.units[k].empty() ? r.vary[k] : fmt::format("{} [{}]", r.vary[k], r.units[k]), 14);
    }
    const char* letter = wish.of == EigenvalueTargets::Of::lambda ? "lambda" : wish.of == EigenvalueTargets::Of::pole ? "pole" : "Hz";
    for (std::size_t k = 0; k < wish.values.size(); ++k) head += right(fmt::format("{} {}", letter, k + 1), width);
    out += head + right("error", 11) + "\n";
    const auto shown = [&](Complex z) {
        return wish.of == EigenvalueTargets::Of::frequency ? number(z.imag() / (2 * std::numbers::pi)) : number(z);
    };
    for (std::size_t i = 0; i < found.walk.size(); ++i) {
        const Placement::Iteration& at = found.walk[i];
        out += fmt::format("{:>4}{}", i, at.is_full_step ? ' ' : '~');
        for (const double p : at.parameters) out += right(number(p), 14);
        for (const Complex z : at.eigenvalues) out += right(shown(z), width);
        out += right(fmt::format("{:.2e}", at.error), 11) + "\n";
    }
    out += right("wanted", 5 + 14 * r.vary.size());
    for (const Complex z : wish.values)
        out += right(wish.of == EigenvalueTargets::Of::frequency ? number(z.real() / (2 * std::numbers::pi)) : number(z), width);
    out += "\n";
    if (std::ranges::any_of(found.walk, [](const Placement::Iteration& at) { return !at.is_full_step; }))
        out += "\n~ not Newton's full step, which would have increased the error\n";
    for (const std::size_t k : found.at_bound) out += fmt::format("\n{} is at its bound\n", r.vary[k]);
    out += fmt::format("\n{}\n", fmt::join(r.set, " "));
    return out;
}

int place(Options& options) {
    if (!are_right(check(options.place), options.common)) return wrong_input;
    const auto session = open(options.common);
    if (!session) return wrong_input;
    Progress progress("placing", options.common.quiet, Progress::Of::steps);
    options.place.on_step = progress.on_step();
    return deliver(options.common, session::place(*session, options.place),
                   [&](const session::Placed& r) { return options.common.json ? dump(to_json(r)) : as_text(r, options.place.vary); });
}

}  // namespace

Work declare_place(Words words) {
    auto options = std::make_shared<Options>();
    options->common.formulation = "recursive";
    declare(words, options->common);
    declare(words, options->place.operating);
    words.add_option("--eigenvalues", options->place.eigenvalues, "Required eigenvalues λ of K x = λ M x, in ascending order")
        .type_name("L,L,...")
        .delimiter(',');
    words.add_option("--frequencies", options->place.frequencies, "Required frequencies in Hz instead").type_name("F,F,...").delimiter(',');
    words.add_option("--poles", options->place.poles, "Required poles instead, one of each pair: --poles=-1+2i,-4")
        .type_name("P,P,...")
        .delimiter(',');
    words.add_option("--vary", options->place.vary, "Parameters that may change").type_name("NAMES").delimiter(',');
    words.add_option("--bounds", options->place.bounds, "Bounds NAME=LOW:HIGH, instead of min and max in the model file")
        .type_name("BOUNDS")
        .delimiter(',');
    words.add_option("--weights", options->place.weights, "Weight of each required eigenvalue, when not all can be met")
        .type_name("W,W,...")
        .delimiter(',');
    words.add_option("--iterations", options->place.iterations, "Largest number of steps (60)").type_name("N");
    words.add_option("--tolerance", options->place.tolerance, "Tolerated relative error of an eigenvalue (1e-10)").type_name("R");
    return [options] { return place(*options); };
}

}  // namespace linkwright::cli
