// Eight lanes, and packs of four in 32 registers, on whatever processor: the machine code for AVX-512 is read by a disassembler and carried out here, instruction by instruction. Where the
// processor has AVX-512, program_test.cpp runs it as well.

#if defined(__x86_64__) && defined(__unix__)

#include <gtest/gtest.h>

#include <unistd.h>
#include <bit>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

#include "jit/random_columns.hpp"
#include "jit/random_program.hpp"
#include "linkwright/jit/compile.hpp"
#include "linkwright/jit/emit.hpp"
#include "linkwright/jit/packs.hpp"
#include "linkwright/jit/sincos.hpp"

namespace linkwright::jit {
namespace {

using Lanes = std::array<double, 8>;

struct Instruction {
    std::string name;
    std::vector<std::string> operands;
};

/// What the disassembler reads in the code, in Intel's notation.
std::vector<Instruction> disassemble(const Code& code) {
    const std::filesystem::path file = std::filesystem::temp_directory_path() / ("linkwright_eight_lanes_" + std::to_string(::getpid()));
    std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(code.function()), static_cast<std::streamsize>(code.bytes()));
    const std::string command = "objdump -D -b binary -m i386:x86-64 -M intel --no-show-raw-insn '" + file.string() + "'";
    std::FILE* const pipe = ::popen(command.c_str(), "r");
    EXPECT_NE(pipe, nullptr);
    std::vector<Instruction> out;
    for (char line[512]; pipe != nullptr && std::fgets(line, sizeof line, pipe) != nullptr;) {
        const std::string text = line;
        const std::size_t tab = text.find(":\t");
        if (tab == std::string::npos) continue;
        Instruction one;
        std::string rest = text.substr(tab + 2);
        rest.erase(rest.find_last_not_of(" \n") + 1);
        if (rest.starts_with("{evex} ")) rest.erase(0, 7);
        const std::size_t gap = std::min(rest.find(' '), rest.size());
        one.name = rest.substr(0, gap);
        rest.erase(0, std::min(rest.find_first_not_of(' ', gap), rest.size()));
        while (!rest.empty()) {
            const std::size_t comma = std::min(rest.find(','), rest.size());
            one.operands.push_back(rest.substr(0, comma));
            rest.erase(0, comma + 1);
        }
        out.push_back(one);
    }
    if (pipe != nullptr) EXPECT_EQ(::pclose(pipe), 0) << command;
    std::filesystem::remove(file);
    return out;
}

/// A processor of which nothing is there but what the code uses. Its memory is ours.
class Processor {
public:
    void run(const std::vector<Instruction>& code, const double* in, double* out, double* scratch) {
        g_["rdi"] = std::bit_cast<std::uint64_t>(in), g_["rsi"] = std::bit_cast<std::uint64_t>(out);
        g_["rdx"] = std::bit_cast<std::uint64_t>(scratch), g_["rsp"] = std::bit_cast<std::uint64_t>(stack_.data() + stack_.size());
        for (const Instruction& i : code) {
            if (i.name == "ret") return;
            step(i);
            if (::testing::Test::HasFatalFailure()) return;
        }
        FAIL() << "the code has no end";
    }

private:
    void step(const Instruction& i) {
        const std::string& n = i.name;
        const auto& o = i.operands;
        const auto is = [&](const char* name) { return n == std::string(name) + "pd" || n == std::string(name) + "sd"; };
        const bool is_single = n.ends_with("sd");  // the first lane alone; the second is that of the first operand
        const auto arithmetic = [&](auto f) {
            const Lanes a = read(o[1]), b = read(o[2]);
            Lanes r = a;
            for (std::size_t p = 0; p < (is_single ? 1U : 8U); ++p) r[p] = f(a[p], b[p]);
            write(o[0], r);
        };
        const auto bitwise = [&](auto f) {
            arithmetic([&](double a, double b) {
                return std::bit_cast<double>(f(std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b)));
            });
        };
        const auto compare = [&](auto holds) {
            const Lanes a = read(o[1]), b = read(o[2]);
            Lanes all{};
            for (std::size_t p = 0; p < 8; ++p) {
                k1_[p] = o[0] == "k1" ? holds(a[p], b[p]) : k1_[p];
                all[p] = holds(a[p], b[p]) ? -1 : 1;  // what counts is the sign
            }
            if (o[0] != "k1") write(o[0], all);
        };
        if (n == "vmovapd" || n == "vmovupd" || n == "vmovsd")
            write(o[0], read(o[1]));
        else if (is("vadd"))
            arithmetic([](double a, double b) { return a + b; });
        else if (is("vsub"))
            arithmetic([](double a, double b) { return a - b; });
        else if (is("vmul"))
            arithmetic([](double a, double b) { return a * b; });
        else if (is("vdiv"))
            arithmetic([](double a, double b) { return a / b; });
        else if (is("vmin"))
            arithmetic([](double a, double b) { return a < b ? a : b; });
        else if (is("vmax"))
            arithmetic([](double a, double b) { return a > b ? a : b; });
        else if (n == "vsqrtsd")
            arithmetic([](double, double b) { return std::sqrt(b); });
        else if (n == "vbroadcastsd" || n == "vmovddup") {
            Lanes r;
            r.fill(read(o[1])[0]);
            write(o[0], r);
        } else if (n == "vunpcklpd" || (n == "vmovhpd" && o.size() == 3))
            write(o[0], {read(o[1])[0], read(o[2])[0]});
        else if (n == "vmovhpd")
            write(o[0], {read(o[1])[1]});
        else if (n == "vinsertf128") {
            const Lanes a = read(o[1]), b = read(o[2]);
            ASSERT_EQ(o[3], "0x1");
            write(o[0], {a[0], a[1], b[0], b[1]});
        } else if (n == "vextractf128" || n == "vextractf64x2") {
            const Lanes a = read(o[1]);
            ASSERT_EQ(o[2], "0x1");
            write(o[0], {a[2], a[3]});
        } else if (n == "vblendpd") {
            Lanes a = read(o[1]);
            const Lanes b = read(o[2]);
            for (std::size_t p = 0; p < 4; ++p) a[p] = (number(o[3]) >> p & 1U) != 0 ? b[p] : a[p];
            write(o[0], a);
        } else if (n == "vblendvpd") {
            Lanes a = read(o[1]);
            const Lanes b = read(o[2]), m = read(o[3]);
            for (std::size_t p = 0; p < 4; ++p) a[p] = std::signbit(m[p]) ? b[p] : a[p];
            write(o[0], a);
        } else if (n == "vxorpd")
            bitwise(std::bit_xor<std::uint64_t>());
        else if (n == "vandpd")
            bitwise(std::bit_and<std::uint64_t>());
        else if (n == "vorpd")
            bitwise(std::bit_or<std::uint64_t>());
        else if (n == "vcmpneq_oqpd")
            compare([](double a, double b) { return a < b || a > b; });
        else if (n == "vcmplt_oqpd")
            compare([](double a, double b) { return a < b; });
        else if (n == "vsqrtpd") {
            Lanes r = read(o[1]);
            for (double& x : r) x = std::sqrt(x);
            write(o[0], r);
        } else if (n == "vblendmpd") {
            ASSERT_TRUE(o[0].ends_with("{k1}")) << o[0];
            const Lanes a = read(o[1]), b = read(o[2]);
            Lanes r;
            for (std::size_t p = 0; p < 8; ++p) r[p] = k1_[p] ? b[p] : a[p];
            write(o[0].substr(0, o[0].size() - 4), r);
        } else if (n.starts_with("vfm") || n.starts_with("vfnm")) {
            fused(n, o);
        } else if (n == "lea")
            g_[o[0]] = place(o[1]);
        else if (n == "movabs" || n == "mov")
            g_[o[0]] = number(o[1]);
        else if (n == "add")
            g_[o[0]] += number(o[1]);
        else if (n == "sub")
            g_[o[0]] -= number(o[1]);
        else if (n == "push")
            g_["rsp"] -= 8, *memory(g_["rsp"]) = std::bit_cast<double>(g_[o[0]]);
        else if (n == "pop")
            g_[o[0]] = std::bit_cast<std::uint64_t>(*memory(g_["rsp"])), g_["rsp"] += 8;
        else if (n == "call")
            call(g_[o[0]]);
        else if (n != "vzeroupper")
            FAIL() << "unknown instruction " << n;
        if (n == "vzeroupper") {
            for (auto& [name, x] : z_) std::fill(x.begin() + 2, x.end(), NAN);  // nothing of it may be wanted again
        }
    }

