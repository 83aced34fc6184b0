#include "linkwright/jit/emit.hpp"

#include <cstdlib>
#include <utility>

namespace linkwright::jit {

void Code::Free::operator()(double* p) const { std::free(p); }

}  // namespace linkwright::jit

#if defined(__x86_64__) && defined(__unix__)

#include <asmjit/asmjit.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "linkwright/jit/sincos.hpp"

namespace linkwright::jit {
namespace {

using asmjit::InstId;
using asmjit::x86::Gp;
namespace Inst = asmjit::x86::Inst;
using asmjit::x86::Mem;
using asmjit::x86::Vec;
using program::Op;
namespace x86 = asmjit::x86;

/// The instructions of one width.
struct Instructions {
    InstId load, store, add, sub, mul, div, min, max, sqrt;
    std::array<std::array<InstId, 3>, 4> fused;  ///< by kind, from fma on; forms 132, 213, 231
};
constexpr Instructions scalar_instructions{Inst::kIdVmovsd,
                                           Inst::kIdVmovsd,
                                           Inst::kIdVaddsd,
                                           Inst::kIdVsubsd,
                                           Inst::kIdVmulsd,
                                           Inst::kIdVdivsd,
                                           Inst::kIdVminsd,
                                           Inst::kIdVmaxsd,
                                           Inst::kIdVsqrtsd,
                                           {{{Inst::kIdVfmadd132sd, Inst::kIdVfmadd213sd, Inst::kIdVfmadd231sd},
                                             {Inst::kIdVfmsub132sd, Inst::kIdVfmsub213sd, Inst::kIdVfmsub231sd},
                                             {Inst::kIdVfnmadd132sd, Inst::kIdVfnmadd213sd, Inst::kIdVfnmadd231sd},
                                             {Inst::kIdVfnmsub132sd, Inst::kIdVfnmsub213sd, Inst::kIdVfnmsub231sd}}}};
constexpr Instructions lane_instructions{Inst::kIdVmovapd,
                                         Inst::kIdVmovapd,
                                         Inst::kIdVaddpd,
                                         Inst::kIdVsubpd,
                                         Inst::kIdVmulpd,
                                         Inst::kIdVdivpd,
                                         Inst::kIdVminpd,
                                         Inst::kIdVmaxpd,
                                         Inst::kIdVsqrtpd,
                                         {{{Inst::kIdVfmadd132pd, Inst::kIdVfmadd213pd, Inst::kIdVfmadd231pd},
                                           {Inst::kIdVfmsub132pd, Inst::kIdVfmsub213pd, Inst::kIdVfmsub231pd},
                                           {Inst::kIdVfnmadd132pd, Inst::kIdVfnmadd213pd, Inst::kIdVfnmadd231pd},
                                           {Inst::kIdVfnmsub132pd, Inst::kIdVfnmsub213pd, Inst::kIdVfnmsub231pd}}}};

constexpr Instructions pack_instructions = [] {
    Instructions i = lane_instructions;
    i.load = i.store = Inst::kIdVmovupd;  // lanes of a pack may be outputs, which stand anywhere
    return i;
}();

/// Functions of the standard library, on one number and on those of all lanes in memory.
using One = double (*)(double);
using Two = double (*)(double, double);
template <One f, int lanes>
void one_by_one(const double* a, double* out) {
    for (int p = 0; p < lanes; ++p) out[p] = f(a[p]);
}
template <Two f, int lanes>
void two_by_two(const double* a, const double* b, double* out) {
    for (int p = 0; p < lanes; ++p) out[p] = f(a[p], b[p]);
}
template <class F>
std::uint64_t address(F* f) {
    return reinterpret_cast<std::uint64_t>(f);
}
using OneByOne = void (*)(const double*, double*);
template <std::size_t row, int lanes>
constexpr OneByOne row_by_lanes() {
    constexpr One f = sym::elementary_functions[row].libm;
    if constexpr (f == nullptr) {
        return nullptr;  // instructions, not a call
    } else {
        return &one_by_one<f, lanes>;
    }
}
/// The rows of the table of elementary functions, each on the numbers of all lanes.
template <int lanes>
constexpr auto by_lanes = []<std::size_t... row>(std::index_sequence<row...>) {
    return std::array{row_by_lanes<row, lanes>()...};
}(std::make_index_sequence<sym::elementary_functions.size()>());
template <Two f>
std::uint64_t of_lanes(unsigned lanes) {
    return lanes == 1 ? address(f) : lanes == 4 ? address(&two_by_two<f, 4>) : address(&two_by_two<f, 8>);
}
std::uint64_t library_function(Op op, unsigned lanes) {
    if (program::is_elementary(op)) {
        const sym::Op function = program::elementary_function(op);
        if (lanes == 1) return address(sym::elementary_function(function).libm);
        const std::size_t row = sym::row_of(function);
        return lanes == 4 ? address(by_lanes<4>[row]) : address(by_lanes<8>[row]);
    }
    return op == Op::atan2 ? of_lanes<Two{::atan2}>(lanes) : of_lanes<Two{::pow}>(lanes);
}

/// Where a value stands in memory: one of four tables, and the row in it.
enum class Table : std::uint8_t { in, constants, scratch, out };
struct Location {
    Table table;
    std::uint32_t row;
};
constexpr std::uint32_t unassigned = ~0U;

// The table of constants begins with two masks, eight times each.
constexpr int sign_mask = 0, one_mask = 64, first_constant = 128;

// Distances that fit a byte make short instructions, and long programs are as slow as their code is long. A register that
// points into the middle of a table reaches 256 bytes of it; in the encoding of AVX-512, where the byte counts rows, 256 rows.
// Further registers take further windows of a table.
constexpr std::uint32_t window = 256;

/// Constants of the program, and behind them, at a multiple of four, those of packs.
std::size_t rows_of_constants(const Plan& plan, const program::Program& program) {
    const std::size_t n = program.constants.size();
    return plan.constants.empty() ? n : (n + 3) / 4 * 4 + plan.constants.size();
}

class Emitter {
public:
    Emitter(const Plan& plan, const program::Program& program, unsigned lanes, unsigned registers, const double* constants,
            x86::Assembler& assembler)
        : plan_(plan),
          program_(program),
          table_(constants),
          out_(assembler),
          lanes_(lanes),
          is_scalar_(lanes == 1),
          is_wide_(registers > 16),
          step_size_(static_cast<int>(lanes * sizeof(double))),
          own_(is_scalar_ ? scalar_instructions : lane_instructions),
          code_(&own_),
          free_((std::uint64_t{1} << registers) - 1) {
        registers_ = registers;
        window_rows_ = is_wide_ ? window : window / static_cast<unsigned>(step_size_);
        first_pack_ = static_cast<Index>(program.values());
        register_of_.assign(program.values() + plan.packs.size(), none_register);
        home_.assign(register_of_.size(), Location{Table::scratch, unassigned});
        for (std::uint32_t i = 0; i < program.inputs; ++i) home_[i] = {Table::in, i};
        for (std::uint32_t i = 0; i < program.constants.size(); ++i) home_[program.inputs + i] = {Table::constants, i};
        if (!plan.packs.empty()) prepare_packs();
    }

