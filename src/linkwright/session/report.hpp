#pragma once
// What a call has to say beside its result: how it went, and errors, warnings and notes as plain data. Nothing here prints.

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "linkwright/base/diagnostic.hpp"

namespace linkwright::session {

/// How a call went; the numbers are the exit statuses of the program.
enum class Status : std::uint8_t {
    done = 0,
    numerical_failure = 1,  ///< did not converge, was stopped; what was reached is in the result
    wrong_input = 2,        ///< options, names or files that make no sense
};

/// Collected on the way. Functions that take a `Report&` return nothing (an empty optional, false) exactly when they have put an error there.
struct Report {
    Status status = Status::done;
    Diagnostics problems;

    /// The input is wrong.
    void error(std::string what, std::string hint = {});
    /// The numbers would not.
    void fail(std::string what, std::string hint = {});
    void warn(std::string what);
    void note(std::string what);
    /// What others have said; errors among it are wrong input.
    void add(const Diagnostics& others);
    /// What another call has said, with its status.
    void add(const Report& other);

    bool is_ok() const { return status == Status::done; }
};

bool has_error(const Diagnostics& problems);

/// A value, unless there was nothing to return; a failure may leave part of one (the rows of a motion that ended early). Reading a value that is
/// not there is a mistake of the calling program: std::logic_error, with what the problems say.
template <class T>
struct Result : Report {
    std::optional<T> value;

    Result() = default;
    Result(Report report) : Report(std::move(report)) {}
    Result(Report report, T result) : Report(std::move(report)), value(std::move(result)) {}

    explicit operator bool() const { return value.has_value(); }
    const T& operator*() const& { return need(), *value; }
    T operator*() && { return need(), std::move(*value); }
    const T* operator->() const { return need(), &*value; }

private:
    void need() const {
        if (!value) throw std::logic_error(to_string(problems));
    }
};

/// Where a long call is: from, until and now, in whatever it counts: time, or points, starts, files that are done. Nothing is known where
/// `until` is not after `from`.
struct Step {
    double now = 0, from = 0, until = 0;
};

/// How the options of a long call are told, step by step; false stops it. What was stopped has status numerical_failure and a diagnostic that
/// says so; a value only where the verb's header says that what was reached is kept.
using OnStep = std::function<bool(const Step&)>;

}  // namespace linkwright::session
