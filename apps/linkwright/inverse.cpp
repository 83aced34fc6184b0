#include "linkwright/session/inverse.hpp"
#include "common.hpp"
#include "linkwright/session/units.hpp"
#include "progress.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

struct Options {
    SharedOptions common;
    bool units = false;
    session::InverseOptions inverse;
};

int inverse(Options& options) {
    const auto session = open(options.common);
    if (!session) return wrong_input;
    Progress progress("inverse", options.common.quiet);
    options.inverse.on_step = [&](const session::Step& step) { return progress(step); };
    return deliver(options.common, session::inverse(*session, options.inverse), [&](const session::InverseForces& r) {
        return options.common.json
                   ? session::dump(to_json(r))
                   : (options.units ? to_csv(r.table(), session::units_for(r.table().columns, session->model())) : to_csv(r.table()));
    });
}

}  // namespace

Work declare_inverse(Words words) {
    auto options = std::make_shared<Options>();
    options->common.formulation = "recursive";
    declare(words, options->common);
    words
        .add_input("--motion", options->inverse.motion,
                   "NAME=EXPRESSION in t, of a coordinate or an output (tool.x), or a CSV file with t and such columns (repeatable)")
        .type_name("MOTION")
        .repeatable();
    words.add_option("--until", options->inverse.rows.until, "When to end (with samples: at the last)").type_name("T");
    words.add_option("--samples", options->inverse.rows.samples, "Rows at equal intervals: N of them, N+1 rows (100)").type_name("N");
    words.add_option("--times", options->inverse.rows.times, "Rows at these times instead").type_name("T,T,...").delimiter(',');
    words.add_input("--state", options->inverse.state.file, "Where closing begins; without it: [initial]");
    words.add_choice(
        "--by", {"inputs", "coordinates"}, [options](std::size_t i) { options->inverse.by = static_cast<motion::ActuatedBy>(i); },
        "What pushes: inputs (default when there are any) or coordinates");
    words.add_flag("--units", options->units, "Units in the header of the table: 'hip [rad]'");
    return [options] { return inverse(*options); };
}

}  // namespace linkwright::cli