    /// Packs that stand in tables, and of each value how long a pack may be made of it.
    void prepare_packs() {
        commons_.resize(first_pack_);
        for (std::size_t k = 0; k < plan_.packs.size(); ++k) {
            const Pack& pack = plan_.packs[k];
            const Index id = first_pack_ + static_cast<Index>(k);
            if (pack.origin == Pack::Origin::in_a_row) home_[id] = home_[pack.lanes[0]];
            if (pack.origin == Pack::Origin::constants)
                home_[id] = {Table::constants,
                             static_cast<std::uint32_t>(rows_of_constants(plan_, program_) - plan_.constants.size()) + 4 * pack.row};
            if (pack.origin == Pack::Origin::common) commons_[pack.lanes[0]] = {id, pack.first_use, none};
        }
        for (Index k = 0; k < plan_.steps.size(); ++k) {
            const Step& s = plan_.steps[k];
            if (s.kind == Kind::gather) {
                for (std::size_t i = 0; i < 4; ++i) {
                    const Index v = pack_of(s.value).source(i);
                    if (v != none && !is_pack(v)) commons_[v].last_single = k;
                }
            }
            for (std::size_t i = 0; i < s.arity; ++i) {
                if (!is_pack(s.args[i])) commons_[s.args[i]].last_single = k;
            }
        }
    }

    /// Returns the rows of scratch needed.
    std::size_t emit() {
        begin();
        for (Index v = 0; v < program_.first_line(); ++v) store_outputs_from_memory(v);
        for (now_ = 0; now_ < plan_.steps.size(); ++now_) {
            step(plan_.steps[now_]);
            for (const Index v : dead_) free_home(v);
            dead_.clear();
        }
        end();
        return rows_;
    }

private:
    static constexpr std::uint8_t none_register = 255;

    // Frame ----------------------------------------------------------------------------------------------------------

    /// The registers that point into a table: the first one always, the others once `derive_windows` has set them.
    struct Windows {
        std::array<Gp, 6> base;
        std::size_t size = 1;  ///< how many there are
        std::uint32_t centre;  ///< the row at which the first one points
        int offset = 0;        ///< bytes before row 0
    };

    void begin() {
        const auto centre = [&](std::size_t rows) {
            const auto half = static_cast<std::uint32_t>(std::min<std::size_t>(rows / 2, window_rows_ / 2));
            return plan_.packs.empty() ? half : half / 4 * 4;
        };
        const std::size_t n = rows_of_constants(plan_, program_);
        in_ = {{x86::rdi}, 1, centre(program_.inputs), 0};
        results_ = {{x86::rsi}, 1, centre(program_.outputs.size()), 0};
        scratch_ = {{x86::rdx, x86::rcx, x86::r8, x86::r9}, 1, centre(plan_.steps.size() / 10), 0};
        constants_ = {{x86::rax, x86::r10, x86::r11, x86::rdi, x86::rsi}, 1, centre(n), first_constant};
        if (plan_.has_calls) {
            in_.base[0] = x86::rbx, results_.base[0] = x86::rbp, scratch_.base[0] = x86::r14, constants_.base[0] = x86::r15;
            for (const Gp& r : saved) out_.push(r);
            out_.sub(x86::rsp, 8);
        }
        const auto from = [&](const Windows& w) { return static_cast<int>(w.centre) * step_size_ + w.offset; };
        out_.lea(in_.base[0], x86::ptr(x86::rdi, from(in_)));
        out_.lea(results_.base[0], x86::ptr(x86::rsi, from(results_)));
        out_.lea(scratch_.base[0], x86::ptr(x86::rdx, from(scratch_)));
        out_.mov(constants_.base[0], address(table_) + static_cast<std::uint64_t>(from(constants_)));
        if (scratch_.centre == window_rows_ / 2) scratch_.size = 4;
        constants_.size = std::clamp<std::size_t>((n + window_rows_ - 1) / window_rows_, 1, plan_.has_calls ? 5 : 3);
    }
    /// Further windows stand in registers that calls do not keep.
    void derive_windows() {
        for (const Windows* w : {&scratch_, &constants_}) {
            for (std::size_t i = 1; i < w->size; ++i) {
                out_.lea(w->base[i], x86::ptr(w->base[0], static_cast<int>(i * window_rows_) * step_size_));
            }
        }
        are_windows_set_ = true;
    }
    void end() {
        out_.vzeroupper();  // a caller's SSE code is slow by 150 ns when upper halves are in use, whoever left them so
        if (plan_.has_calls) {
            out_.add(x86::rsp, 8);
            for (std::size_t i = saved.size(); i-- > 0;) out_.pop(saved[i]);
        }
        out_.ret();
    }
    static constexpr std::array<Gp, 4> saved{x86::rbx, x86::rbp, x86::r14, x86::r15};

