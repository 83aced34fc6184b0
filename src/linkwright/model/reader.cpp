#include "linkwright/model/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "linkwright/base/text.hpp"
#include "linkwright/model/point_name.hpp"

namespace linkwright::model {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Words of the language, and first words of names that are: energy.total.
constexpr std::array reserved{"t", "pi", "deg", "energy", "momentum", "undefined"};
constexpr std::array results{"energy.kinetic",    "energy.potential",   "energy.total",       "momentum.linear.x", "momentum.linear.y",
                             "momentum.linear.z", "momentum.angular.x", "momentum.angular.y", "momentum.angular.z"};

std::string shortened(std::string_view word) {
    constexpr std::size_t longest = 60;
    if (word.size() <= longest) return std::string(word);
    std::size_t end = longest;
    while ((static_cast<unsigned char>(word[end]) & 0xC0U) == 0x80U) --end;
    return std::string(word.substr(0, end)) + "…";
}

}  // namespace

std::string quoted(std::string_view word) {
    const char quote = word.find('\'') == std::string_view::npos ? '\'' : '"';
    return quote + shortened(word) + quote;
}

const Scope::Port* Scope::port(std::string_view name) const {
    const auto at = std::ranges::find(ports, name, &std::pair<std::string, Port>::first);
    return at == ports.end() ? nullptr : &at->second;
}

Reader::Reader() : model(empty_model()) { bodies.emplace("ground", ground); }

const ParameterValues& Reader::values() {
    if (!values_) values_.emplace(model);
    return *values_;
}

// ----------------------------------------------------------------------------------------------------------- problems

void Reader::error(Position where, std::string what, std::string hint) {
    problems.push_back({.file = {}, .where = where, .what = std::move(what), .hint = std::move(hint)});
    has_error = true;
}

void Reader::warning(Position where, std::string what, std::string hint) {
    problems.push_back(
        {.severity = Diagnostic::Severity::warning, .file = {}, .where = where, .what = std::move(what), .hint = std::move(hint)});
}

std::string Reader::advice(std::string_view word, const std::vector<std::string>& candidates) const {
    if (const auto meant = did_you_mean(word, candidates)) return fmt::format("did you mean {}?", quoted(*meant));
    if (candidates.empty() || candidates.size() > 12) return {};
    std::string all = "choose from";
    for (const std::string& c : candidates) all += (&c == candidates.data() ? " " : ", ") + shortened(c);
    return all;
}

void Reader::unknown(std::string_view thing, std::string_view word, Position where,
                     const std::function<std::vector<std::string>()>& candidates) {
    error(where, fmt::format("unknown {} {}", thing, quoted(word)), wants_advice() ? advice(word, candidates()) : std::string());
}

// ------------------------------------------------------------------------------------------------------------- tables

void Reader::check_keys(const Value& table, std::string_view thing, std::initializer_list<std::string_view> keys) {
    for (const Entry& entry : table.entries) {
        if (std::ranges::find(keys, entry.key) != keys.end()) continue;
        error(entry.where, fmt::format("unknown key {} in {}", quoted(entry.key), thing),
              wants_advice() ? advice(entry.key, {keys.begin(), keys.end()}) : std::string());
    }
}

const Value* Reader::required(const Value& table, std::string_view key, std::string_view thing) {
    const Value* value = table.find(key);
    if (value == nullptr) error(table.where, fmt::format("{} needs '{}'", thing, key));
    return value;
}

bool Reader::expect(const Value& value, Value::Kind kind, std::string_view key) {
    if (value.is(kind)) return true;
    error(value.where, fmt::format("{} must be {}, not {}", quoted(key), describe(kind), describe(value.kind)));
    return false;
}

std::optional<std::string> Reader::string(const Value& table, std::string_view key) {
    const Value* value = table.find(key);
    if (value == nullptr || !expect(*value, Value::Kind::string, key)) return std::nullopt;
    return value->string;
}

// -------------------------------------------------------------------------------------------------------------- names

bool Reader::check_name(const std::string& name, Position where) {
    bool is_good = !name.empty() && is_letter(name.front()) && name.size() <= 1000;
    for (std::size_t i = 0; i < name.size() && is_good; ++i) {
        const bool is_inner_dot = name[i] == '.' && i + 1 < name.size() && name[i + 1] != '.';
        is_good = is_letter(name[i]) || is_digit(name[i]) || is_inner_dot;
    }
    if (!is_good) {
        error(where, fmt::format("{} cannot be a name", quoted(name)), "a name has letters, digits and _, and begins with a letter or _");
        return false;
    }
    const std::string first = name.substr(0, name.find('.'));
    if (std::ranges::find(reserved, first) != reserved.end()) {
        error(where, fmt::format("the name {} is reserved", quoted(name)), "choose another name");
        return false;
    }
    if (name.starts_with("lambda.")) {
        error(where, fmt::format("the name {} is reserved", quoted(name)), "multipliers are called lambda.JOINT.x; choose another name");
        return false;
    }
    return true;
}

bool Reader::declare(const std::string& name, Named named) {
    const auto [at, is_new] = names.emplace(name, named);
    if (!is_new) taken(name, named.where, at->second.where);
    return is_new;
}

