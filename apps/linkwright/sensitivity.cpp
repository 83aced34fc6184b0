#include "linkwright/session/sensitivity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "operating_words.hpp"
#include "progress.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

using linear::EigenvalueSensitivity;
using session::has_derivative;
using session::Sensitivities;
using session::SensitivityOf;
using Complex = std::complex<double>;
using Eigen::Index;
using Eigen::VectorXd;

enum class Of : std::uint8_t { eigenvalues, poles, vectors, equilibrium, motion };

struct Options {
    SharedOptions common;
    session::OperatingWords operating;
    Of of = Of::eigenvalues;
    std::vector<std::string> to;
    session::MotionSensitivityOptions motion;
    std::vector<std::string> of_motion;  ///< options given that only a motion has
};

std::string number(double x) { return fmt::format("{:.6g}", x + 0.0); }

std::string number(Complex z) {
    if (z.imag() == 0) return number(z.real());
    return fmt::format("{} {} {}i", number(z.real()), z.imag() < 0 ? '-' : '+', number(std::abs(z.imag())));
}

std::size_t columns_in(const std::string& text) {  // of UTF-8
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string left(const std::string& text, std::size_t width) {
    return text + std::string(width > columns_in(text) ? width - columns_in(text) : 0, ' ');
}
std::string right(const std::string& text, std::size_t width) {
    return std::string(width > columns_in(text) ? width - columns_in(text) : 0, ' ') + text;
}

/// Rows under names of parameters, in as many blocks as the width asks for.
std::string table(const std::string& title, const std::vector<std::string>& rows, const Sensitivities& columns,
                  const std::function<std::string(Index, Index)>& cell) {
    std::string out = title + "\n";
    std::size_t first = 0;
    for (const std::string& row : rows) first = std::max(first, columns_in(row));
    std::vector<std::size_t> widths;
    std::vector<std::string> heads;
    for (std::size_t c = 0; c < columns.parameters.size(); ++c) {
        heads.push_back(columns.units[c].empty() ? columns.parameters[c] : fmt::format("{} [{}]", columns.parameters[c], columns.units[c]));
        std::size_t width = columns_in(heads.back());
        for (std::size_t r = 0; r < rows.size(); ++r)
            width = std::max(width, columns_in(cell(static_cast<Index>(r), static_cast<Index>(c))));
        widths.push_back(width + 2);
    }
    for (std::size_t begin = 0; begin < heads.size();) {
        std::size_t end = begin, wide = first;
        while (end < heads.size() && (end == begin || wide + widths[end] <= 118)) wide += widths[end++];
        out += "    " + left("", first);
        for (std::size_t c = begin; c < end; ++c) out += right(heads[c], widths[c]);
        out += '\n';
        for (std::size_t r = 0; r < rows.size(); ++r) {
            out += "    " + left(rows[r], first);
            for (std::size_t c = begin; c < end; ++c) out += right(cell(static_cast<Index>(r), static_cast<Index>(c)), widths[c]);
            out += '\n';
        }
        begin = end;
        if (begin < heads.size()) out += '\n';
    }
    return out;
}

std::vector<std::string> row_names(const EigenvalueSensitivity& s) {
    std::vector<std::string> names;
    for (Index i = 0; i < s.values.size(); ++i) {
        std::string value = number(s.values[i]);
        if (!s.is_lambda && s.values[i].imag() != 0)
            value = fmt::format("{} ± {}i", number(s.values[i].real()), number(s.values[i].imag()));
        names.push_back(fmt::format("{}{} = {}", s.is_lambda ? "λ" : "μ", i + 1, value));
    }
    return names;
}

std::string text_of(const EigenvalueSensitivity& s, const Sensitivities& c) {
    const std::vector<std::string> rows = row_names(s);
    const auto cell = [&](const auto& m) {
        return [&](Index i, Index k) { return has_derivative(s.multiplicity[i]) ? number(m(i, k)) : std::string("none"); };
    };
    const bool is_lambda = s.is_lambda;
    std::string out = table(is_lambda ? "dλ/dp, λ in 1/s²" : "dμ/dp, μ in 1/s", rows, c, cell(s.derivatives));
    out += "\n" + table(is_lambda ? "relative: (p/λ) dλ/dp" : "relative: (p/μ) dμ/dp", rows, c, cell(s.relative));
    if (s.frequency_hz.size() > 0 && !s.frequency_hz.isZero(0))
        out += "\n" + table("of the frequency, in Hz", rows, c, cell(s.frequency_hz));
    if (!is_lambda && !s.damping_ratio.isZero(0)) out += "\n" + table("of the damping ratio", rows, c, cell(s.damping_ratio));
    return out;
}

std::string text_of(const linear::EigenvectorSensitivity& v, const Sensitivities& c) {
    const std::vector<std::string> names = row_names(v.of);
    std::string out = fmt::format("vectors with {}\n", v.of.is_lambda ? "xᵀMx = 1" : "their largest entry 1");
    for (Index i = 0; i < v.vectors.cols(); ++i) {
        const bool has = v.has_derivative[i];
        std::vector<std::string> rows;
        for (std::size_t k = 0; k < v.s.size(); ++k)
            rows.push_back(fmt::format("{} = {}", v.s[k], number(v.vectors(static_cast<Index>(k), i))));
        out +=
            "\n" + table(names[i], rows, c, [&](Index r, Index k) { return has ? number(v.derivatives[k](r, i)) : std::string("none"); });
    }
    return out;
}

std::string text_of_point(const Sensitivities& r) {
    std::string out;
    const auto part = [&](const std::string& title, const std::vector<std::string>& names, const VectorXd& values,
                          VectorXd numeric::PointDerivative::* derivative) {
        std::vector<std::string> rows;
        for (std::size_t i = 0; i < names.size(); ++i) rows.push_back(fmt::format("{} = {}", names[i], number(values[i])));
        if (!names.empty())
            out += table(title, rows, r, [&](Index i, Index k) { return number((r.derivatives.by[k].*derivative)[i]); }) + "\n";
    };
    part("dq/dp", r.names.coordinates, r.point.state.q, &numeric::PointDerivative::q);
    if (!r.point.is_at_rest) part("du/dp", r.names.speeds, r.point.state.u, &numeric::PointDerivative::u);
    part("dw/dp", r.names.inputs, r.point.state.w, &numeric::PointDerivative::w);
    part("of the constraint forces, dλ/dp", r.names.constraints, r.point.lambda, &numeric::PointDerivative::lambda);
    return out;
}

std::string as_text(const Sensitivities& r) {
    const std::string head = fmt::format("{}: sensitivity {}\n\n", r.names.model, r.where);
    if (r.of == SensitivityOf::equilibrium) return head + text_of_point(r);
    return head + (r.of == SensitivityOf::vectors ? text_of(r.vectors, r) : text_of(r.eigenvalues, r));
}

int sensitivity(Options& options) {
    const SharedOptions& common = options.common;
    if (options.of != Of::motion && !options.of_motion.empty())
        return report_error(fmt::format("{} requires --of motion", options.of_motion.front())), wrong_input;
    if (options.of == Of::motion && !are_right(check(options.motion), common)) return wrong_input;
    const auto session = open(common);
    if (!session) return wrong_input;
    if (options.of == Of::motion) {
        options.motion.to = options.to;
        options.motion.state = options.operating.state;
        Progress progress("sensitivity", common.quiet);
        options.motion.on_step = [&](const session::Step& step) { return progress(step); };
        return deliver(common, motion_sensitivity(*session, options.motion),
                       [&](const session::MotionSensitivity& r) { return common.json ? dump(to_json(r)) : to_csv(r.table); });
    }
    const session::SensitivityOptions o{.operating = options.operating, .of = static_cast<SensitivityOf>(options.of), .to = options.to};
    return deliver(common, session::sensitivity(*session, o), [&](const Sensitivities& r) {
        if (common.json) return dump(to_json(r));
        for (const std::string& note : r.notes) tell_note(common, note);
        return as_text(r);
    });
}

}  // namespace