    Vec vec(unsigned r, bool packed) const {
        return packed || lanes_ == 4 ? Vec(x86::Ymm(r)) : is_scalar_ ? Vec(x86::Xmm(r)) : Vec(x86::Zmm(r));
    }
    Vec vec(unsigned r) const { return vec(r, is_packed_); }
    Mem memory(Location home) const {
        const Windows& w = home.table == Table::in          ? in_
                           : home.table == Table::constants ? constants_
                           : home.table == Table::scratch   ? scratch_
                                                            : results_;
        const std::uint32_t k = are_windows_set_ ? std::min(home.row / window_rows_, static_cast<std::uint32_t>(w.size) - 1) : 0;
        const int rows = static_cast<int>(home.row - k * window_rows_) - static_cast<int>(w.centre);
        return x86::ptr(w.base[k], rows * step_size_);
    }
    Mem memory(Index v) const { return is_common(v) ? memory(home_[pack_of(v).lanes[0]])._1to4() : memory(home_[v]); }
    Mem mask(int offset) const {
        return x86::ptr(constants_.base[0], offset - first_constant - static_cast<int>(constants_.centre) * step_size_);
    }
    /// An instruction of which `place` is an operand: encoded for AVX-512 where that is shorter.
    void shorten(const asmjit::Operand& place, bool packed) {
        if (!is_wide_ || !place.isMem()) return;
        const std::int64_t distance = place.as<Mem>().offset();
        const std::int64_t unit = packed && !place.as<Mem>().hasBroadcast() ? 32 : step_size_;
        const bool fits = distance % unit == 0 && distance >= -128 * unit && distance <= 127 * unit;
        if ((distance < -128 || distance > 127) && fits) out_.evex();
    }
    void shorten(const asmjit::Operand& place) { shorten(place, is_packed_); }
    void load_from(unsigned r, const Mem& place, bool packed = false) {
        shorten(place, packed);
        out_.emit((packed ? pack_instructions : own_).load, vec(r, packed), place);
    }
    void store_to(const Mem& place, unsigned r, bool packed = false) {
        shorten(place, packed);
        out_.emit((packed ? pack_instructions : own_).store, place, vec(r, packed));
    }

    // Rows of scratch ------------------------------------------------------------------------------------------------

    Location new_row() {
        if (free_rows_.empty()) return {Table::scratch, rows_++};
        const std::uint32_t row = free_rows_.back();
        free_rows_.pop_back();
        return {Table::scratch, row};
    }
    bool has_home(Index v) const { return home_[v].row != unassigned; }
    void free_home(Index v) {
        if (home_[v].table == Table::scratch && has_home(v)) {
            const std::uint32_t row = home_[v].row, group = row / 4;
            if (group >= in_use_.size() || in_use_[group] == 0)
                free_rows_.push_back(row);
            else if (--in_use_[group] == 0)
                free_groups_.push_back(4 * group);
        }
        home_[v] = {Table::scratch, unassigned};
    }
    /// Four rows side by side, for so many values.
    Location new_group(std::uint8_t users) {
        std::uint32_t row = 0;
        if (free_groups_.empty()) {
            while (rows_ % 4 != 0) free_rows_.push_back(rows_++);
            row = rows_;
            rows_ += 4;
            in_use_.resize(rows_ / 4);
        } else {
            row = free_groups_.back();
            free_groups_.pop_back();
        }
        in_use_[row / 4] = users;
        return {Table::scratch, row};
    }

    // Registers ------------------------------------------------------------------------------------------------------

    bool in_register(Index v) const { return register_of_[v] != none_register; }

