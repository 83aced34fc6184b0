// The first round: what the file holds, in its order, with chains unrolled.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "linkwright/model/reader.hpp"

namespace linkwright::model {

namespace {

constexpr std::size_t most_elements = 200'000;
constexpr std::int64_t most_copies = 100'000;

struct ListKey {
    std::string_view key;
    Kind kind;
};
constexpr std::array lists{ListKey{"body", Kind::body},
                           ListKey{"joint", Kind::joint},
                           ListKey{"spring", Kind::spring},
                           ListKey{"force", Kind::force},
                           ListKey{"torque", Kind::torque},
                           ListKey{"rod", Kind::rod},
                           ListKey{"constraint", Kind::constraint},
                           ListKey{"gear", Kind::gear},
                           ListKey{"rolling", Kind::rolling},
                           ListKey{"motion", Kind::motion},
                           ListKey{"output", Kind::output},
                           ListKey{"event", Kind::event},
                           ListKey{"motor", Kind::motor},
                           ListKey{"filter", Kind::filter},
                           ListKey{"trajectory", Kind::trajectory},
                           ListKey{"shape", Kind::shape}};

class Collector {
public:
    Collector(Reader& r, const Value& file) : r_(r) {
        for (const Value* table : tables(file, "chain")) declare_chain(*table);
    }

    /// The elements of the file, or of a chain, as seen in `scope`.
    void run(const Value& table, const Scope& scope) {
        struct Item {
            const Value* table;
            std::optional<Kind> kind;  ///< none: an instance
            std::size_t number;
        };
        std::vector<Item> items;
        for (const auto& [key, kind] : lists) {
            std::size_t number = 0;
            for (const Value* t : tables(table, key)) items.push_back({t, kind, ++number});
        }
        for (const Value* t : tables(table, "instance")) items.push_back({t, std::nullopt, 0});
        std::ranges::stable_sort(items, [](const Item& a, const Item& b) {
            const Position p = a.table->where, q = b.table->where;
            return std::pair(p.line, p.column) < std::pair(q.line, q.column);
        });
        for (const Item& item : items) {
            if (item.kind) {
                add({*item.kind, item.table, &scope, item.number});
            } else {
                instantiate(*item.table, scope);
            }
        }
        for (const auto& [key, kind] :
             {ListKey{"inputs", Kind::inputs}, ListKey{"initial", Kind::initial}, ListKey{"guess", Kind::guess}}) {
            const Value* t = kind == Kind::inputs && &scope == &r_.file_scope ? nullptr : table.find(key);
            if (t != nullptr && r_.expect(*t, Value::Kind::table, key)) add({kind, t, &scope, 1});
        }
    }

    void warn_of_unused_chains() {
        for (const auto& [name, chain] : chains_) {
            if (!chain.is_used) r_.warning(chain.table->where, fmt::format("the chain {} is never used", quoted(name)));
        }
    }

private:
    struct Chain {
        const Value* table;
        std::vector<std::string> ports;
        bool is_used = false, is_open = false;
    };

    std::vector<const Value*> tables(const Value& table, std::string_view key) {
        const Entry* entry = table.find_entry(key);
        std::vector<const Value*> all;
        if (entry == nullptr) return all;
        const Value& list = entry->value;
        const auto is_table = [](const Value& v) { return v.is(Value::Kind::table); };
        if (!list.is(Value::Kind::array) || !std::ranges::all_of(list.items, is_table)) {
            r_.error(entry->where, fmt::format("'{}' must be a list of tables", key), fmt::format("write [[{}]]", key));
            return all;
        }
        for (const Value& item : list.items) all.push_back(&item);
        return all;
    }

    void add(const Element& e) {
        if (r_.elements.size() < most_elements) return r_.elements.push_back(e);
        if (!is_full_ && e.scope == &r_.file_scope)
            r_.error(e.table->where, fmt::format("the file has more than {} elements", most_elements), "a smaller part of it may do");
        is_full_ = true;
    }

