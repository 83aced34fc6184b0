#pragma once
// The workbench of read(): the model being made, every name and where it was first used, and the verbs that turn one
// value of the file into an expression, a vector, a point. Internal to the room.
//
// Reading goes in three rounds, because anything may be named before it is written:
//   collect   chains are unrolled: a list of tables, each with the scope it is read in (read_chain.cpp)
//   declare   every name gets its symbol or its place in the model
//   define    every expression is parsed; names are known now

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "linkwright/flex/component_shapes.hpp"
#include "linkwright/model/model.hpp"
#include "linkwright/model/toml_value.hpp"
#include "linkwright/model/values.hpp"

namespace linkwright::model {

/// What kinds of names an expression may hold: a sum of these.
enum Use : std::uint16_t {
    use_nothing = 0,  ///< of a name: an output with parts, of which only the parts are scalars
    use_parameters = 1,
    use_inputs = 2,
    use_time = 4,
    use_coordinates = 8,
    use_speeds = 16,
    use_accelerations = 32,
    use_results = 64,        ///< outputs, signals, energies, momenta, reactions
    use_states = 128,        ///< auxiliary ones, of motors and filters
    use_trajectories = 256,  ///< given functions of time
    use_load = 512,          ///< no name, but a mark of a place: what stands there acts on the mechanism, see check_signals()
    use_geometry = use_parameters,
    use_state = use_coordinates | use_speeds | use_states,
    use_signal = use_parameters | use_time | use_trajectories,
    use_position = use_signal | use_coordinates,
    use_velocity = use_position | use_speeds,
    use_event = use_velocity | use_inputs | use_states | use_results,
    use_force = use_event | use_load,
    use_everything = use_event | use_accelerations,
};

/// A name of the common namespace.
struct Named {
    Use kind = use_parameters;
    Position where;
    std::optional<Expr> symbol;  ///< results get theirs when first used
    bool has_rate = false;       ///< a result of which NAME' and NAME'' are known, too
};

/// Where a table is read: the file itself, or one instance of a chain. Names are looked for with the prefix first.
struct Scope {
    struct Port {
        std::string text;              ///< as the instance gives it
        const Scope* scope = nullptr;  ///< in which the text is read
        Position where;
        std::optional<PointOf> point;  ///< once resolved
    };
    std::string prefix;  ///< "link1."
    std::vector<std::pair<std::string, Port>> ports;
    const Port* port(std::string_view name) const;
};

enum class Kind : std::uint8_t {
    body,
    joint,
    spring,
    force,
    torque,
    rod,
    constraint,
    gear,
    rolling,
    motion,
    output,
    event,
    shape,
    motor,
    filter,
    trajectory,
    inputs,  ///< of a chain; those of the file are no element
    initial,
    guess
};

struct Element {
    Kind kind;
    const Value* table;
    const Scope* scope;
    std::size_t number;     ///< among its kind in its scope, from 1
    std::size_t index = 0;  ///< in the model's list, once declared
    bool is_good = true;    ///< declared without problems
};

/// A parameter of [parameters], or of `set` of a chain or an instance.
struct ParameterEntry {
    std::string name;  ///< with its prefix
    const Entry* entry;
    const Scope* scope;     ///< in which its value is read
    std::size_t index = 0;  ///< in model.parameters
};

/// Turns in a row: each about an axis of the frame that the ones before have made.
struct Turns {
    std::vector<Vec3> axes;
    std::vector<Expr> angles;
};

class Reader {
public:
    Reader();

    Model model;
    std::string folder;  ///< of the file, with a slash: where other files are looked for
    Diagnostics problems;
    std::vector<Element> elements;  ///< in the order of the file, chains unrolled
    std::vector<ParameterEntry> parameters;
    Scope file_scope;
    const std::map<std::string, std::vector<flex::InterfaceLoad>>* interface_loads =
        nullptr;                                 ///< what hangs on beams, once all has been read
    bool wants_interface_loads = false;          ///< a beam's shapes depend on it
    std::vector<std::unique_ptr<Scope>> scopes;  ///< of instances, in the order they were made
    std::unordered_map<std::string, Named> names;
    std::unordered_map<std::string, BodyIndex> bodies;
    std::unordered_map<std::string, std::size_t> joints;