    /// A register below `limit`: a free one, or that of the value wanted last. A value that would have to be stored stays
    /// unless it is wanted twice as far ahead. Operands of this step are wanted now: they stay, until they are retired.
    unsigned take(unsigned limit) {
        const std::uint64_t free = free_ & ((std::uint64_t{1} << limit) - 1);
        unsigned r = 0;
        if (free != 0) {
            r = static_cast<unsigned>(std::countr_zero(free));
        } else {
            std::uint64_t farthest = 0;
            for (unsigned i = 0; i < limit; ++i) {
                const Index v = value_in_[i];
                std::uint64_t distance = std::uint64_t{wanted_[i]} - now_;
                if (v != none && is_elsewhere(v)) distance *= 2;
                if (distance <= farthest) continue;
                farthest = distance;
                r = i;
            }
            evict(r);
        }
        free_ &= ~(std::uint64_t{1} << r);
        return r;
    }
    unsigned take() { return take(registers_); }
    void evict(unsigned r) {
        const Index v = value_in_[r];
        if (!is_elsewhere(v)) {
            const Index single = is_common(v) ? pack_of(v).lanes[0] : v;  // it is the first lane of its pack
            const bool packed = is_pack(single);
            home_[single] = packed ? new_group(1) : new_row();
            store_to(memory(single), r, packed);
        }
        release(r);
    }
    void release(unsigned r) {
        if (value_in_[r] != none) register_of_[value_in_[r]] = none_register;
        value_in_[r] = none;
        free_ |= std::uint64_t{1} << r;
    }
    void put(Index v, unsigned r, Index wanted) {
        value_in_[r] = v;
        wanted_[r] = wanted;
        register_of_[v] = static_cast<std::uint8_t>(r);
    }
    /// A register for the time of one step.
    unsigned take_temporary(unsigned limit) {
        const unsigned r = take(limit);
        value_in_[r] = none;
        wanted_[r] = now_;
        return r;
    }
    unsigned load(Index v, unsigned limit) {
        if (is_common(v)) return repeat(v);
        const unsigned r = take(limit);
        load_from(r, memory(v), is_pack(v));
        put(v, r, now_);
        return r;
    }
    /// The pack of a value in common. A value that is wanted by itself no more leaves its register to it.
    unsigned repeat(Index pack) {
        const Index v = pack_of(pack).lanes[0];
        unsigned r = 0;
        if (in_register(v) && is_single_no_more(v)) {
            r = register_of_[v];
            release(r);
            free_ &= ~(std::uint64_t{1} << r);
            out_.vbroadcastsd(x86::Ymm(r), x86::Xmm(r));
        } else {
            r = take();
            if (has_home(v)) {
                const Mem place = memory(home_[v]);
                shorten(place, false);
                out_.vbroadcastsd(x86::Ymm(r), place);
            } else {
                out_.vbroadcastsd(x86::Ymm(r), x86::Xmm(register_of_[v]));
            }
        }
        put(pack, r, now_);
        return r;
    }
    unsigned load(Index v) { return load(v, registers_); }
    unsigned need(Index v) { return in_register(v) ? register_of_[v] : load(v); }
    /// In one of the first sixteen, where some instructions want it.
    unsigned need_low(Index v) {
        if (!in_register(v)) return load(v, 16);
        const unsigned old = register_of_[v];
        if (old < 16) return old;
        const unsigned r = take(16);
        out_.emit(Inst::kIdVmovapd, vec(r), vec(old));
        release(old);
        put(v, r, now_);
        return r;
    }
    asmjit::Operand operand(Index v) const {
        if (in_register(v)) return vec(register_of_[v], is_pack(v));
        return memory(v);
    }

    // Steps ----------------------------------------------------------------------------------------------------------

    /// The operands have been read, or will be by the very instruction that writes the result: registers of those no longer
    /// wanted are free. Rows of scratch become free behind the instruction: an eviction before it may write into them.
    void retire(const Step& s) {
        for (std::size_t i = 0; i < s.arity; ++i) retire(s.args[i], s.next[i]);
    }
    void retire(Index v, Index next) {
        if (is_common(v)) return retire_common(v, next);
        if (in_register(v)) {
            wanted_[register_of_[v]] = next;
            if (next == none) leave(v);
        }
        if (next == none && !is_wanted_as_pack(v)) dead_.push_back(v);
    }
    void retire_common(Index pack, Index next) {
        const Index v = pack_of(pack).lanes[0];
        commons_[v].next = next;
        if (in_register(pack)) {
            wanted_[register_of_[pack]] = next;
            if (next == none) release(register_of_[pack]);
        }
        if (next != none || !is_single_no_more(v)) return;
        if (in_register(v)) release(register_of_[v]);
        dead_.push_back(v);
    }
    /// Must a register hold it although it is wanted by itself no more?
    bool is_kept(Index v) const { return is_wanted_as_pack(v) && !has_home(v) && !in_register(commons_[v].id); }
    /// A value in a register that is wanted by itself no more: the register is free, unless a pack will be made of it.
    void leave(Index v) {
        const unsigned r = register_of_[v];
        if (is_kept(v))
            wanted_[r] = commons_[v].next;
        else
            release(r);
    }

    // Packs ----------------------------------------------------------------------------------------------------------

    bool is_pack(Index v) const { return v >= first_pack_; }
    const Pack& pack_of(Index id) const { return plan_.packs[id - first_pack_]; }
    bool is_common(Index v) const { return is_pack(v) && pack_of(v).origin == Pack::Origin::common; }
    bool is_wanted_as_pack(Index v) const { return !is_pack(v) && !commons_.empty() && commons_[v].next != none; }
    bool is_single_no_more(Index v) const { return commons_[v].last_single == none || commons_[v].last_single <= now_; }
    /// Would it be lost with its register?
    bool is_elsewhere(Index v) const {
        if (!is_common(v)) return has_home(v);
        return has_home(pack_of(v).lanes[0]) || in_register(pack_of(v).lanes[0]);
    }

    /// Packs of a value in common are operands in memory where the value is there and instructions can repeat it.
    void prepare_commons(const Step& s) {
        for (std::size_t i = 0; i < s.arity; ++i) {
            const Index v = s.args[i];
            if (is_common(v) && !in_register(v) && !(is_wide_ && has_home(pack_of(v).lanes[0]))) load(v);
        }
    }

