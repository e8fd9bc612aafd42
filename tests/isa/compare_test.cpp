// setp, set, selp, slct; ISA 9.7.6 and 9.7.7.
#include <map>

#include "catch.h"
#include "oracle.h"
#include "row_coverage.h"
#include "run.h"
#include "values.h"

namespace foldproof::tests {
namespace {

enum class Order { less, equal, greater, unordered };

/// The truth of each comparison for each outcome, from the ISA's tables.
const std::map<std::string, std::string> holds{
    // less, equal, greater, unordered
    {"eq", "0100"},  {"ne", "1010"},  {"lt", "1000"},  {"le", "1100"},  {"gt", "0010"},  {"ge", "0110"},
    {"lo", "1000"},  {"ls", "1100"},  {"hi", "0010"},  {"hs", "0110"},  {"equ", "0101"}, {"neu", "1011"},
    {"ltu", "1001"}, {"leu", "1101"}, {"gtu", "0011"}, {"geu", "0111"}, {"num", "1110"}, {"nan", "0001"}};

bool outcome(const std::string& comparison, Order order) {
  return holds.at(comparison)[static_cast<unsigned>(order)] == '1';
}

Order order_of(Rational a, Rational b) {
  return a < b ? Order::less : a == b ? Order::equal : Order::greater;
}

struct Kind {
  std::string type;
  unsigned bits;
  std::vector<std::string> comparisons;
  Column a, b;
  std::function<Order(Value, Value)> order;
};

const std::vector<std::string> equality{"eq", "ne"}, signed_set{"eq", "ne", "lt", "le", "gt", "ge"},
    unsigned_set{"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"},
    float_set{"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

Kind float_kind(const std::string& type, const Format& f, unsigned bits, Column a, Column b, bool ftz) {
  const Columns both = crossed({std::move(a), std::move(b)}, 32);
  return {type, bits, float_set, both[0], both[1], [&f, ftz](Value x, Value y) {
            if (ftz) x = f.flushed(x), y = f.flushed(y);
            if (f.is_nan(x) || f.is_nan(y)) return Order::unordered;
            const auto extended = [&](Value v) {  // infinities are beyond every number
              return f.is_infinite(v)
                         ? Rational(f.is_negative(v) ? -1 : 1) * (boost::multiprecision::cpp_int(1) << 1100)
                         : value_of(f, v);
            };
            return order_of(extended(x), extended(y));
          }};
}

std::vector<Kind> kinds() {
  std::vector<Kind> result;
  for (const unsigned bits : {16u, 32u, 64u}) {
    const Columns both = crossed({integers(bits, 1), integers(bits, 2)}, 17);
    const auto as_unsigned = [](Value a, Value b) {
      return a < b ? Order::less : a == b ? Order::equal : Order::greater;
    };
    const auto as_signed = [bits](Value a, Value b) {
      const auto extend = [bits](Value x) {
        return static_cast<std::int64_t>(x << (64 - bits)) >> (64 - bits);
      };
      return extend(a) < extend(b) ? Order::less : a == b ? Order::equal : Order::greater;
    };
    const std::string width = std::to_string(bits);
    result.push_back({".b" + width, bits, equality, both[0], both[1], as_unsigned});
    result.push_back({".u" + width, bits, unsigned_set, both[0], both[1], as_unsigned});
    result.push_back({".s" + width, bits, signed_set, both[0], both[1], as_signed});
  }
  for (const bool ftz : {false, true}) {
    const std::string f = ftz ? ".ftz" : "";
    result.push_back(float_kind(f + ".f32", f32_format, 32, f32s(1), f32s(2), ftz));
    result.push_back(float_kind(f + ".f16", f16_format, 16, f16s(1), f16s(2), ftz));
  }
  result.push_back(float_kind(".f64", f64_format, 64, f64s(1), f64s(2), false));
  result.push_back(float_kind(".bf16", bf16_format, 16, bf16s(1), bf16s(2), false));
  return result;
}

/// Alternating predicates for the third operand.
Column predicates(std::size_t count) {
  Column c;
  for (std::size_t i = 0; i < count; ++i) c.push_back(i / 3 % 2);
  return c;
}

bool joined(const std::string& operation, bool t, bool c) {
  return operation == ".and" ? t && c : operation == ".or" ? t || c : operation == ".xor" ? t != c : t;
}

/// Compares two columns and reports a limited number of mismatches.
void same(const std::string& text, const Column& got, const Column& wanted) {
  INFO(text);
  CHECK(got == wanted);
}

TEST_CASE("setp compares, combines with c, and writes the complement's result to q", "[compare]") {
  for (const Kind& kind : kinds())
    for (const std::string& comparison : kind.comparisons)
      for (const std::string operation : {"", ".and", ".or", ".xor"}) {
        const std::string text = "setp." + comparison + operation + kind.type;
        const Column c = predicates(kind.a.size());
        const Columns sources = operation.empty() ? Columns{kind.a, kind.b} : Columns{kind.a, kind.b, c};
        const Columns results = run(text, sources);
        Column p, q;
        for (std::size_t i = 0; i < kind.a.size(); ++i) {
          const bool t = outcome(comparison, kind.order(kind.a[i], kind.b[i]));
          p.push_back(joined(operation, t, c[i] != 0));
          q.push_back(joined(operation, !t, c[i] != 0));
        }
        same(text, results[0], p);
        if (kind.type.ends_with("f16"))
          CHECK(results.size() == 1);  // 16-bit floats have no second destination
        else
          same(text + " q", results[1], q);
        covers(form_of(text), p.size());
      }
}

TEST_CASE("each type has exactly the comparisons that the ISA lists", "[compare]") {
  for (const auto& [comparison, table] : holds)
    for (const Kind& kind : kinds()) {
      const bool has = std::ranges::find(kind.comparisons, comparison) != kind.comparisons.end();
      INFO(comparison << kind.type);
      CHECK(exists("setp." + comparison + kind.type) == has);
    }
  CHECK_FALSE(exists("setp.eq.ftz.f64"));
  CHECK_FALSE(exists("setp.eq.ftz.bf16"));
}

TEST_CASE("packed setp compares the low halves for p and the high halves for q", "[compare]") {
  for (const bool brain : {false, true}) {
    const Column low_a = brain ? bf16s(1) : f16s(1), low_b = brain ? bf16s(2) : f16s(2);
    const Column high_a = brain ? bf16s(3) : f16s(3), high_b = brain ? bf16s(4) : f16s(4);
    const Kind kind = float_kind("", brain ? bf16_format : f16_format, 16, low_a, low_b, false);
    const Column c = predicates(low_a.size());
    for (const std::string comparison : {"eq", "lt", "geu", "nan"}) {
      const std::string text = "setp." + comparison + ".and" + (brain ? ".bf16x2" : ".f16x2");
      const Columns results = run(text, {paired(low_a, high_a), paired(low_b, high_b), c});
      Column p, q;
      for (std::size_t i = 0; i < c.size(); ++i) {
        p.push_back(outcome(comparison, kind.order(low_a[i], low_b[i])) && c[i] != 0);
        q.push_back(outcome(comparison, kind.order(high_a[i], high_b[i])) && c[i] != 0);
      }
      same(text, results[0], p);
      same(text + " q", results[1], q);
      covers(form_of(text), p.size());
    }
  }
}

/// Which pairs of types set supports.
bool set_exists(const std::string& destination, const std::string& source) {
  const bool half = source == ".f16" || source == ".bf16";
  if (destination == ".u16" || destination == ".s16") return half;
  if (destination == ".f16" || destination == ".bf16") return !half || destination == source;
  return destination != ".f32" || !half;
}

TEST_CASE("set writes 1.0 or all ones", "[compare]") {
  const std::vector<std::pair<std::string, Value>> destinations{
      {".u32", 0xFFFFFFFF}, {".s32", 0xFFFFFFFF}, {".f32", 0x3F800000}, {".f16", 0x3C00},
      {".bf16", 0x3F80},    {".u16", 0xFFFF},     {".s16", 0xFFFF}};
  for (const Kind& kind : kinds())
    for (const std::string& comparison : kind.comparisons)
      for (const auto& [destination, yes] : destinations) {
        const bool ftz = kind.type.starts_with(".ftz");
        const std::string source = ftz ? kind.type.substr(4) : kind.type;
        const std::string text = "set." + comparison + ".or" + (ftz ? ".ftz" : "") + destination + source;
        if (!set_exists(destination, source)) {
          CHECK_FALSE(exists(text));
          continue;
        }
        const Column c = predicates(kind.a.size());
        const Column results = run(text, {kind.a, kind.b, c}).front();
        Column wanted;
        for (std::size_t i = 0; i < kind.a.size(); ++i)
          wanted.push_back(outcome(comparison, kind.order(kind.a[i], kind.b[i])) || c[i] != 0 ? yes : 0);
        same(text, results, wanted);
        covers(form_of(text), wanted.size());
      }
}

TEST_CASE("packed set writes each half", "[compare]") {
  const Column low_a = f16s(1), low_b = f16s(2), high_a = f16s(3), high_b = f16s(4);
  const Kind kind = float_kind("", f16_format, 16, low_a, low_b, false);
  for (const auto& [text, yes] :
       {std::pair<std::string, Value>{"set.ltu.f16x2.f16x2", 0x3C00}, {"set.ltu.u32.f16x2", 0xFFFF}}) {
    const Column results = run(text, {paired(low_a, high_a), paired(low_b, high_b)}).front();
    Column wanted;
    for (std::size_t i = 0; i < low_a.size(); ++i) {
      const Value low = outcome("ltu", kind.order(low_a[i], low_b[i])) ? yes : 0;
      const Value high = outcome("ltu", kind.order(high_a[i], high_b[i])) ? yes : 0;
      wanted.push_back(low | high << 16);
    }
    same(text, results, wanted);
    covers(form_of(text), wanted.size());
  }
  const Columns ones{{0x3F803F80, 0x7FFF3F80}, {0x3F804000, 0x3F803F80}};
  CHECK(run("set.eq.bf16x2.bf16x2", ones).front() == Column{0x3F800000, 0x00003F80});
  covers(form_of("set.eq.bf16x2.bf16x2"), 2);
}

TEST_CASE("selp selects by a predicate", "[compare]") {
  for (const std::string type :
       {"b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64"}) {
    const auto bits = static_cast<unsigned>(std::stoul(type.substr(1)));
    check3("selp." + type, {integers(bits, 1), integers(bits, 2), predicates(integers(bits, 1).size())},
           [](Value a, Value b, Value c) { return c != 0 ? a : b; });
  }
}

TEST_CASE("slct selects by sign: -0 counts as zero, NaN as negative", "[compare]") {
  for (const std::string type :
       {"b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64"}) {
    const auto bits = static_cast<unsigned>(std::stoul(type.substr(1)));
    const Column a = integers(bits, 1), b = integers(bits, 2);
    check3("slct." + type + ".s32", {a, b, integers(32, 3)},
           [](Value x, Value y, Value c) { return static_cast<std::int32_t>(c) >= 0 ? x : y; });
    for (const bool ftz : {false, true})
      check3(std::string("slct") + (ftz ? ".ftz." : ".") + type + ".f32", {a, b, f32s(3)},
             [ftz](Value x, Value y, Value c) {
               const Value seen = ftz ? f32_format.flushed(c) : c;
               const bool at_least_zero =
                   !f32_format.is_nan(seen) && (!f32_format.is_negative(seen) || f32_format.is_zero(seen));
               return at_least_zero ? x : y;
             });
  }
}

}  // namespace
}  // namespace foldproof::tests