    std::unordered_map<std::string, Position> labels;  ///< names of springs, rods, …
    std::unordered_map<sym::NodeId, Position> moved;   ///< coordinates and speeds that [[motion]] gives
    std::unordered_map<sym::NodeId, Position> with_initial, with_guess;
    /// What acts on the mechanism or on auxiliary states, and is made of results.
    struct Load {
        Position where;
        std::string key;
        Expr expression;
    };
    std::vector<Load> loads;
    /// Rates of results, where they are asked for.
    struct Rate {
        Position where;
        std::string name;
    };
    std::vector<Rate> rates;
    bool has_error = false;
    /// Values of the file's own parameters; made when first asked for.
    const ParameterValues& values();

    // problems
    void error(Position where, std::string what, std::string hint = {});
    void warning(Position where, std::string what, std::string hint = {});
    bool wants_advice() const { return problems.size() < 50; }  ///< looking for similar names costs
    std::string advice(std::string_view word, const std::vector<std::string>& candidates) const;
    void unknown(std::string_view thing, std::string_view word, Position where,
                 const std::function<std::vector<std::string>()>& candidates);
    void taken(std::string_view name, Position where, Position first);

    // tables
    void check_keys(const Value& table, std::string_view thing, std::initializer_list<std::string_view> keys);
    const Value* required(const Value& table, std::string_view key, std::string_view thing);
    bool expect(const Value& value, Value::Kind kind, std::string_view key);      ///< or an error
    std::optional<std::string> string(const Value& table, std::string_view key);  ///< empty when absent or wrong

    // names
    bool check_name(const std::string& name, Position where);
    bool declare(const std::string& name, Named named);                                       ///< false, with an error, when it is taken
    std::optional<Expr> new_symbol(const std::string& name, sym::Role role, Position where);  ///< likewise
    std::optional<std::string> required_name(const Element& e, std::string_view thing);       ///< with its prefix
    std::string optional_name(const Element& e, std::string_view otherwise);                  ///< "link1.spring2" when it has none
    const Named* find(std::string_view name, const Scope& scope) const;
    std::optional<Expr> meaning(std::string_view name, const Scope& scope, Use& kind);
    std::optional<std::string> component_of_point(std::string_view name, const Scope& scope);  ///< its full name, as point_name.hpp has it
    std::vector<std::string> names_for(Use use, const Scope& scope) const;                     ///< for suggestions

    // values: empty, or 0, with an error, when they are not what is expected
    std::optional<Expr> expression(const Value& value, Use use, const Scope& scope, std::string_view key);
    std::optional<Vec3> vector(const Value& value, Use use, const Scope& scope, std::string_view key);
    std::optional<std::vector<Expr>> list(const Value& value, Use use, const Scope& scope, std::string_view key);
    Expr scalar(const Value& table, std::string_view key, Use use, const Scope& scope, const Expr& otherwise = 0);
    Expr required_scalar(const Value& table, std::string_view key, Use use, const Scope& scope, std::string_view thing);
    std::optional<Vec3> axis(const Value& value, const Scope& scope, std::string_view key);  ///< a unit vector
    std::optional<std::vector<Vec3>> axis_list(const Value& value, const Scope& scope, std::string_view key);
    std::optional<Turns> turns(const Value& table, const Scope& scope, Use use,
                               std::string_view thing);  ///< rotate, by
    std::optional<Rotation> axes(const Value& value, const Scope& scope, std::string_view key);

