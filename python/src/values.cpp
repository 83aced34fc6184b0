#include "values.hpp"

#include <fmt/ranges.h>
#include <pybind11/numpy.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace linkwright::python {

namespace {

using session::Json;

/// How the numbers of an array are best kept.
enum class Kind : std::uint8_t { none, whole, real };

bool is_number_or_gap(const Json& x) { return x.is_number() || x.is_null(); }

Kind kind_of(const Json& array) {
    bool has_number = false, is_whole = true;
    for (const Json& x : array) {
        if (!is_number_or_gap(x)) return Kind::none;
        has_number |= x.is_number();
        is_whole &= x.is_number_integer() && !(x.is_number_unsigned() && x.get<std::uint64_t>() >> 63U);
    }
    return !has_number ? Kind::none : is_whole ? Kind::whole : Kind::real;
}

double number(const Json& x) { return x.is_null() ? std::numeric_limits<double>::quiet_NaN() : x.get<double>(); }

template <class T, class Read>
py::array_t<T> filled(const Json& array, Read read) {
    py::array_t<T> out(static_cast<py::ssize_t>(array.size()));
    T* at = out.mutable_data();
    for (const Json& x : array) *at++ = read(x);
    return out;
}

/// Rows of numbers, all of one length.
std::optional<py::array> matrix(const Json& rows) {
    if (rows.empty() || !rows.front().is_array() || rows.front().empty()) return std::nullopt;
    const std::size_t columns = rows.front().size();
    for (const Json& row : rows) {
        if (!row.is_array() || row.size() != columns || !std::ranges::all_of(row, is_number_or_gap)) return std::nullopt;
    }
    py::array_t<double> out({rows.size(), columns});
    double* at = out.mutable_data();
    for (const Json& row : rows) {
        for (const Json& x : row) *at++ = number(x);
    }
    return out;
}

py::object to_list_or_array(const Json& json) {
    switch (kind_of(json)) {
        case Kind::whole: return filled<std::int64_t>(json, [](const Json& x) { return x.get<std::int64_t>(); });
        case Kind::real: return filled<double>(json, number);
        case Kind::none: break;
    }
    if (auto m = matrix(json)) return *m;
    py::list out;
    for (const Json& x : json) out.append(to_python(x));
    return std::move(out);
}

}  // namespace

py::object to_python(const Json& json) {
    switch (json.type()) {
        case Json::value_t::boolean: return py::bool_(json.get<bool>());
        case Json::value_t::number_integer: return py::int_(json.get<std::int64_t>());
        case Json::value_t::number_unsigned: return py::int_(json.get<std::uint64_t>());
        case Json::value_t::number_float:
            if (!std::isfinite(json.get<double>())) return py::none();  // as JSON has it
            return py::float_(json.get<double>());
        case Json::value_t::string: return py::str(json.get_ref<const std::string&>());
        case Json::value_t::array: return to_list_or_array(json);
        case Json::value_t::object: {
            py::dict out;
            for (const auto& [key, value] : json.items()) out[py::str(key)] = to_python(value);
            return std::move(out);
        }
        default: return py::none();
    }
}

py::list to_python(const Diagnostics& problems) {
    py::list out;
    for (const Diagnostic& d : problems) {
        using enum Diagnostic::Severity;
        const char* severity = d.severity == error ? "error" : d.severity == warning ? "warning" : "note";
        out.append(py::make_tuple(severity, d.file, d.where.line, d.where.column, d.what, d.hint));
    }
    return out;
}

void Keywords::refuse(const char* name) const {
    throw py::type_error(fmt::format("{}: {} is of no use here", name, py::repr(words_[name]).cast<std::string>()));
}

std::size_t Keywords::choose(const char* name, std::initializer_list<std::string_view> words) const {
    std::string word;
    take(name, word);
    const auto* at = std::ranges::find(words, word);
    if (at == words.end()) throw WrongWord(fmt::format("{}: '{}' is none of {}", name, word, fmt::join(words, ", ")));
    return static_cast<std::size_t>(at - words.begin());
}

void Keywords::take(const char* name, session::StateWords& into) const {
    if (!has(name)) return;
    if (py::isinstance<py::str>(words_[name])) return take(name, into.file);
    using Values = std::vector<std::pair<std::string, double>>;
    std::tuple<double, Values, Values> given;
    take(name, given);
    into.values = session::NamedState{std::get<0>(given), std::get<1>(given), std::get<2>(given)};
}

}  // namespace linkwright::python
