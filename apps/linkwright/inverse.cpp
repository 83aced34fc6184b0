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
        .add_input(
            "--motion", options->inverse.motion,
            "NAME=EXPRESSION in t, of a coordinate, an output or a point (arm.tip.x), or a CSV file with t and such columns (repeatable)")
        .type_name("MOTION")
        .repeatable();
    words.add_option("--until", options->inverse.rows.until, "End time (default with a CSV file: the last sample)").type_name("T");
    words.add_option("--samples", options->inverse.rows.samples, "Number of equal intervals; N+1 rows are written (100)").type_name("N");
    words.add_option("--times", options->inverse.rows.times, "Write rows at these times instead").type_name("T,T,...").delimiter(',');
    words
        .add_option("--tolerance", options->inverse.tolerance,
                    "Relative error where a motion that is not prescribed completely is integrated (1e-8)")
        .type_name("TOL");
    words.add_input("--state", options->inverse.state.file, "State from which the loops are closed (default: [initial])");
    words.add_choice(
        "--by", {"inputs", "coordinates"}, [options](std::size_t i) { options->inverse.by = static_cast<motion::ActuatedBy>(i); },
        "Where the forces act: inputs (default if there are any) or coordinates");
    words.add_flag("--units", options->units, "Units in the header of the table: 'hip [rad]'");
    return [options] { return inverse(*options); };
}

}  // namespace linkwright::cli