    // bodies, points, joints, coordinates by name
    std::optional<BodyIndex> find_body(std::string_view name, const Scope& scope) const;
    std::vector<std::string> body_names(const Scope& scope) const;
    std::optional<PointOf> find_point(std::string_view text, const Scope& scope);  ///< without a word when there is none
    std::optional<PointOf> find_point(std::string_view text, const Scope& scope, Position where);
    std::optional<PointOf> find_point_of(BodyIndex body, std::string_view point);  ///< likewise
    std::optional<PointOf> find_point_of(BodyIndex body, std::string_view point, Position where);
    std::optional<BodyIndex> body(const Value& value, const Scope& scope, std::string_view key);
    std::optional<PointOf> point(const Value& value, const Scope& scope, std::string_view key);
    std::optional<std::size_t> joint(const Value& value, const Scope& scope, std::string_view key);
    std::optional<Expr> coordinate(const Value& value, const Scope& scope, std::string_view key);

private:
    std::optional<ParameterValues> values_;
};

/// The word in quotes, shortened when it is very long.
std::string quoted(std::string_view word);

// The rounds; each noun in a file of its own.
void collect(Reader& r, const Value& file);
void resolve_ports(Reader& r);

void declare_parameters(Reader& r);
void define_parameters(Reader& r);
/// [inputs] of the file, or of an instance of a chain. Tells where they begin among those of the model, and is told so again.
std::size_t declare_inputs(Reader& r, const Value& table, const Scope& scope);
void define_inputs(Reader& r, const Value& table, const Scope& scope, std::size_t first);

void declare_body(Reader& r, Element& e);
void define_body(Reader& r, const Element& e);
void define_ground(Reader& r, const Value& table);
void define_inertia(Reader& r, const Value& value, const Scope& scope, Body& body);
void declare_beam(Reader& r, const Value& table, Body& body, bool is_new);
void define_beam(Reader& r, const Element& e);
void define_beam_points(Reader& r, const Element& e);
/// Parameters that were added to the model, from a number on, become names.
void declare_constants(Reader& r, std::size_t from);
/// The order of kinetic energy is one for all beams.
void check_orders(Reader& r);
/// { at, offset, turns } on a beam; `name` is that of the section if one must be made.
std::optional<PointOf> point_on_beam(Reader& r, BodyIndex index, const Value& table, const Scope& scope, const std::string& name);
/// An error when x is not on the beam.
void check_place(Reader& r, double x, double length, Position where);

void declare_joint(Reader& r, Element& e);
void define_joint(Reader& r, const Element& e);

void declare_spring(Reader& r, const Element& e);
void define_spring(Reader& r, const Element& e);
void define_force(Reader& r, const Element& e);
void define_torque(Reader& r, const Element& e);
void declare_rod(Reader& r, Element& e);
void define_rod(Reader& r, const Element& e);
void declare_constraint(Reader& r, Element& e);
void declare_gear(Reader& r, Element& e);
void define_constraint(Reader& r, const Element& e);
void define_gear(Reader& r, const Element& e);
void define_event(Reader& r, const Element& e);
void declare_rolling(Reader& r, Element& e);
void define_rolling(Reader& r, const Element& e);

void define_motion(Reader& r, const Element& e);
void declare_speeds(Reader& r, const Value& table);
void define_speeds(Reader& r, const Value& table);
void define_initial(Reader& r, const Element& e);

void declare_output(Reader& r, Element& e);
void define_output(Reader& r, const Element& e);

void define_drawn_shape(Reader& r, const Element& e);
void define_symbols(Reader& r, const Value& table);

void declare_filter(Reader& r, Element& e);
void define_filter(Reader& r, const Element& e);
void declare_motor(Reader& r, Element& e);  ///< when joints are declared
void define_motor(Reader& r, const Element& e);
void declare_trajectory(Reader& r, Element& e);
void define_trajectory(Reader& r, const Element& e);
/// Signals and outputs are not made of themselves, and loads not of accelerations.
void check_signals(Reader& r);

}  // namespace linkwright::model
