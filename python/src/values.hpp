#pragma once
// Values across the border: JSON of a result becomes Python objects, a dictionary of keywords becomes options.

#include <fmt/format.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <nlohmann/json.hpp>

#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "linkwright/session/json.hpp"
#include "linkwright/session/report.hpp"
#include "linkwright/session/state_file.hpp"

namespace linkwright::python {

namespace py = pybind11;

/// Objects are dictionaries in the order of the JSON. Arrays of numbers, and arrays of such of one length, are NumPy arrays; null among numbers is
/// NaN there. Other arrays are lists.
py::object to_python(const session::Json& json);

/// Tuples of severity, file, line, column, what, hint.
py::list to_python(const Diagnostics& problems);

/// A word that is none of those an option takes: lw.InputError in Python.
struct WrongWord : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Keywords as options: an entry that is there and not None goes into its place; one of the wrong type is a TypeError that names it.
class Keywords {
public:
    explicit Keywords(py::dict words) : words_(std::move(words)) {}

    bool has(const char* name) const { return words_.contains(name) && !words_[name].is_none(); }
    py::object operator[](const char* name) const { return words_[name]; }

    template <class T>
    void take(const char* name, T& into) const {
        if (!has(name)) return;
        try {
            into = words_[name].cast<T>();
        } catch (const py::cast_error&) {
            refuse(name);
        }
    }
    /// One of a few words; its place goes into `into`.
    template <class T>
    void take(const char* name, T& into, std::initializer_list<std::string_view> words) const {
        if (has(name)) into = static_cast<T>(choose(name, words));
    }
    template <class T>
    void take(const char* name, std::optional<T>& into, std::initializer_list<std::string_view> words) const {
        if (has(name)) into = static_cast<T>(choose(name, words));
    }
    /// A path, or (t, {name: value}, {input: value}).
    void take(const char* name, session::StateWords& into) const;

private:
    [[noreturn]] void refuse(const char* name) const;
    std::size_t choose(const char* name, std::initializer_list<std::string_view> words) const;
    py::dict words_;
};

}  // namespace linkwright::python