    void declare_chain(const Value& table) {
        r_.check_keys(table, "a chain", {"name",   "ports",      "set",      "body",    "joint",   "spring", "force", "torque",
                                         "rod",    "constraint", "gear",     "rolling", "motion",  "output", "event", "motor",
                                         "filter", "trajectory", "instance", "inputs",  "initial", "guess",  "shape"});
        const auto name = r_.required_name({Kind::body, &table, &r_.file_scope, 1}, "a chain");
        if (!name) return;
        Chain chain{&table, {}};
        if (const Value* ports = table.find("ports"); ports != nullptr && r_.expect(*ports, Value::Kind::array, "ports")) {
            for (const Value& port : ports->items) {
                if (!r_.expect(port, Value::Kind::string, "ports") || !r_.check_name(port.string, port.content)) continue;
                constexpr std::array keys{"of", "name", "count", "next", "set", "ground"};
                if (std::ranges::find(keys, port.string) != keys.end() || port.string.find('.') != std::string::npos) {
                    r_.error(port.content, fmt::format("{} cannot be the name of a port", quoted(port.string)));
                } else {
                    chain.ports.push_back(port.string);
                }
            }
        }
        const auto [at, is_new] = chains_.emplace(*name, std::move(chain));
        if (!is_new) r_.taken(*name, table.find("name")->content, at->second.table->find("name")->content);
    }

    void instantiate(const Value& table, const Scope& outer) {
        const auto name = r_.required_name({Kind::body, &table, &outer, 1}, "an instance");
        const Value* of = r_.required(table, "of", "an instance");
        if (of == nullptr || !r_.expect(*of, Value::Kind::string, "of")) return;
        const auto found = chains_.find(of->string);
        if (found == chains_.end()) {
            r_.unknown("chain", of->string, of->content, [&] {
                std::vector<std::string> all;
                for (const auto& [chain_name, chain] : chains_) all.push_back(chain_name);
                std::ranges::sort(all);
                return all;
            });
            return;
        }
        Chain& chain = found->second;
        chain.is_used = true;
        if (chain.is_open) {
            r_.error(of->content, fmt::format("the chain {} contains itself", quoted(of->string)));
            return;
        }
        check_instance_keys(table, chain);
        if (!name) return;
        if (const auto [at, is_new] = instances_.emplace(*name, table.where); !is_new) {
            r_.taken(*name, table.find("name")->content, at->second);
            return;
        }
        const auto count = read_count(table);
        if (!count) return;
        const Value* next = table.find("next");
        if (next != nullptr && !r_.expect(*next, Value::Kind::table, "next")) next = nullptr;
        chain.is_open = true;
        const Scope* before = nullptr;
        for (std::int64_t i = 1; i <= count->second; ++i) {
            auto scope = std::make_unique<Scope>();
            scope->prefix = *name + (count->first ? std::to_string(i) : "") + ".";
            for (const std::string& port : chain.ports) {
                const Value* from_next = before != nullptr && next != nullptr ? next->find(port) : nullptr;
                const Value* given = from_next != nullptr ? from_next : table.find(port);
                if (given == nullptr || !given->is(Value::Kind::string)) {  // told already; its name is known all the same
                    scope->ports.push_back({port, {}});
                    continue;
                }
                const Scope* read_in = from_next != nullptr ? before : &outer;
                scope->ports.push_back({port, {given->string, read_in, given->content, std::nullopt}});
            }
            set_parameters(table, *chain.table, outer, *scope);
            before = scope.get();
            r_.scopes.push_back(std::move(scope));
            run(*chain.table, *before);
            if (r_.elements.size() >= most_elements) {
                r_.error(table.where, fmt::format("the chains make more than {} elements", most_elements));
                break;
            }
        }
        chain.is_open = false;
    }

    void check_instance_keys(const Value& table, const Chain& chain) {
        const auto is_port = [&](const std::string& key) { return std::ranges::find(chain.ports, key) != chain.ports.end(); };
        std::vector<std::string> known{"of", "name", "count", "next", "set"};
        known.insert(known.end(), chain.ports.begin(), chain.ports.end());
        for (const Entry& entry : table.entries) {
            if (std::ranges::find(known, entry.key) == known.end()) {
                r_.error(entry.where, fmt::format("unknown key {} in an instance", quoted(entry.key)), r_.advice(entry.key, known));
            }
        }
        for (const std::string& port : chain.ports) {
            const Value* given = table.find(port);
            if (given == nullptr) {
                r_.error(table.where, fmt::format("the port {} is not given", quoted(port)),
                         fmt::format("write {} = \"body.point\"", port));
            } else {
                r_.expect(*given, Value::Kind::string, port);
            }
        }
        const Value* next = table.find("next");
        if (next == nullptr || !next->is(Value::Kind::table)) return;
        for (const Entry& entry : next->entries) {
            if (!is_port(entry.key)) r_.unknown("port", entry.key, entry.where, [&] { return chain.ports; });
            r_.expect(entry.value, Value::Kind::string, entry.key);
        }
        if (table.find("count") == nullptr) r_.error(next->where, "'next' needs 'count'");
    }