    void finish_pack(const Step& s, unsigned r) {
        const Pack& pack = pack_of(s.value);
        put(s.value, r, now_);  // it stays while its lanes are stored
        std::array<Index, 4> output{};
        for (std::size_t i = 0; i < 4; ++i) output[i] = pack.lanes[i] == none ? none : plan_.first_output[pack.lanes[i]];
        if (output[0] != none && output[1] == output[0] + 1 && output[2] == output[0] + 2 && output[3] == output[0] + 3) {
            home_[s.value] = {Table::out, output[0]};
            store_to(memory(s.value), r, true);
            for (std::size_t i = 0; i < 4; ++i) {
                home_[pack.lanes[i]] = {Table::out, output[i]};
                output[i] = plan_.next_output[output[i]];
            }
        }
        store_lanes(pack, output, r);
        std::uint8_t missing = 0;
        for (std::size_t i = 0; i < 4; ++i) missing += (pack.exposed >> i & 1U) != 0 && !has_home(pack.lanes[i]) ? 1 : 0;
        if (missing > 0) {
            const Location group = new_group(static_cast<std::uint8_t>(missing + (s.first_use == none ? 0 : 1)));
            store_to(memory(group), r, true);
            if (s.first_use != none) home_[s.value] = group;
            for (std::uint32_t i = 0; i < 4; ++i) {
                if ((pack.exposed >> i & 1U) != 0 && !has_home(pack.lanes[i])) home_[pack.lanes[i]] = {Table::scratch, group.row + i};
            }
        }
        wanted_[r] = s.first_use;
        if (s.first_use == none) release(r);
    }
    /// Lanes that are outputs, each for itself.
    void store_lanes(const Pack& pack, const std::array<Index, 4>& output, unsigned r) {
        unsigned upper = none_register;
        for (std::size_t i = 0; i < 4; ++i) {
            if (output[i] == none) continue;
            unsigned from = r;
            if (i >= 2) {
                if (upper == none_register) {
                    upper = take_temporary(registers_);
                    out_.emit(r < 16 && upper < 16 ? Inst::kIdVextractf128 : Inst::kIdVextractf64x2, x86::Xmm(upper), x86::Ymm(r),
                              asmjit::Imm(1));
                }
                from = upper;
            }
            for (Index k = output[i]; k != none; k = plan_.next_output[k]) {
                const Location home{Table::out, k};
                const Mem place = memory(home);
                shorten(place, false);
                out_.emit(i % 2 == 0 ? Inst::kIdVmovsd : Inst::kIdVmovhpd, place, x86::Xmm(from));
                home_[pack.lanes[i]] = home;
            }
        }
        if (upper != none_register) release(upper);
    }

    /// Two of four lanes.
    void pair(unsigned r, Index a, Index b) {
        const bool is_b_here = in_register(b);
        if (in_register(a)) {
            const x86::Xmm first(register_of_[a]);
            if (is_b_here) return static_cast<void>(out_.vunpcklpd(x86::Xmm(r), first, x86::Xmm(register_of_[b])));
            shorten(memory(b), false);
            out_.vmovhpd(x86::Xmm(r), first, memory(b));
            return;
        }
        shorten(memory(a), false);
        if (a == b) return static_cast<void>(out_.vmovddup(x86::Xmm(r), memory(a)));
        out_.vmovsd(x86::Xmm(r), memory(a));
        if (is_b_here) return static_cast<void>(out_.vunpcklpd(x86::Xmm(r), x86::Xmm(r), x86::Xmm(register_of_[b])));
        shorten(memory(b), false);
        out_.vmovhpd(x86::Xmm(r), x86::Xmm(r), memory(b));
    }
    void gather(const Step& s) {
        const Pack& pack = pack_of(s.value);
        const bool is_blended = std::ranges::any_of(pack.from, [](Index p) { return p != none; });
        const unsigned r = is_blended ? blended(pack) : joined(pack);
        for (std::size_t i = 0; i < 4; ++i) {
            if (pack.source(i) != none) retire(pack.source(i), pack.next[i]);
        }
        put(s.value, r, s.first_use);
    }
    /// From single values, two by two.
    unsigned joined(const Pack& pack) {
        const auto& l = pack.lanes;
        const unsigned r = take_temporary(16);
        const auto half = [&](unsigned at, Index a, Index b) { pair(at, a == none ? b : a, b == none ? a : b); };
        if (l[2] == none && l[3] == none) {
            half(r, l[0], l[1]);
        } else if (l[0] == none && l[1] == none) {
            half(r, l[2], l[3]);
            out_.vinsertf128(x86::Ymm(r), x86::Ymm(r), x86::Xmm(r), 1);
        } else {
            const unsigned t = take_temporary(16);
            half(r, l[0], l[1]);
            half(t, l[2], l[3]);
            out_.vinsertf128(x86::Ymm(r), x86::Ymm(r), x86::Xmm(t), 1);
            release(t);
        }
        return r;
    }
    /// From a pack that has some lanes in place, others put in.
    unsigned blended(const Pack& pack) {
        Index base = none;
        std::ptrdiff_t most = 0;
        for (const Index p : pack.from) {
            const auto lanes = std::ranges::count(pack.from, p);
            if (p != none && lanes > most) base = p, most = lanes;
        }
        unsigned from = need_low(base);
        const unsigned r = take_temporary(16);
        const auto put_in = [&](const asmjit::Operand& what, unsigned lanes) {
            out_.emit(Inst::kIdVblendpd, x86::Ymm(r), x86::Ymm(from), what, asmjit::Imm(lanes));
            from = r;
        };
        for (std::size_t k = 0; k < 4; ++k) {
            if (pack.source(k) == none || pack.from[k] == base) continue;
            if (const Index p = pack.from[k]; p != none) {
                unsigned lanes = 0;
                bool is_done = false;
                for (std::size_t j = 0; j < 4; ++j) {
                    if (pack.from[j] == p) lanes |= 1U << j, is_done = is_done || j < k;
                }
                if (is_done) continue;
                if (in_register(p)) need_low(p);
                put_in(operand(p), lanes);
                continue;
            }
            const Index v = pack.lanes[k];
            if (k == 0 && in_register(v) && register_of_[v] < 16) {
                put_in(x86::Ymm(register_of_[v]), 1);
                continue;
            }
            const unsigned t = take_temporary(16);
            if (in_register(v)) {
                out_.vbroadcastsd(x86::Ymm(t), x86::Xmm(register_of_[v]));
            } else {
                const Mem place = memory(v);
                shorten(place, false);
                out_.vbroadcastsd(x86::Ymm(t), place);
            }
            put_in(x86::Ymm(t), 1U << k);
            release(t);
        }
        return r;
    }
    void finish(const Step& s, unsigned r) {
        if (is_pack(s.value)) return finish_pack(s, r);
        put(s.value, r, s.first_use);
        for (Index k = plan_.first_output[s.value]; k != none; k = plan_.next_output[k]) {
            const Location home{Table::out, k};
            store_to(memory(home), r);
            home_[s.value] = home;
        }
        if (s.first_use == none) leave(s.value);
    }
    void store_outputs_from_memory(Index v) {
        if (plan_.first_output[v] == none) return;
        const unsigned r = take_temporary(registers_);
        load_from(r, memory(v));
        for (Index k = plan_.first_output[v]; k != none; k = plan_.next_output[k]) {
            store_to(memory(Location{Table::out, k}), r);
        }
        release(r);
    }