    /// vfmadd213pd a, b, c is a = b·a + c: the digits say which operands are multiplied and which is added.
    void fused(const std::string& n, const std::vector<std::string>& o) {
        const bool is_negated = n.starts_with("vfnm"), is_difference = n.find("sub") != std::string::npos;
        const std::size_t digits = n.size() - 5;
        std::array<Lanes, 3> x;
        for (std::size_t k = 0; k < 3; ++k) x[k] = read(o[static_cast<std::size_t>(n[digits + k] - '1')]);
        Lanes r = read(o[0]);
        for (std::size_t p = 0; p < (n.ends_with("sd") ? 1U : 8U); ++p)
            r[p] = std::fma(is_negated ? -x[0][p] : x[0][p], x[1][p], is_difference ? -x[2][p] : x[2][p]);
        write(o[0], r);
    }

    /// Sines and cosines by the code for single numbers, other functions as they are.
    void call(std::uint64_t target) {
        EXPECT_EQ(g_["rsp"] % 16, std::bit_cast<std::uint64_t>(stack_.data() + stack_.size() - 1) % 16) << "a stack out of step";
        if (target == reinterpret_cast<std::uint64_t>(&sincos8)) {
            double* const out = memory(g_["rdi"]);
            for (std::size_t p = 0; p < 8; ++p) {
                const std::array<double, 1> angle{z_["zmm0"][p]};
                std::array<double, 2> both{};
                (*sincos_)(angle, both);
                out[p] = both[0], out[8 + p] = both[1];
            }
        } else if (target == reinterpret_cast<std::uint64_t>(&sincos4)) {
            double* const out = memory(g_["rdi"]);
            for (std::size_t p = 0; p < 4; ++p) {
                const std::array<double, 1> angle{z_["zmm0"][p]};
                std::array<double, 2> both{};
                (*sincos_)(angle, both);
                out[p] = both[0], out[4 + p] = both[1];
            }
        } else {
            reinterpret_cast<void (*)(const double*, double*, double*)>(target)(memory(g_["rdi"]), memory(g_["rsi"]), memory(g_["rdx"]));
        }
        for (const char* const r : {"rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"})
            g_[r] = 0xdead;  // a call keeps none of them
        for (auto& [name, x] : z_) x.fill(NAN);
    }

