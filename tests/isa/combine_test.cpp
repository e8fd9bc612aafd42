// The combining operations of atomics, redux and barrier reductions, and which of them exist; ISA 9.7.13.
#include "catch.h"
#include "oracle.h"
#include "row_coverage.h"
#include "run.h"
#include "values.h"

namespace foldproof::tests {
namespace {

/// Checks Form::combine of an instruction on pairs, by default for both memories.
void check_combine(const std::string& text, const Column& old, const Column& b,
                   const std::function<Value(Value, Value)>& expected) {
  INFO(text);
  const isa::Form form = form_of(text);
  REQUIRE(form.combine != nullptr);
  for (std::size_t i = 0; i < old.size(); ++i) {
    const Value wanted = expected(old[i], b[i]);
    INFO(std::hex << old[i] << " " << b[i]);
    REQUIRE(form.combine(old[i], b[i], 0) == wanted);
    if (form.combine_shared) REQUIRE(form.combine_shared(old[i], b[i], 0) == wanted);
  }
  covers(form, old.size());
}

/// atom.op.type and red.op.type.
void check_atomic(const std::string& suffix, unsigned bits,
                  const std::function<Value(Value, Value)>& expected) {
  const Columns operands = crossed({integers(bits, 1), integers(bits, 2)}, 17);
  check_combine("atom.global." + suffix, operands[0], operands[1], expected);
  check_combine("red.relaxed.gpu.global." + suffix, operands[0], operands[1], expected);
}

TEST_CASE("atomic bit operations and integer sums follow their definitions", "[combine]") {
  for (const unsigned w : {32u, 64u}) {
    const std::string width = std::to_string(w);
    check_atomic("and.b" + width, w, [](Value a, Value b) { return a & b; });
    check_atomic("or.b" + width, w, [](Value a, Value b) { return a | b; });
    check_atomic("xor.b" + width, w, [](Value a, Value b) { return a ^ b; });
    check_atomic("add.u" + width, w, [w](Value a, Value b) { return (a + b) & ones(w); });
    check_atomic("min.u" + width, w, [](Value a, Value b) { return std::min(a, b); });
    check_atomic("max.u" + width, w, [](Value a, Value b) { return std::max(a, b); });
    const auto extend = [w](Value x) { return static_cast<std::int64_t>(x << (64 - w)) >> (64 - w); };
    check_atomic("min.s" + width, w, [&](Value a, Value b) { return extend(a) < extend(b) ? a : b; });
    check_atomic("max.s" + width, w, [&](Value a, Value b) { return extend(a) < extend(b) ? b : a; });
  }
  check_atomic("add.s32", 32, [](Value a, Value b) { return (a + b) & ones(32); });
}

TEST_CASE("inc wraps at its limit and dec restarts from it", "[combine]") {
  check_atomic("inc.u32", 32, [](Value r, Value s) { return r >= s ? 0 : r + 1; });
  check_atomic("dec.u32", 32, [](Value r, Value s) { return r == 0 || r > s ? s : r - 1; });
  CHECK_FALSE(exists("atom.inc.u64"));
}

TEST_CASE("exch replaces the value, and cas only an equal one", "[combine]") {
  for (const std::string type : {"b32", "b64"})
    check_combine("atom.exch." + type, {1, 2}, {3, 4}, [](Value, Value b) { return b; });
  for (const std::string type : {"b16", "b32", "b64"}) {
    const isa::Form form = form_of("atom.relaxed.global.cas." + type);
    CHECK(form.atomic == isa::AtomicKind::cas);
    CHECK(form.combine(5, 5, 9) == 9);
    CHECK(form.combine(6, 5, 9) == 6);
    covers(form, 2);
  }
  CHECK_FALSE(exists("red.exch.b32"));
  CHECK_FALSE(exists("red.cas.b32"));
}

TEST_CASE("f32 sums flush subnormals in global memory and keep them in shared memory", "[combine]") {
  const Columns operands = crossed({f32s(1), f32s(2)}, 32);
  for (const std::string opcode : {"atom.global", "red.global", "atom", "red"}) {
    const isa::Form form = form_of(opcode + ".add.f32");
    for (std::size_t i = 0; i < operands[0].size(); ++i) {
      const Value a = operands[0][i], b = operands[1][i];
      const auto flushed = [](Value x) { return f32_format.flushed(x); };
      REQUIRE(form.combine(a, b, 0) == flushed(sum(f32_format, flushed(a), flushed(b), Mode::nearest_even)));
      REQUIRE(form.combine_shared(a, b, 0) == sum(f32_format, a, b, Mode::nearest_even));
    }
    covers(form, operands[0].size());
  }
  const Columns wide = crossed({f64s(1), f64s(2)}, 32);
  check_combine("atom.add.f64", wide[0], wide[1],
                [](Value a, Value b) { return sum(f64_format, a, b, Mode::nearest_even); });
}

TEST_CASE("16-bit floats add with .noftz as scalars, pairs and vectors", "[combine]") {
  const auto halves = [](auto f) {
    return [f](Value a, Value b) { return f(a & 0xFFFF, b & 0xFFFF) | f(a >> 16, b >> 16) << 16; };
  };
  for (const bool brain : {false, true}) {
    const Format& f = brain ? bf16_format : f16_format;
    const std::string type = brain ? "bf16" : "f16";
    const Columns operands = crossed({brain ? bf16s(1) : f16s(1), brain ? bf16s(2) : f16s(2)}, 32);
    const Column a2 = paired(operands[0], operands[1]), b2 = paired(operands[1], operands[1]);
    const auto add = [&f](Value a, Value b) { return sum(f, a, b, Mode::nearest_even); };
    const auto least = [&f](bool want_min) {
      return [&f, want_min](Value a, Value b) {
        if (f.is_nan(a) || f.is_nan(b)) return f.is_nan(a) && f.is_nan(b) ? f.nan : f.is_nan(a) ? b : a;
        const auto key = [&f](Value x) {
          return f.is_negative(x) ? -static_cast<int>(x & 0x7FFF) - 1 : static_cast<int>(x);
        };
        return (key(a) < key(b)) == want_min ? a : b;
      };
    };
    check_combine("atom.add.noftz." + type, operands[0], operands[1], add);
    check_combine("red.add.noftz." + type + "x2", a2, b2, halves(add));
    check_combine("atom.global.v4." + type + ".add.noftz", operands[0], operands[1], add);
    check_combine("red.global.add.noftz.v2." + type + "x2", a2, b2, halves(add));
    check_combine("red.global.min.noftz.v8." + type, operands[0], operands[1], least(true));
    check_combine("atom.global.max.noftz.v2." + type, operands[0], operands[1], least(false));
    check_combine("atom.global.max.noftz.v4." + type + "x2", a2, b2, halves(least(false)));
    check_combine("atom.global.min.noftz.v2." + type + "x2", a2, b2, halves(least(true)));
    CHECK_FALSE(exists("atom.add." + type));
    CHECK_FALSE(exists("atom.min.noftz." + type));
  }
  CHECK(form_of("red.global.add.v4.f32").vector == 4);
}

TEST_CASE("atomics that do not exist are refused", "[combine]") {
  for (const std::string text :
       {"atom.min.f32", "atom.add.b32", "atom.and.u32", "atom.weak.add.u32", "atom.local.add.u32",
        "red.acquire.gpu.add.u32", "atom.shared.add.v2.f32", "atom.add.v2.u32", "atom.add.v8.f32",
        "atom.popc.u32", "atom.add", "atom.add.noftz.f32", "atom.add.s64", "red.add.s64"})
    CHECK_FALSE(exists(text));
}

TEST_CASE("redux reduces integers", "[combine]") {
  const Columns operands = crossed({integers(32, 1), integers(32, 2)}, 17);
  const auto check_redux = [&](const std::string& suffix, auto f) {
    check_combine("redux.sync." + suffix, operands[0], operands[1], f);
  };
  check_redux("add.u32", [](Value a, Value b) { return (a + b) & ones(32); });
  check_redux("add.s32", [](Value a, Value b) { return (a + b) & ones(32); });
  check_redux("min.u32", [](Value a, Value b) { return std::min(a, b); });
  check_redux("max.u32", [](Value a, Value b) { return std::max(a, b); });
  check_redux("min.s32", [](Value a, Value b) {
    return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? a : b;
  });
  check_redux("max.s32", [](Value a, Value b) {
    return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? b : a;
  });
  check_redux("and.b32", [](Value a, Value b) { return a & b; });
  check_redux("or.b32", [](Value a, Value b) { return a | b; });
  check_redux("xor.b32", [](Value a, Value b) { return a ^ b; });
  CHECK_FALSE(exists("redux.sync.inc.u32"));
}

TEST_CASE("redux finds extrema of f32, with .abs and .NaN", "[combine]") {
  const Columns operands = crossed({f32s(1), f32s(2)}, 32);
  for (const bool want_min : {true, false})
    for (const bool abs : {true, false})
      for (const bool nan_wins : {true, false})
        check_combine(std::string("redux.sync.") + (want_min ? "min" : "max") + (abs ? ".abs" : "") +
                          (nan_wins ? ".NaN" : "") + ".f32",
                      operands[0], operands[1], [=](Value a, Value b) {
                        const Format& f = f32_format;
                        if (abs) a &= ~f.sign(), b &= ~f.sign();
                        if (f.is_nan(a) || f.is_nan(b))
                          return nan_wins || (f.is_nan(a) && f.is_nan(b)) ? f.nan : f.is_nan(a) ? b : a;
                        const auto key = [&f](Value x) {
                          return f.is_negative(x) ? -static_cast<std::int64_t>(x ^ f.sign()) - 1
                                                  : static_cast<std::int64_t>(x);
                        };
                        return (key(a) < key(b)) == want_min ? a : b;
                      });
}

TEST_CASE("barriers reduce predicates", "[combine]") {
  const Column a{0, 0, 1, 1}, b{0, 1, 0, 1};
  for (const std::string barrier : {"bar.", "bar.cta.", "barrier.", "barrier.cta."}) {
    check_combine(barrier + "red.popc.u32", {0, 5, 6}, {1, 0, 1}, [](Value x, Value y) { return x + y; });
    check_combine(barrier + "red.and.pred", a, b, [](Value x, Value y) { return x & y; });
    check_combine(barrier + "red.or.pred", a, b, [](Value x, Value y) { return x | y; });
    CHECK_FALSE(exists(barrier + "red.popc.pred"));
    CHECK_FALSE(exists(barrier + "red.and.u32"));
  }
  CHECK(form_of("bar.red.or.pred").aligned);
  CHECK_FALSE(form_of("barrier.red.or.pred").aligned);
}

}  // namespace
}  // namespace foldproof::tests