    void step(const Step& s) {
        if (s.kind != Kind::call && s.kind != Kind::turn && !are_windows_set_) derive_windows();
        is_packed_ = s.value != none && is_pack(s.value);
        code_ = is_packed_ ? &pack_instructions : &own_;
        if (is_packed_) prepare_commons(s);
        switch (s.kind) {
            case Kind::add: binary(s, code_->add, true); break;
            case Kind::mul: binary(s, code_->mul, true); break;
            case Kind::sub: binary(s, code_->sub, false); break;
            case Kind::div: binary(s, code_->div, false); break;
            // min(a, b) is b < a ? b : a, also for NaNs and zeros; the instruction is the same with its operands exchanged.
            case Kind::min: binary(swapped(s), code_->min, false); break;
            case Kind::max: binary(swapped(s), code_->max, false); break;
            case Kind::fma:
            case Kind::fms:
            case Kind::fnma:
            case Kind::fnms: fused(s); break;
            case Kind::neg: {
                const unsigned a = need(s.args[0]);
                retire(s);
                const unsigned r = take();
                out_.emit(Inst::kIdVxorpd, vec(r), vec(a), mask(sign_mask));
                finish(s, r);
                break;
            }
            case Kind::sqrt: {
                const unsigned a = need(s.args[0]);
                retire(s);
                const unsigned r = take();
                if (is_scalar_ && !is_packed_) {
                    out_.emit(code_->sqrt, vec(r), vec(a), vec(a));
                } else {
                    out_.emit(code_->sqrt, vec(r), vec(a));
                }
                finish(s, r);
                break;
            }
            case Kind::abs: {  // x < 0 ? −x : x is max(x, −x), zeros and NaNs included
                const unsigned a = need(s.args[0]), t = take_temporary(registers_);
                out_.emit(Inst::kIdVxorpd, vec(t), vec(a), mask(sign_mask));
                retire(s);
                release(t);
                const unsigned r = take();
                out_.emit(code_->max, vec(r), vec(t), vec(a));
                finish(s, r);
                break;
            }
            case Kind::sign: sign(s); break;
            case Kind::select: select(s); break;
            case Kind::call: call(s); break;
            case Kind::turn: turn(plan_.turns[s.args[0]]); break;
            case Kind::gather: gather(s); break;
        }
    }
    static Step swapped(Step s) {
        std::swap(s.args[0], s.args[1]);
        std::swap(s.next[0], s.next[1]);
        return s;
    }

    void binary(Step s, InstId id, bool commutes) {
        if (commutes && !in_register(s.args[0])) {  // what stays in memory comes second: a register's value first, or the one wanted soon
            if (in_register(s.args[1]) || s.next[1] < s.next[0]) s = swapped(s);
        }
        const unsigned a = need(s.args[0]);
        const asmjit::Operand b = operand(s.args[1]);
        retire(s);
        const unsigned r = take();
        shorten(b);
        out_.emit(id, vec(r), vec(a), b);
        finish(s, r);
    }

    void fused(const Step& s) {
        // One operand may stay in memory, if another one is overwritten.
        const auto count_memory = [&] { return !in_register(s.args[0]) + !in_register(s.args[1]) + !in_register(s.args[2]); };
        const auto is_last = [&](std::size_t i) { return in_register(s.args[i]) && s.next[i] == none && !is_kept(s.args[i]); };
        std::size_t loaded = 3;
        while (count_memory() > 1 || (count_memory() == 1 && !is_last(0) && !is_last(1) && !is_last(2))) {
            std::size_t best = 3;
            for (std::size_t i = 0; i < 3; ++i) {
                if (!in_register(s.args[i]) && (best == 3 || s.next[i] < s.next[best])) best = i;
            }
            load(s.args[best]);
            if (count_memory() == 0) loaded = best;
        }
        std::array<asmjit::Operand, 3> x;
        std::array<unsigned, 3> at{};
        for (std::size_t i = 0; i < 3; ++i) {
            x[i] = operand(s.args[i]);
            at[i] = in_register(s.args[i]) ? register_of_[s.args[i]] : unsigned{none_register};
        }
        retire(s);
        // The result takes an operand's register: that of a value which is still in memory, or is wanted no more.
        if (loaded < 3 && value_in_[at[loaded]] == s.args[loaded]) release(at[loaded]);
        std::size_t target = 3;
        for (const std::size_t i : {std::size_t{2}, std::size_t{0}, std::size_t{1}}) {
            if (at[i] != none_register && (free_ >> at[i] & 1U) != 0) {
                target = i;
                free_ &= ~(std::uint64_t{1} << at[i]);
                break;
            }
        }
        unsigned r = 0;
        if (target < 3) {
            r = at[target];
        } else {
            // Whatever leaves by the rule; when that is no operand, the summand is copied.
            r = take();
            for (std::size_t i = 0; i < 3; ++i) {
                if (at[i] == r) target = i;
            }
            if (target == 3) {
                out_.emit(Inst::kIdVmovapd, vec(r), x[2]);
                target = 2;
            }
        }
        for (const asmjit::Operand& place : x) shorten(place);
        const auto& forms = code_->fused[static_cast<std::size_t>(s.kind) - static_cast<std::size_t>(Kind::fma)];
        if (target == 2) {  // r = a·b + r, one factor may be in memory
            const bool is_first_memory = x[0].isMem();
            out_.emit(forms[2], vec(r), x[is_first_memory ? 1 : 0], x[is_first_memory ? 0 : 1]);
        } else {
            const std::size_t other = 1 - target;
            if (x[other].isMem()) {  // r = r·[b] + c
                out_.emit(forms[0], vec(r), x[2], x[other]);
            } else {  // r = b·r + c or [c]
                out_.emit(forms[1], vec(r), x[other], x[2]);
            }
        }
        finish(s, r);
    }