    static double* memory(std::uint64_t address) { return reinterpret_cast<double*>(address); }
    static std::uint64_t number(std::string_view text) {
        const bool is_hex = text.starts_with("0x");
        if (is_hex) text.remove_prefix(2);
        std::uint64_t x = 0;
        EXPECT_EQ(std::from_chars(text.data(), text.data() + text.size(), x, is_hex ? 16 : 10).ec, std::errc()) << text;
        return x;
    }
    /// [rax], [rax+0x40], ZMMWORD PTR [rax-0x80]
    std::uint64_t place(const std::string& text) {
        const std::size_t open = text.find('['), close = text.find(']'), sign = std::min(text.find_first_of("+-"), close);
        std::uint64_t at = g_.at(text.substr(open + 1, sign - open - 1));
        if (sign < close) {
            const std::uint64_t distance = number(text.substr(sign + 1, close - sign - 1));
            at = text[sign] == '+' ? at + distance : at - distance;
        }
        return at;
    }
    double* aligned(const std::string& text) {
        const std::uint64_t at = place(text);
        EXPECT_EQ(at % 64, 0U) << text;
        return memory(at);
    }
    /// How many lanes a register or a place in memory has.
    static std::size_t width(const std::string& text) {
        const std::string start = text.substr(0, 3);
        if (start == "zmm" || start == "ZMM") return 8;
        if (start == "ymm" || start == "YMM") return 4;
        if (start == "xmm" || start == "XMM") return 2;
        EXPECT_TRUE(text.starts_with("QWORD")) << text;
        return 1;
    }
    Lanes read(const std::string& text) {
        if (text[1] == 'm') return z_.at("zmm" + text.substr(3));
        Lanes x{};
        const std::size_t lanes = width(text);
        std::memcpy(x.data(), lanes == 8 ? aligned(text) : memory(place(text)), lanes * sizeof(double));
        if (text.find("BCST") != std::string::npos || text.find("{1to4}") != std::string::npos) std::fill_n(x.begin(), 4, x[0]);
        return x;
    }
    /// What a register has beyond its width is 0 then.
    void write(const std::string& text, const Lanes& x) {
        const std::size_t lanes = width(text);
        if (text[1] == 'm') {
            Lanes& r = z_["zmm" + text.substr(3)];
            r.fill(0);
            std::copy_n(x.begin(), lanes, r.begin());
        } else {
            std::memcpy(lanes == 8 ? aligned(text) : memory(place(text)), x.data(), lanes * sizeof(double));
        }
    }

    static std::unique_ptr<program::Evaluator> sine_and_cosine() {
        Program p;
        p.inputs = 1;
        p.lines = {{Op::sin, {0, 0, 0}}, {Op::cos, {0, 0, 0}}};
        p.outputs = {1, 2};
        return compile(p);
    }

