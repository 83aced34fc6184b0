#include "linkwright/session/json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace linkwright::session {

Json to_json(const Eigen::VectorXd& v) {
    Json a = Json::array();
    for (const double x : v) a.push_back(x + 0.0);  // no -0
    return a;
}

Json to_json(const Eigen::MatrixXd& m) {
    Json a = Json::array();
    for (Eigen::Index i = 0; i < m.rows(); ++i) a.push_back(to_json(Eigen::VectorXd(m.row(i))));
    return a;
}

Json to_json(const program::Operations& n) {
    return {{"add", n.add}, {"mul", n.mul}, {"div", n.div}, {"sqrt", n.sqrt}, {"sincos", n.sincos}, {"other", n.other}};
}

Json to_json(std::complex<double> z) { return {{"re", z.real()}, {"im", z.imag()}}; }

namespace {

void write(const Json& j, std::size_t indent, std::string& out) {
    const bool is_flat = std::ranges::none_of(j, [](const auto& x) { return x.is_structured() && !x.empty(); });
    if (!j.is_structured() || j.empty() || (j.is_array() && is_flat)) {
        out += j.dump();
        return;
    }
    out += j.is_array() ? "[\n" : "{\n";
    bool is_first = true;
    for (const auto& [key, value] : j.items()) {
        if (!is_first) out += ",\n";
        is_first = false;
        out.append(indent + 2, ' ');
        if (j.is_object()) out += Json(key).dump() + ": ";
        write(value, indent + 2, out);
    }
    out += '\n';
    out.append(indent, ' ');
    out += j.is_array() ? ']' : '}';
}

}  // namespace

std::string dump(const Json& json) {
    std::string out;
    write(json, 0, out);
    return out + "\n";
}

}  // namespace linkwright::session