    /// How zero, in register m, compares with a: in all bits of m's lanes, or in a register of masks where there are eight.
    void compare(unsigned m, unsigned a, int how) {
        if (lanes_ == 8) {
            out_.emit(Inst::kIdVcmppd, x86::k1, vec(m), vec(a), asmjit::Imm(how));
        } else {
            out_.emit(Inst::kIdVcmppd, vec(m), vec(m), vec(a), asmjit::Imm(how));
        }
    }
    /// r = b in lanes where the comparison held, else a.
    void blend(unsigned r, unsigned a, unsigned b, unsigned m) {
        if (lanes_ == 8) {
            out_.k(x86::k1).emit(Inst::kIdVblendmpd, vec(r), vec(a), vec(b));
        } else {
            out_.emit(Inst::kIdVblendvpd, vec(r), vec(a), vec(b), vec(m));
        }
    }

    /// x > 0 ? 1 : x < 0 ? −1 : x
    void sign(const Step& s) {
        const unsigned a = need_low(s.args[0]), t = take_temporary(16), m = take_temporary(16);
        out_.emit(Inst::kIdVxorpd, vec(m), vec(m), vec(m));
        compare(m, a, 0x0C);  // 0 ≠ x, not for NaN
        out_.emit(Inst::kIdVandpd, vec(t), vec(a), mask(sign_mask));
        out_.emit(Inst::kIdVorpd, vec(t), vec(t), mask(one_mask));
        retire(s);
        release(t);
        release(m);
        const unsigned r = take(16);
        blend(r, a, t, m);
        finish(s, r);
    }

    /// a > 0 ? b : c
    void select(const Step& s) {
        const unsigned a = need_low(s.args[0]), b = need_low(s.args[1]), c = need_low(s.args[2]), m = take_temporary(16);
        out_.emit(Inst::kIdVxorpd, vec(m), vec(m), vec(m));
        compare(m, a, 0x11);  // 0 < a, not for NaN, quietly
        retire(s);
        release(m);
        const unsigned r = take(16);
        blend(r, c, b, m);
        finish(s, r);
    }

    // Calls ----------------------------------------------------------------------------------------------------------

    /// Everything that is in a register goes to memory, unless it is there.
    void clear_registers() {
        for (unsigned r = 0; r < registers_; ++r) {
            if (value_in_[r] != none) evict(r);
        }
    }
    void call_address(std::uint64_t target) {
        out_.mov(x86::rax, target);
        out_.call(x86::rax);
    }

    void call(const Step& s) {
        clear_registers();
        are_windows_set_ = false;  // their registers are wanted for arguments
        out_.vzeroupper();
        if (is_scalar_) {
            for (unsigned i = 0; i < s.arity; ++i) load_from(i, memory(s.args[i]));
            call_address(library_function(s.op, 1));
            retire(s);
            free_ &= ~std::uint64_t{1};
            finish(s, 0);
            return;
        }
        const Location result = new_row();
        const std::array<Gp, 3> pointers{x86::rdi, x86::rsi, x86::rdx};
        for (unsigned i = 0; i < s.arity; ++i) out_.lea(pointers[i], memory(s.args[i]));
        out_.lea(pointers[s.arity], memory(result));
        call_address(library_function(s.op, lanes_));
        retire(s);
        settle(s.value, result, s.first_use);
    }

    /// A result that a call has left in memory.
    void settle(Index v, Location home, Index first_use) {
        if (v == none) {
            free_rows_.push_back(home.row);
            return;
        }
        home_[v] = home;
        store_outputs_from_memory(v);
        if (first_use == none && !is_wanted_as_pack(v)) dead_.push_back(v);
    }

    void turn(const Turn& t) {
        clear_registers();
        are_windows_set_ = false;
        if (is_scalar_) {
            turn_scalar(t);
        } else {
            for (std::size_t i = 0; i < t.size; ++i) {
                const auto& [angle, sine, cosine, next, sine_first, cosine_first] = t.angles[i];
                const std::uint32_t row = rows_;
                rows_ += 2;
                load_from(0, memory(angle));
                call_sincos(row);
                settle(sine, {Table::scratch, row}, sine_first);
                settle(cosine, {Table::scratch, row + 1}, cosine_first);
            }
        }
        for (std::size_t i = 0; i < t.size; ++i) retire(t.angles[i].angle, t.angles[i].next);
    }
    void turn_scalar(const Turn& t) {
        const auto angle = [&](std::size_t i) { return memory(t.angles[i].angle); };
        out_.vmovsd(x86::xmm0, angle(0));
        if (t.size > 1) out_.vmovhpd(x86::xmm0, x86::xmm0, angle(1));
        if (t.size > 2) out_.vmovsd(x86::xmm1, angle(2));
        if (t.size > 3) out_.vmovhpd(x86::xmm1, x86::xmm1, angle(3));
        if (t.size > 2) out_.vinsertf128(x86::ymm0, x86::ymm0, x86::xmm1, 1);
        while (rows_ % 4 != 0) free_rows_.push_back(rows_++);
        const std::uint32_t row = rows_;
        rows_ += 8;
        call_sincos(row);
        for (std::uint32_t i = 0; i < 4; ++i) {
            const bool is_used = i < t.size;
            settle(is_used ? t.angles[i].sine : none, {Table::scratch, row + i}, t.angles[i].sine_first);
            settle(is_used ? t.angles[i].cosine : none, {Table::scratch, row + 4 + i}, t.angles[i].cosine_first);
        }
    }
    void call_sincos(std::uint32_t row) {
        out_.lea(x86::rdi, memory(Location{Table::scratch, row}));
        call_address(lanes_ == 8 ? address(&sincos8) : address(&sincos4));
    }

