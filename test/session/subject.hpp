#pragma once
// Sessions that the tests ask.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "linkwright/session/session.hpp"
#include "support/project_root.hpp"

namespace linkwright::test {

inline std::string model_path(const std::string& name) { return project_root() + "/models/" + name; }

/// A pendulum with a motor, hanging at 0.3 rad.
inline constexpr const char* pendulum_text = R"(format = 1
name = "Pendulum"
gravity = [0, "-g", 0]
[parameters]
g = 9.81
l = { value = 50, unit = "cm" }
m = 2
c = 0.1
[inputs]
tau = 0
[[body]]
name = "bob"
mass = "m"
com = [0, "-l", 0]
[[joint]]
name = "hip"
type = "revolute"
parent = "ground"
child = "bob"
damping = "c"
actuator = "tau"
[initial]
hip = 0.3
)";

inline session::Session pendulum(const session::OpenOptions& options = {}) {
    const auto opened = session::open_text(pendulum_text, "pendulum.toml", options);
    EXPECT_TRUE(opened) << to_string(opened.problems);
    return *opened;
}

inline session::Session opened(const std::string& model, const session::OpenOptions& options = {}) {
    const auto opened = session::open(model_path(model), options);
    EXPECT_TRUE(opened) << to_string(opened.problems);
    return *opened;
}

/// The first error, or nothing.
inline std::string first_error(const session::Report& report) {
    for (const Diagnostic& d : report.problems) {
        if (d.severity == Diagnostic::Severity::error) return d.what;
    }
    return "";
}

/// A file that is gone when the test is over.
class TemporaryFile {
public:
    TemporaryFile(const std::string& name, const std::string& text)
        : path_(std::filesystem::temp_directory_path() / (std::to_string(::getpid()) + "_" + name)) {
        std::ofstream(path_) << text;
    }
    ~TemporaryFile() { std::filesystem::remove(path_); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

}  // namespace linkwright::test
