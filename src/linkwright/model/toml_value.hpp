#pragma once
// A TOML text as plain data that remembers where everything stands. The only file that knows the TOML library is its
// .cpp.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "linkwright/base/diagnostic.hpp"

namespace linkwright::model {

struct Entry;

struct Value {
    enum class Kind : std::uint8_t { boolean, integer, real, string, array, table, date };
    Kind kind = Kind::table;
    Position where;
    bool boolean = false;
    std::int64_t integer = 0;
    double real = 0;
    std::string string;
    Position content;            ///< where the characters of a string begin, after the quote
    std::vector<Value> items;    ///< of an array
    std::vector<Entry> entries;  ///< of a table, in the order of the file

    bool is(Kind k) const { return kind == k; }
    bool is_number() const { return kind == Kind::integer || kind == Kind::real; }
    const Value* find(std::string_view key) const;  ///< null when there is none; for tables with few keys
    const Entry* find_entry(std::string_view key) const;
};

struct Entry {
    std::string key;
    Position where;
    Value value;
};

/// "a string", "a list" …, for messages.
std::string_view describe(Value::Kind kind);

/// The table that is the whole text; empty when it is not TOML, and `problems` says why.
std::optional<Value> parse_toml(std::string_view text, Diagnostics& problems);

}  // namespace linkwright::model