    /// Whether copies are numbered, and how many there are.
    std::optional<std::pair<bool, std::int64_t>> read_count(const Value& table) {
        const Value* count = table.find("count");
        if (count == nullptr) return std::pair(false, std::int64_t{1});
        if (!r_.expect(*count, Value::Kind::integer, "count")) return std::nullopt;
        if (count->integer < 1 || count->integer > most_copies) {
            r_.error(count->where, fmt::format("'count' must be between 1 and {}", most_copies));
            return std::nullopt;
        }
        return std::pair(true, count->integer);
    }

    /// The instance's own parameters: what it sets itself is read outside, what the chain sets for all is read inside.
    void set_parameters(const Value& instance, const Value& chain, const Scope& outer, const Scope& inner) {
        const Value* own = instance.find("set");
        const Value* common = chain.find("set");
        if (own != nullptr && !r_.expect(*own, Value::Kind::table, "set")) own = nullptr;
        if (common != nullptr && !r_.expect(*common, Value::Kind::table, "set")) common = nullptr;
        if (common != nullptr) {
            for (const Entry& entry : common->entries) {
                const Entry* other = own != nullptr ? own->find_entry(entry.key) : nullptr;
                if (other != nullptr) {
                    r_.parameters.push_back({inner.prefix + entry.key, other, &outer});
                } else {
                    r_.parameters.push_back({inner.prefix + entry.key, &entry, &inner});
                }
            }
        }
        if (own == nullptr) return;
        for (const Entry& entry : own->entries) {
            if (common == nullptr) {
                r_.parameters.push_back({inner.prefix + entry.key, &entry, &outer});
            } else if (common->find(entry.key) == nullptr) {
                r_.unknown("parameter of the chain", entry.key, entry.where, [&] {
                    std::vector<std::string> all;
                    for (const Entry& e : common->entries) all.push_back(e.key);
                    return all;
                });
            }
        }
    }

    Reader& r_;
    bool is_full_ = false;  ///< there are too many elements, and that has been told
    std::unordered_map<std::string, Chain> chains_;
    std::unordered_map<std::string, Position> instances_;
};

/// { value = .. } and the like; any other table groups names: link1.L = 0.5.
bool is_quantity(const Value& v) {
    const auto is_known = [&](std::string_view key) { return v.find(key) != nullptr; };
    return !v.is(Value::Kind::table) || v.entries.empty() || is_known("value") || is_known("unit") || is_known("about") ||
           is_known("min") || is_known("max");
}

void collect_parameters(Reader& r, const Value& table, const std::string& prefix) {
    for (const Entry& entry : table.entries) {
        if (is_quantity(entry.value)) {
            r.parameters.push_back({prefix + entry.key, &entry, &r.file_scope});
        } else {
            collect_parameters(r, entry.value, prefix + entry.key + ".");
        }
    }
}

}  // namespace

void collect(Reader& r, const Value& file) {
    const Value* parameters = file.find("parameters");
    if (parameters != nullptr && r.expect(*parameters, Value::Kind::table, "parameters")) collect_parameters(r, *parameters, "");
    Collector collector(r, file);
    collector.run(file, r.file_scope);
    collector.warn_of_unused_chains();
}

void resolve_ports(Reader& r) {
    for (const auto& scope : r.scopes) {  // in the order they were made: a port given by a port is known by then
        for (auto& [name, port] : scope->ports) {
            if (port.scope != nullptr) port.point = r.find_point(port.text, *port.scope, port.where);
        }
    }
}

}  // namespace linkwright::model
