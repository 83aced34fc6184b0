#pragma once
// Transfer functions of small motions.

#include "linkwright/linear/frequency.hpp"
#include "linkwright/session/json.hpp"
#include "linkwright/session/names.hpp"
#include "linkwright/session/operating_state.hpp"
#include "linkwright/session/session.hpp"
#include "linkwright/session/table.hpp"

namespace linkwright::session {

struct FrequencyOptions {
    OperatingWords operating{};
    std::vector<std::string> from{},
        to{};  ///< inputs that push; outputs, coordinates, speeds that are looked at. Empty: all inputs; the model's outputs, or all small motions
    std::string range{};                ///< "0.1:100"; empty: from the poles
    long points = 200;                  ///< at equal ratios
    bool is_even = false;               ///< none added near lightly damped poles and zeros
    std::vector<double> frequencies{};  ///< just these
    bool in_hz = false;                 ///< Hz instead of rad/s
    bool nyquist = false;               ///< tables have real and imaginary parts
    bool loops = true;                  ///< a loop is closed around every entry: Nyquist's criterion, margins
    OnStep on_step{};                   ///< told the frequencies that are done, those between which peaks are looked for as well
};
Diagnostics check(const FrequencyOptions& options);

struct Response {
    Names names;
    linear::TransferFunctions transfer;  ///< in rad/s
    bool in_hz = false;
    bool as_nyquist = false;
    double unit() const;  ///< rad/s in one unit of frequency
    const char* unit_name() const { return in_hz ? "Hz" : "rad/s"; }
};

/// Stopped: no value.
Result<Response> frequency(const Session& session, const FrequencyOptions& options = {});
Json to_json(const Response& response);
Table to_table(const Response& response);

double decibels(double magnitude);

}  // namespace linkwright::session