Work declare_sensitivity(Words words) {
    auto options = std::make_shared<Options>();
    options->common.formulation = "recursive";
    declare(words, options->common);
    declare(words, options->operating);
    words.add_choice(
        "--of", {"eigenvalues", "poles", "vectors", "equilibrium", "motion"},
        [options](std::size_t i) { options->of = static_cast<Of>(i); },
        "What is differentiated: eigenvalues (λ where defined, otherwise poles; default), poles, vectors, equilibrium, motion");
    words.add_option("--to", options->to, "By which parameters: names, or all; for a motion also initial values, hip(0)")
        .type_name("NAMES")
        .delimiter(',');
    words.add_option("--until", options->motion.rows.until, "With --of motion: end time").type_name("T");
    words.add_option("--samples", options->motion.rows.samples, "With --of motion: number of equal intervals; N+1 rows are written (100)")
        .type_name("N");
    words.add_option("--times", options->motion.rows.times, "With --of motion: write rows at these times instead")
        .type_name("T,T,...")
        .delimiter(',');
    words.add_option("--tolerance", options->motion.tolerance, "With --of motion: relative error of a step (1e-8)").type_name("R");
    return [options, words] {
        for (const char* name : {"--until", "--samples", "--times", "--tolerance"}) {
            if (words.is_given(name)) options->of_motion.emplace_back(name);
        }
        return sensitivity(*options);
    };
}

}  // namespace linkwright::cli