    const Plan& plan_;
    const program::Program& program_;
    const double* table_;
    x86::Assembler& out_;
    unsigned lanes_;
    bool is_scalar_, is_wide_;
    int step_size_;
    const Instructions& own_;   // of single values
    const Instructions* code_;  // of this step
    bool is_packed_ = false;    // is it of packs?
    Windows in_, results_, scratch_, constants_;
    std::uint32_t window_rows_;
    bool are_windows_set_ = false;

    std::uint64_t free_;
    unsigned registers_;
    std::array<Index, 32> value_in_ = filled();
    std::array<Index, 32> wanted_{};
    std::vector<std::uint8_t> register_of_;
    std::vector<Location> home_;
    std::vector<std::uint32_t> free_rows_;
    std::uint32_t rows_ = 0;
    std::vector<std::uint32_t> free_groups_;
    std::vector<std::uint8_t> in_use_;  // of each four rows: by how many lanes and packs, 0 where single values stand

    /// A value of which a pack is made where one is wanted.
    struct Common {
        Index id = none;           ///< of the pack
        Index next = none;         ///< the step that wants it next
        Index last_single = none;  ///< the last step that wants the value itself
    };
    Index first_pack_ = 0;
    std::vector<Common> commons_;  // by values
    std::vector<Index> dead_;      // values whose rows become free behind this step
    Index now_ = 0;

    static std::array<Index, 32> filled() {
        std::array<Index, 32> a{};
        a.fill(none);
        return a;
    }
};

/// One store of executable memory for all: written through one view of it, run through another.
std::shared_ptr<asmjit::JitRuntime> runtime() {
    static const auto shared = [] {
        asmjit::JitAllocator::CreateParams params;
        params.options = asmjit::JitAllocatorOptions::kUseDualMapping;
        return std::make_shared<asmjit::JitRuntime>(&params);
    }();
    return shared;
}

}  // namespace

Code& Code::operator=(Code&& other) noexcept {
    std::swap(runtime_, other.runtime_);
    std::swap(function_, other.function_);
    std::swap(scratch_, other.scratch_);
    std::swap(bytes_, other.bytes_);
    std::swap(constants_, other.constants_);
    return *this;
}

Code::~Code() {
    if (function_ != nullptr) static_cast<asmjit::JitRuntime*>(runtime_.get())->release(function_);
}

unsigned vector_registers() {
    const auto& features = asmjit::CpuInfo::host().features().x86();
    if (!features.hasAVX2() || !features.hasFMA()) return 0;
    return features.hasAVX512_VL() && features.hasAVX512_DQ() ? 32 : 16;
}

Code emit(const Plan& plan, const program::Program& program, unsigned lanes, unsigned registers) {
    Code code;
    const std::size_t doubles = first_constant / sizeof(double) + rows_of_constants(plan, program) * lanes;
    const std::size_t bytes = (doubles * sizeof(double) + 63) / 64 * 64;
    code.constants_.reset(static_cast<double*>(std::aligned_alloc(64, bytes)));
    if (!code.constants_) return {};
    double* to = code.constants_.get();
    for (int i = 0; i < 8; ++i) to[sign_mask / 8 + i] = -0.0, to[one_mask / 8 + i] = 1.0;
    to += first_constant / 8;
    for (const double x : program.constants) {
        for (unsigned p = 0; p < lanes; ++p) *to++ = x;
    }
    if (!plan.constants.empty()) {
        to = code.constants_.get() + doubles - plan.constants.size();
        std::ranges::copy(plan.constants, to);
    }

    code.runtime_ = runtime();
    auto& store = *static_cast<asmjit::JitRuntime*>(code.runtime_.get());
    asmjit::CodeHolder holder;
    holder.init(store.environment());
    x86::Assembler assembler(&holder);
    struct Failed : asmjit::ErrorHandler {
        bool is_failed = false;
        void handleError(asmjit::Error, const char*, asmjit::BaseEmitter*) override { is_failed = true; }
    } failed;
    holder.setErrorHandler(&failed);
    holder.reserveBuffer(&holder.textSection()->buffer(), plan.steps.size() * 9 + 256);
    code.scratch_ = Emitter(plan, program, lanes, registers, code.constants_.get(), assembler).emit() * lanes;
    code.bytes_ = holder.codeSize();
    Code::Function function = nullptr;
    if (failed.is_failed || store.add(&function, &holder) != asmjit::kErrorOk) return {};
    code.function_ = function;
    return code;
}

}  // namespace linkwright::jit

#else

namespace linkwright::jit {

Code& Code::operator=(Code&& other) noexcept {
    std::swap(constants_, other.constants_);
    return *this;
}
Code::~Code() = default;
unsigned vector_registers() { return 0; }
Code emit(const Plan&, const program::Program&, unsigned, unsigned) { return {}; }

}  // namespace linkwright::jit

#endif