std::optional<Expr> Reader::new_symbol(const std::string& name, sym::Role role, Position where) {
    const Use kind = role == sym::Role::parameter    ? use_parameters
                     : role == sym::Role::input      ? use_inputs
                     : role == sym::Role::coordinate ? use_coordinates
                     : role == sym::Role::state      ? use_states
                                                     : use_speeds;
    if (!declare(name, {kind, where, std::nullopt})) return std::nullopt;
    return names.at(name).symbol = model.pool->symbol(name, role);
}

void Reader::taken(std::string_view name, Position where, Position first) {
    if (std::pair(where.line, where.column) < std::pair(first.line, first.column)) std::swap(where, first);  // not declared in order
    error(where, fmt::format("the name {} is already used", quoted(name)),
          fmt::format("it is first used at {}:{}", first.line, first.column));
}

std::optional<std::string> Reader::required_name(const Element& e, std::string_view thing) {
    const Value* value = required(*e.table, "name", thing);
    if (value == nullptr || !expect(*value, Value::Kind::string, "name") || !check_name(value->string, value->content)) {
        return std::nullopt;
    }
    return e.scope->prefix + value->string;
}

std::string Reader::optional_name(const Element& e, std::string_view otherwise) {
    const Value* given = e.table->find("name");
    const bool has_name = given != nullptr && expect(*given, Value::Kind::string, "name") && check_name(given->string, given->content);
    std::string name = has_name ? e.scope->prefix + given->string : fmt::format("{}{}{}", e.scope->prefix, otherwise, e.number);
    const Position where = has_name ? given->content : e.table->where;
    const auto [at, is_new] = labels.emplace(name, where);
    if (!is_new) taken(name, where, at->second);
    return name;
}

const Named* Reader::find(std::string_view name, const Scope& scope) const {
    if (!scope.prefix.empty()) {
        if (const auto at = names.find(scope.prefix + std::string(name)); at != names.end()) return &at->second;
    }
    const auto at = names.find(std::string(name));
    return at == names.end() ? nullptr : &at->second;
}

/// The symbol a name stands for; `kind` tells what it is.
std::optional<Expr> Reader::meaning(std::string_view name, const Scope& scope, Use& kind) {
    if (name == "t") {
        kind = use_time;
        return model.t;
    }
    const auto result = [&](const std::string& full) { return model.pool->symbol(full, sym::Role::auxiliary); };
    if (const Named* named = find(name, scope)) {
        kind = named->kind;
        if (named->symbol) return named->symbol;
        const std::string local = scope.prefix + std::string(name);
        return result(names.contains(local) ? local : std::string(name));
    }
    kind = use_results;
    if (std::ranges::find(results, name) != results.end()) return result(std::string(name));
    if (name.ends_with('\'')) {  // the rate of a speed
        const Named* speed = find(name.substr(0, name.size() - 1), scope);
        if (speed != nullptr && speed->kind == use_speeds) {
            kind = use_accelerations;
            return model.pool->symbol(speed->symbol->symbol().name + "'", sym::Role::acceleration);
        }
    }
    const auto [of, primes] = without_primes(name);
    if (primes > 2) return std::nullopt;
    kind = primes == 2 ? use_accelerations : use_results;
    if (const Named* named = find(of, scope)) {
        if (primes == 0 || !named->has_rate) return std::nullopt;
        const std::string local = scope.prefix + std::string(of);
        return result((names.contains(local) ? local : std::string(of)) + std::string(primes, '\''));
    }
    if (const auto point = component_of_point(of, scope)) return result(*point + std::string(primes, '\''));
    return std::nullopt;
}

std::optional<std::string> Reader::component_of_point(std::string_view name, const Scope& scope) {
    const auto component = split_component(name);
    if (!component) return std::nullopt;
    const auto point = find_point(component->of, scope);
    if (!point) return std::nullopt;
    std::string full = fmt::format("{}.{}", point->name, component->part);
    if (names.contains(full) && point->name == model.bodies[point->body].name)  // a joint is called as its body
        full = fmt::format("{}.origin.{}", point->name, component->part);
    return names.contains(full) ? std::nullopt : std::optional(full);
}

std::vector<std::string> Reader::names_for(Use use, const Scope& scope) const {
    std::vector<std::string> all;
    if (!wants_advice()) return all;
    for (const auto& [name, named] : names) {
        if ((named.kind & use) == 0) continue;
        const bool is_local = !scope.prefix.empty() && name.starts_with(scope.prefix);
        all.push_back(is_local ? name.substr(scope.prefix.size()) : name);
        if (all.back().ends_with('\'') && (use & use_accelerations) != 0) all.push_back(all.back() + "'");
    }
    if ((use & use_results) != 0) {
        all.insert(all.end(), results.begin(), results.end());
        for (const std::string& point : component_names(model)) {
            const bool is_local = !scope.prefix.empty() && point.starts_with(scope.prefix);
            all.push_back(is_local ? point.substr(scope.prefix.size()) : point);
        }
    }
    if ((use & use_time) != 0) all.emplace_back("t");
    std::ranges::sort(all);
    return all;
}

}  // namespace linkwright::model
