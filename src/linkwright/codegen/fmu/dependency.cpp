#include "linkwright/codegen/fmu/dependency.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "linkwright/program/inline.hpp"

namespace linkwright::codegen::fmu {

void KnownSet::add(std::size_t known) {
    if (words_.size() <= known / 64) words_.resize(known / 64 + 1);
    words_[known / 64] |= std::uint64_t{1} << (known % 64);
}

void KnownSet::add(const KnownSet& others) {
    if (words_.size() < others.words_.size()) words_.resize(others.words_.size());
    for (std::size_t i = 0; i < others.words_.size(); ++i) words_[i] |= others.words_[i];
}

namespace {

enum : std::size_t { t, q, u, w, p, c, udot, lambda };  // places in Package::arguments

/// What each output of a program is made of, given what its inputs are made of.
std::vector<KnownSet> follow(const program::Program& with_calls, const std::vector<KnownSet>& inputs) {
    const program::Program program = program::inlined(with_calls);
    std::vector<KnownSet> values(program.values());
    std::ranges::copy(inputs, values.begin());
    for (std::size_t k = 0; k < program.lines.size(); ++k) {
        const program::Line& line = program.lines[k];
        KnownSet& to = values[program.first_line() + k];
        for (std::size_t a = 0; a < program::arity(line.op); ++a) to.add(values[line.args[a]]);
    }
    std::vector<KnownSet> outputs;
    for (const program::Index v : program.outputs) outputs.push_back(values[v]);
    return outputs;
}

class Follower {
public:
    Follower(const Package& package, const std::vector<bool>& follows_time) : k_(package), of_(package) {
        const Knowns knowns(package);
        const auto fill = [&](std::size_t argument, std::size_t first, std::size_t size) {
            of_[argument].resize(size);
            for (std::size_t i = 0; i < size; ++i) of_[argument][i].add(first + i);
        };
        fill(t, knowns.t, 1), fill(q, knowns.q, k_.nq()), fill(u, knowns.u, k_.nu()), fill(w, knowns.w, k_.nw()),
            fill(p, knowns.p, k_.np());
        of_[c] = results("setup", "c", k_.nc());
        const std::vector<KnownSet> formulas = results("input_values", "w", k_.nw());
        for (std::size_t i = 0; i < k_.nw(); ++i) {
            if (follows_time[i]) of_[w][i] = formulas[i];
        }
    }

    Dependence make() {
        Dependence d;
        d.inputs = of_[w];
        d.qdot = results("rates", "qdot", k_.nq());
        if (k_.m() == 0)
            d.udot = results("accelerations", "udot", k_.nu());
        else
            solve(d);
        of_[udot] = d.udot, of_[lambda] = d.lambda;
        d.signals = results("signals", "v", k_.outputs.size() + k_.events.size());
        d.residuals = results("residuals", "phi", k_.m());
        const auto rates = results("residuals", "rate", k_.m());
        d.residuals.insert(d.residuals.end(), rates.begin(), rates.end());
        return d;
    }

private:
    struct PerArgument : std::array<std::vector<KnownSet>, 8> {
        explicit PerArgument(const Package& /*package*/) {}
    };

    /// A result in full, row by row.
    std::vector<KnownSet> results(const std::string& function, const std::string& result, std::size_t size) const {
        std::vector<KnownSet> full(size);
        const Function* f = k_.find(function);
        if (f == nullptr) return full;
        std::vector<KnownSet> in;
        for (const std::size_t a : f->arguments) {
            in.insert(in.end(), of_[a].begin(), of_[a].end());
            in.resize(in.size() + k_.arguments[a].entries.size() - of_[a].size());
        }
        const std::vector<KnownSet> out = follow(f->program, in);
        std::size_t at = 0;
        for (const Result& r : f->results) {
            for (const std::size_t place : r.at) {
                if (r.name == result) {
                    full.at(place) = out[at];
                    if (r.is_symmetric) full.at(place % r.columns * r.columns + place / r.columns) = out[at];
                }
                ++at;
            }
        }
        return full;
    }

    bool is_there(const std::string& function, const std::string& result, std::size_t place) const {
        for (const Result& r : k_.find(function)->results) {
            if (r.name != result) continue;
            const std::size_t mirrored = place % r.columns * r.columns + place / r.columns;
            return std::ranges::find(r.at, place) != r.at.end() || (r.is_symmetric && std::ranges::find(r.at, mirrored) != r.at.end());
        }
        return false;
    }

    /// [M Gᵀ; G 0] [u̇; λ] = [f; γ] falls apart into blocks that do not see each other; within one everything depends on everything.
    void solve(Dependence& d) const {
        const std::size_t n = k_.nu(), m = k_.m();
        d.udot.resize(n), d.lambda.resize(m);
        if (n == 0) return;
        const auto M = results("dynamics", "M", n * n), f = results("dynamics", "f", n), G = results("dynamics", "G", m * n),
                   gamma = results("dynamics", "gamma", m);
        std::vector<std::size_t> block(n + m);
        std::iota(block.begin(), block.end(), std::size_t{0});
        const auto root = [&](std::size_t i) {
            while (block[i] != i) i = block[i];
            return i;
        };
        std::vector<KnownSet> of(n + m);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                if (is_there("dynamics", "M", i * n + j)) block[root(i)] = root(j);
            }
            for (std::size_t j = 0; j < m; ++j) {
                if (is_there("dynamics", "G", j * n + i)) block[root(i)] = root(n + j);
            }
        }
        for (std::size_t i = 0; i < n; ++i) {
            KnownSet& to = of[root(i)];
            to.add(f[i]);
            for (std::size_t j = 0; j < n; ++j) to.add(M[i * n + j]);
        }
        for (std::size_t j = 0; j < m; ++j) {
            KnownSet& to = of[root(n + j)];
            to.add(gamma[j]);
            for (std::size_t i = 0; i < n; ++i) to.add(G[j * n + i]);
        }
        for (std::size_t i = 0; i < n + m; ++i) (i < n ? d.udot[i] : d.lambda[i - n]) = of[root(i)];
    }

    const Package& k_;
    PerArgument of_;  ///< what entries of arguments are made of
};

}  // namespace

Dependence make_dependence(const Package& package, const std::vector<bool>& follows_time) { return Follower(package, follows_time).make(); }

std::map<std::size_t, Factor> factors(const Package& package, const std::string& function, const std::string& result) {
    std::map<std::size_t, Factor> all;
    const Function* f = package.find(function);
    if (f == nullptr) return all;
    enum : std::size_t { constant_of_setup, moving };
    std::vector<KnownSet> in;
    for (const std::size_t a : f->arguments) {
        KnownSet kind;
        kind.add(a == c ? constant_of_setup : moving);
        in.insert(in.end(), package.arguments[a].entries.size(), kind);
    }
    const std::vector<KnownSet> out = follow(f->program, in);
    std::size_t at = 0;
    for (const Result& r : f->results) {
        for (const std::size_t place : r.at) {
            const KnownSet& by = out[at++];
            if (r.name == result)
                all[place] = by.has(moving) ? Factor::state : by.has(constant_of_setup) ? Factor::parameters : Factor::number;
        }
    }
    return all;
}

}  // namespace linkwright::codegen::fmu
