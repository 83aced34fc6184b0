#include "several.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "page.hpp"
#include "paint.hpp"

namespace linkwright::cli {

namespace {

std::string word_for(int status) {
    if (status == done) return paint(Ink::good, "ok");
    return paint(Ink::bad, status == wrong_input ? "wrong input" : "failed");
}

std::string line_for(const std::string& model, const OfOneModel& one) {
    return wrapped(fmt::format("{}: {}{}", model, word_for(one.status), one.line.empty() ? "" : ": " + one.line), 0, 4);
}

}  // namespace

int run_several(SharedOptions common, const std::vector<std::string>& models, const std::function<OfOneModel(const SharedOptions&)>& ask) {
    int worst = done;
    std::size_t good = 0;
    std::string text;
    session::Json all = session::Json::array();
    for (const std::string& model : models) {
        common.model = model;
        OfOneModel one = ask(common);
        worst = std::max(worst, one.status);
        good += one.status == done ? 1 : 0;
        text += line_for(model, one);
        all.push_back({{"file", model}, {"status", one.status}, {"result", std::move(one.json)}});
    }
    text += good == models.size() ? fmt::format("{} models, all ok\n", models.size())
                                  : fmt::format("{} models: {} ok, {} failed\n", models.size(), good, models.size() - good);
    const int delivered = deliver(common, common.json ? dump(all) : text);
    return std::max(worst, delivered);
}

}  // namespace linkwright::cli