    std::map<std::string, std::uint64_t> g_{{"rbx", 1}, {"rbp", 2}, {"r14", 3}, {"r15", 4}};
    std::map<std::string, Lanes> z_ = [] {
        std::map<std::string, Lanes> z;
        for (int r = 0; r < 32; ++r) z["zmm" + std::to_string(r)].fill(NAN);
        return z;
    }();
    std::array<bool, 8> k1_{};
    std::vector<double> stack_ = std::vector<double>(64);
    std::unique_ptr<program::Evaluator> sincos_ = sine_and_cosine();
};

double* aligned(std::vector<double>& room) { return room.data() + (8 - std::bit_cast<std::uint64_t>(room.data()) / 8 % 8) % 8; }

TEST(EightLanes, GiveTheNumbersOfSingleCalls) {
    if (!why_not().empty()) GTEST_SKIP() << why_not();
    std::size_t instructions = 0;
    for (const std::size_t lines : {1, 2, 3, 5, 10, 30, 100, 300, 1000}) {
        for (std::uint64_t seed = 0; seed < (lines <= 100 ? 8 : 2); ++seed) {
            const RandomProgram r = random_program({.lines = lines, .points = 8, .reach = seed % 2 == 0 ? 0U : 60U}, 1000 + seed);
            const std::string what = std::to_string(lines) + " lines, seed " + std::to_string(seed);
            const auto single = compile(r.program);
            const std::size_t n = r.program.inputs, m = r.program.outputs.size();
            for (const unsigned registers : {32U, 16U}) {
                const Code code = emit(make_plan(r.program), r.program, 8, registers);
                ASSERT_TRUE(code) << what;
                std::vector<double> in(8 * n + 8), out(8 * m + 8, NAN), scratch(code.scratch() + 8, NAN);
                for (std::size_t i = 0; i < n; ++i) {
                    for (std::size_t p = 0; p < 8; ++p) aligned(in)[8 * i + p] = r.in[p][i];
                }
                const std::vector<Instruction> text = disassemble(code);
                instructions += text.size();
                Processor().run(text, aligned(in), aligned(out), aligned(scratch));
                ASSERT_FALSE(HasFatalFailure()) << what;
                for (std::size_t p = 0; p < 8; ++p) {
                    std::vector<double> x(n), y(m);
                    for (std::size_t i = 0; i < n; ++i) x[i] = aligned(in)[8 * i + p];
                    (*single)(x, y);
                    for (std::size_t k = 0; k < m; ++k) {
                        const double got = aligned(out)[8 * k + p];
                        if (std::isnan(got) && std::isnan(y[k])) continue;
                        ASSERT_EQ(std::bit_cast<std::uint64_t>(got), std::bit_cast<std::uint64_t>(y[k]))
                            << what << ", lane " << p << ", output " << k;
                    }
                }
            }
        }
    }
    EXPECT_GT(instructions, 5000U);
}

TEST(WidePacks, GiveTheNumbersOfSingleLines) {
    if (!why_not().empty()) GTEST_SKIP() << why_not();
    std::size_t instructions = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const Program p = random_columns(4 + seed % 6, 30 + 20 * (seed % 10), seed % 3 != 0, seed % 2 == 0, seed);
        const auto single = compile(p, {.registers = 16, .packs = false});
        const Plan plan = with_packs(make_plan(p), p, -1e9);
        const std::vector<double> x = numbers(p.inputs, seed);
        std::vector<double> wanted(p.outputs.size());
        (*single)(x, wanted);
        for (const unsigned registers : {32U, 16U}) {
            const Code code = emit(plan, p, 1, registers);
            ASSERT_TRUE(code) << seed;
            std::vector<double> in = x, out(p.outputs.size(), NAN), scratch(code.scratch() + 8, NAN);
            const std::vector<Instruction> text = disassemble(code);
            instructions += text.size();
            Processor().run(text, in.data(), out.data(), aligned(scratch));
            ASSERT_FALSE(HasFatalFailure()) << seed;
            for (std::size_t k = 0; k < out.size(); ++k) {
                if (std::isnan(out[k]) && std::isnan(wanted[k])) continue;
                ASSERT_EQ(std::bit_cast<std::uint64_t>(out[k]), std::bit_cast<std::uint64_t>(wanted[k]))
                    << "seed " << seed << ", output " << k;
            }
        }
    }
    EXPECT_GT(instructions, 5000U);
}

}  // namespace
}  // namespace linkwright::jit

#endif
