#pragma once
// Names get their meaning: every statement of a printed file bound to our quantities, statement by statement, so that
// intermediate variables and x = x + … work as they do in the language.

#include "linkwright/compare/quantities.hpp"

namespace linkwright::compare {

/// A statement whose names are bound.
struct Bound {
    enum class Role : std::uint8_t {
        intermediate,  ///< a name of the writer's own
        target,        ///< a quantity of ours
        equation,      ///< left = right, an equation of motion
    };
    const Statement* text = nullptr;
    Tree tree;
    Tree::Part root = 0;          ///< of an equation: left − right
    std::vector<Expr> parts;      ///< what each part of the tree is, on the desk
    std::vector<int> definition;  ///< for each part: the statement that defined the name, or −1
    Role role = Role::intermediate;
    std::string theirs;        ///< the left side as written
    std::string key;           ///< the left side as the scope knows it; empty when it defines nothing
    std::string ours;          ///< "M[1,2]", "-f[1]"
    std::optional<Expr> need;  ///< what it should be
    int previous = -1;         ///< the statement that assigned the same name before
    bool is_used = false;
    bool is_rate = false;     ///< x'', or a name that stands for it: it stays what it is, whatever is said of it
    int unreadable = -1;      ///< a statement that it is made of and that could not be read, or −1
    bool is_damaged = false;  ///< syntax: there is no tree
};

/// A name that can stand in the writer's formulas, and what it is.
struct Atom {
    std::string spelling;
    std::string name;  ///< without indices, folded
    Expr value;
    int definition = -1;  ///< of a name of the writer's own: the statement that says what it is; it may be used after that
};

class Binder {
public:
    Binder(const Printed& printed, const std::string& file, const NamesTable& table, Quantities& ours, Diagnostics& problems);

    const std::vector<Bound>& statements() const { return statements_; }
    /// Everything the writer could have meant instead.
    const std::vector<Atom>& atoms() const { return atoms_; }
    Language language() const { return printed_.language; }
    Quantities& ours() const { return ours_; }

    /// Another reading of the right side of a statement; empty when a name in it is unknown. `before` is what the statement's own
    /// name was until then: 0 leaves of x = x + … what is added.
    struct Reading {
        std::vector<Expr> parts;
        std::vector<int> definition;
    };
    std::optional<Reading> read_again(const Tree& tree, Tree::Part root, std::size_t statement, const Expr& before);

private:
    struct Meaning {
        std::optional<Expr> value;
        int definition = -1;
    };
    Meaning meaning(const Tree::Node& node, std::size_t statement);
    std::optional<Expr> constant(std::string_view name) const;
    std::optional<Expr> by_rule(const std::vector<Rule>& rules, const Tree::Node& node, bool is_target, std::string* shown = nullptr);
    std::optional<Expr> our_symbol(const Tree::Node& node);
    void take_left_side(Bound& bound);
    void take_ruled_name(Bound& bound, const Tree::Node& node);
    bool is_own_value(const Bound& bound, const Expr& symbol, const Expr& value);
    void bind(Bound& bound, std::size_t index);
    void complain_unknown(const Tree::Node& node, const Bound& bound);
    void collect_atoms();
    std::string spelled_angle(const Expr& x) const;
    std::string key(const Tree::Node& node) const;
    std::vector<std::string> from_one(const std::vector<std::string>& indices) const;
    Quantities::Found find_entry(const std::string& name, const std::vector<std::string>& indices);

    const Printed& printed_;
    std::string file_;
    const NamesTable& table_;
    Quantities& ours_;
    Diagnostics& problems_;
    std::vector<Bound> statements_;
    std::map<std::string, int, std::less<>> scope_;
    std::map<std::string, std::optional<Expr>, std::less<>> expanded_, meanings_;
    std::vector<std::string> told_;
    std::vector<Atom> atoms_;
};

}  // namespace linkwright::compare
