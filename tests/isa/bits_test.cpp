// Logic, shifts, fields and permutations, compared bit by bit with the pseudo-code of ISA 9.7.1, 9.7.8 and
// 9.7.9.
#include "catch.h"
#include "devices/emulated/isa/windows.h"
#include "row_coverage.h"
#include "run.h"
#include "values.h"

namespace foldproof::tests {
namespace {

bool bit(Value x, unsigned i) { return i < 64 && (x >> i & 1) != 0; }

/// All pairs of edge values, and random ones.
Columns values(std::initializer_list<unsigned> widths, std::size_t edges = 17) {
  Columns columns;
  unsigned seed = 1;
  for (const unsigned width : widths) columns.push_back(integers(width, seed++));
  return crossed(columns, edges);
}

/// Small numbers 0 … 300 for positions and lengths, and random ones.
Column amounts(unsigned seed) {
  Column result;
  const Column random = integers(32, seed);
  for (std::size_t i = 0; i < random.size(); ++i)
    result.push_back(i % 4 == 3 ? random[i] : (i * 7 + seed) % 300 % (i % 3 == 0 ? 300 : 70));
  return result;
}

const std::vector<std::pair<std::string, unsigned>> bit_types{{"b16", 16}, {"b32", 32}, {"b64", 64}};

TEST_CASE("and, or, xor, not and cnot on bits", "[bits]") {
  for (const auto& [name, width] : bit_types) {
    const Columns two = values({width, width});
    check2("and." + name, two, [](Value a, Value b) { return a & b; });
    check2("or." + name, two, [](Value a, Value b) { return a | b; });
    check2("xor." + name, two, [](Value a, Value b) { return a ^ b; });
    check1("not." + name, {integers(width, 1)}, [w = width](Value a) { return ~a & ones(w); });
    check1("cnot." + name, {integers(width, 1)}, [](Value a) { return a == 0 ? 1 : 0; });
  }
}

TEST_CASE("and, or, xor and not on predicates", "[bits]") {
  const Columns two{{0, 0, 1, 1}, {0, 1, 0, 1}};
  check2("and.pred", two, [](Value a, Value b) { return a & b; });
  check2("or.pred", two, [](Value a, Value b) { return a | b; });
  check2("xor.pred", two, [](Value a, Value b) { return a ^ b; });
  check1("not.pred", {{0, 1}}, [](Value a) { return 1 - a; });
}

TEST_CASE("shl and shr shift out all bits if the amount reaches the width", "[bits]") {
  for (const auto& [name, width] : bit_types) {
    const unsigned w = width;
    check2("shl." + name, {integers(w, 1), amounts(5)},
           [w](Value a, Value n) { return n >= w ? 0 : (a << n) & ones(w); });
    for (const std::string& type : {name, "u" + name.substr(1)})
      check2("shr." + type, {integers(w, 1), amounts(5)},
             [w](Value a, Value n) { return n >= w ? 0 : a >> n; });
    check2("shr.s" + name.substr(1), {integers(w, 1), amounts(5)}, [w](Value a, Value n) {
      Value result = 0;
      for (unsigned i = 0; i < w; ++i)
        result |= Value{bit(a, static_cast<unsigned>(std::min<Value>(i + n, w - 1)))} << i;
      return result;
    });
  }
}

TEST_CASE("shifts by the same amount in all lanes", "[bits]") {
  for (Value n = 0; n < 70; ++n) {
    const Column amount(32, n);
    Column values = integers(32, 9);
    values.resize(32);
    check2("shl.b32", {values, amount}, [](Value a, Value b) { return b > 31 ? 0 : (a << b) & ones(32); });
    check2("shr.u32", {values, amount}, [](Value a, Value b) { return b > 31 ? 0 : a >> b; });
    check2("shr.s32", {values, amount}, [](Value a, Value b) {
      return static_cast<std::uint32_t>(static_cast<std::int32_t>(a) >> std::min<Value>(b, 31));
    });
  }
}

TEST_CASE("shf shifts a pair of words", "[bits]") {
  const Columns operands{integers(32, 1), integers(32, 2), amounts(3)};
  const auto left = [](Value a, Value b, Value n) { return ((b << 32 | a) << n >> 32) & ones(32); };
  const auto right = [](Value a, Value b, Value n) { return (b << 32 | a) >> n & ones(32); };
  check3("shf.l.wrap.b32", operands, [&](Value a, Value b, Value c) { return left(a, b, c & 31); });
  check3("shf.r.wrap.b32", operands, [&](Value a, Value b, Value c) { return right(a, b, c & 31); });
  check3("shf.l.clamp.b32", operands,
         [&](Value a, Value b, Value c) { return left(a, b, std::min<Value>(c, 32)); });
  check3("shf.r.clamp.b32", operands,
         [&](Value a, Value b, Value c) { return right(a, b, std::min<Value>(c, 32)); });
}

TEST_CASE("popc, clz and brev follow their definitions", "[bits]") {
  for (const unsigned w : {32u, 64u}) {
    const std::string type = w == 32 ? ".b32" : ".b64";
    check1("popc" + type, {integers(w, 1)}, [w](Value a) {
      Value count = 0;
      for (unsigned i = 0; i < w; ++i) count += bit(a, i);
      return count;
    });
    check1("clz" + type, {integers(w, 1)}, [w](Value a) {
      Value count = 0;
      while (count < w && !bit(a, static_cast<unsigned>(w - 1 - count))) ++count;
      return count;
    });
    check1("brev" + type, {integers(w, 1)}, [w](Value a) {
      Value result = 0;
      for (unsigned i = 0; i < w; ++i) result |= Value{bit(a, w - 1 - i)} << i;
      return result;
    });
  }
}

TEST_CASE("bfind finds the highest bit that differs from the sign", "[bits]") {
  for (const unsigned w : {32u, 64u})
    for (const bool is_signed : {false, true}) {
      const auto position = [=](Value a) -> Value {
        const bool sign = is_signed && bit(a, w - 1);
        for (unsigned i = w; i-- > 0;)
          if (bit(a, i) != sign) return i;
        return ones(32);
      };
      const std::string type = (is_signed ? ".s" : ".u") + std::to_string(w);
      check1("bfind" + type, {integers(w, 1)}, position);
      check1("bfind.shiftamt" + type, {integers(w, 1)},
             [=](Value a) { return position(a) == ones(32) ? ones(32) : w - 1 - position(a); });
    }
}

TEST_CASE("fns finds the n-th set bit", "[bits]") {
  // The examples of the ISA.
  CHECK(run_one("fns.b32", {0xAAAAAAAA, 3, 1}) == 3);
  CHECK(run_one("fns.b32", {0xAAAAAAAA, 3, ones(32)}) == 3);
  CHECK(run_one("fns.b32", {0xAAAAAAAA, 2, 1}) == 3);
  CHECK(run_one("fns.b32", {0xAAAAAAAA, 2, ones(32)}) == 1);
  Column masks = integers(32, 1), bases, counts;
  for (std::size_t i = 0; i < masks.size(); ++i) {
    bases.push_back(i % 32);
    counts.push_back(static_cast<std::uint32_t>(static_cast<int>(i * 11 % 67) - 33));
  }
  check3("fns.b32", {masks, bases, counts}, [](Value mask, Value base, Value offset) -> Value {
    const auto n = static_cast<std::int32_t>(offset);
    if (n == 0) return bit(mask, static_cast<unsigned>(base)) ? base : ones(32);
    int position = static_cast<int>(base), count = std::abs(n) - 1;
    for (; position >= 0 && position<32; position += n> 0 ? 1 : -1)
      if (bit(mask, static_cast<unsigned>(position)) && count-- == 0) return static_cast<Value>(position);
    return ones(32);
  });
}

TEST_CASE("bfe extracts a field, even past the highest bit", "[bits]") {
  for (const unsigned w : {32u, 64u})
    for (const bool is_signed : {false, true})
      check3("bfe." + std::string(is_signed ? "s" : "u") + std::to_string(w),
             {integers(w, 1), amounts(2), amounts(9)}, [=](Value a, Value b, Value c) {
               const unsigned position = b & 0xFF, length = c & 0xFF, msb = w - 1;
               const bool sign = is_signed && length != 0 && bit(a, std::min(position + length - 1, msb));
               Value d = 0;
               for (unsigned i = 0; i <= msb; ++i)
                 d |= Value{i < length && position + i <= msb ? bit(a, position + i) : sign} << i;
               return d;
             });
}

TEST_CASE("bfi inserts a field, even past the highest bit", "[bits]") {
  for (const unsigned w : {32u, 64u})
    check4("bfi.b" + std::to_string(w), {integers(w, 1), integers(w, 2), amounts(2), amounts(9)},
           [=](Value a, Value b, Value c, Value d) {
             const unsigned position = c & 0xFF, length = d & 0xFF;
             Value result = b;
             for (unsigned i = 0; i < length && position + i < w; ++i)
               result = (result & ~(Value{1} << (position + i))) | Value{bit(a, i)} << (position + i);
             return result;
           });
}

TEST_CASE("szext extends the low N bits", "[bits]") {
  for (const bool wrap : {false, true})
    for (const bool is_signed : {false, true})
      check2(std::string("szext.") + (wrap ? "wrap" : "clamp") + (is_signed ? ".s32" : ".u32"),
             {integers(32, 1), amounts(3)}, [=](Value a, Value b) {
               const unsigned b1 = b & 31;
               const bool too_large = b >= 32 && !wrap;
               const Value mask = too_large ? 0 : (ones(32) << b1) & ones(32);
               const bool sign = b1 != 0 && !too_large && is_signed && bit(a, b1 - 1);
               return (a & ~mask & ones(32)) | (sign ? mask : 0);
             });
}

TEST_CASE("bmsk makes a run of ones", "[bits]") {
  for (const bool wrap : {false, true})
    check2(wrap ? "bmsk.wrap.b32" : "bmsk.clamp.b32", {amounts(1), amounts(8)},
           [=](Value a, Value b) -> Value {
             const unsigned a1 = a & 31, b1 = b & 31, sum = a1 + b1;
             Value mask0 = ones(32) << a1 & ones(32), mask1 = sum < 32 ? ones(32) << sum & ones(32) : 0;
             bool overflow = sum >= 32;
             if (!wrap && a >= 32) overflow = true, mask0 = 0;
             if (!wrap && b >= 32) overflow = true;
             if (overflow)
               mask1 = 0;
             else if (b1 == 0)
               mask1 = ones(32);
             return mask0 & ~mask1;
           });
}

TEST_CASE("lop3 looks each bit up in its table", "[bits]") {
  const auto lookup = [](Value a, Value b, Value c, Value lut) {
    Value result = 0;
    for (unsigned i = 0; i < 32; ++i)
      result |= Value{bit(lut, 4u * bit(a, i) + 2u * bit(b, i) + bit(c, i))} << i;
    return result;
  };
  Column tables;
  for (Value lut = 0; lut < 1500; ++lut) tables.push_back(lut % 256);
  const Columns operands{integers(32, 1), integers(32, 2), integers(32, 3), tables};
  check4("lop3.b32", operands, lookup);

  // (d != 0) bool q, in the second destination. Sparse operands make zero results likely.
  Columns sparse{Column(64), Column(64), Column(64), Column(64), Column(64)};
  for (Value i = 0; i < 64; ++i) {
    sparse[0][i] = i % 3, sparse[1][i] = i % 5 / 2, sparse[2][i] = i % 2, sparse[3][i] = 0x80,
    sparse[4][i] = i / 2 % 2;
  }
  for (const bool conjunction : {true, false}) {
    const isa::Form form = form_of(conjunction ? "lop3.and.b32" : "lop3.or.b32");
    const Columns results = run(form, sparse);
    for (std::size_t i = 0; i < 64; ++i) {
      const Value d = sparse[0][i] & sparse[1][i] & sparse[2][i];
      CHECK(results[0][i] == d);
      CHECK(results[1][i] == (conjunction ? (d != 0) && sparse[4][i] != 0 : (d != 0) || sparse[4][i] != 0));
    }
    covers(form, 64);
  }
}

TEST_CASE("prmt selects bytes by its table of modes", "[bits]") {
  // Bytes picked for control values 0 … 3, most significant byte first; ISA table of the prmt modes.
  const std::vector<std::pair<std::string, std::vector<std::string>>> modes{
      {"f4e", {"3210", "4321", "5432", "6543"}}, {"b4e", {"5670", "6701", "7012", "0123"}},
      {"rc8", {"0000", "1111", "2222", "3333"}}, {"ecl", {"3210", "3211", "3222", "3333"}},
      {"ecr", {"0000", "1110", "2210", "3210"}}, {"rc16", {"1010", "3232", "1010", "3232"}}};
  const Columns operands{integers(32, 1), integers(32, 2), integers(32, 3)};
  for (const auto& [mode, table] : modes)
    check3("prmt.b32." + mode, operands, [&table = table](Value a, Value b, Value c) {
      Value result = 0;
      for (const char digit : table[c & 3])
        result = result << 8 | ((b << 32 | a) >> 8 * (digit - '0') & 0xFF);
      return result;
    });
  check3("prmt.b32", operands, [](Value a, Value b, Value c) {
    Value result = 0;
    for (unsigned i = 4; i-- > 0;) {
      const Value select = c >> 4 * i & 0xF, byte = (b << 32 | a) >> 8 * (select & 7) & 0xFF;
      result = result << 8 | ((select & 8) == 0 ? byte : (byte & 0x80) != 0 ? 0xFF : 0);
    }
    return result;
  });
}

TEST_CASE("mov copies every type", "[mov]") {
  for (const std::string type : {"b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64"})
    check1("mov." + type, {integers(static_cast<unsigned>(std::stoul(type.substr(1))), 1)},
           [](Value a) { return a; });
  check1("mov.pred", {{0, 1, 1, 0}}, [](Value a) { return a; });
  CHECK_FALSE(exists("mov.f16"));
}

TEST_CASE("mov packs the first part into the lowest bits and unpacks it again", "[mov]") {
  struct Case {
    std::string type;
    unsigned parts, part_bits;
  };
  for (const auto& [type, parts, part_bits] :
       {Case{"b16", 2, 8}, Case{"b32", 2, 16}, Case{"b32", 4, 8}, Case{"b64", 2, 32}, Case{"b64", 4, 16}}) {
    Columns sources;
    for (unsigned part = 0; part < parts; ++part) sources.push_back(integers(part_bits, part + 1));
    const auto pack = packing_form_of(isa::Packing::pack, parts, "mov." + type);
    check(pack, "pack " + type, sources, [&, bits = part_bits](const Column& x) {
      Value whole = 0;
      for (std::size_t part = x.size(); part-- > 0;) whole = whole << bits | x[part];
      return whole;
    });
    const isa::Form unpack = packing_form_of(isa::Packing::unpack, parts, "mov." + type);
    CHECK(run(unpack, run(pack, sources)) == sources);
    covers(unpack, sources.front().size());
  }
}

TEST_CASE("mov packs and unpacks 128 bits", "[mov]") {
  const isa::Form pack = packing_form_of(isa::Packing::pack, 2, "mov.b128");
  const isa::Form unpack = packing_form_of(isa::Packing::unpack, 4, "mov.b128");
  const isa::Form copy = form_of("mov.b128");
  std::vector<std::byte> frame(64 + 512 * 8);
  const auto row = [](unsigned k) { return 64 + 512 * k; };
  for (unsigned lane = 0; lane < 32; ++lane) {
    isa::row<Value>(frame.data(), row(0))[lane] = 0x0123456789ABCDEF + lane;
    isa::row<Value>(frame.data(), row(1))[lane] = 0xFEDCBA9876543210 - lane;
  }
  const auto execute = [&](const isa::Form& form, std::array<std::uint32_t, 6> operands) {
    isa::Instruction instruction;
    instruction.form = &form;
    instruction.operand = operands;
    form.compute(frame.data(), instruction, all_lanes);
  };
  constexpr auto none = isa::no_operand;
  execute(pack, {row(2), row(0), row(1), none, none, none});
  execute(copy, {row(3), row(2), none, none, none, none});
  execute(unpack, {row(4), none, row(5), row(6), row(3), none});  // the second part is discarded
  for (unsigned lane = 0; lane < 32; ++lane) {
    CHECK(isa::row<std::uint32_t>(frame.data(), row(4))[lane] == 0x89ABCDEF + lane);
    CHECK(isa::row<std::uint32_t>(frame.data(), row(5))[lane] == 0x76543210 - lane);
    CHECK(isa::row<std::uint32_t>(frame.data(), row(6))[lane] == 0xFEDCBA98);
  }
  for (const isa::Form& form : {pack, unpack, copy}) covers(form, 32);
}

TEST_CASE("cvta converts between generic addresses, which are windows, and state spaces in both directions",
          "[address]") {
  const Column offsets{0, 4, 0x1234, 0xFFFFFF};
  const std::vector<std::pair<std::string, Value>> spaces{{"shared", isa::shared_window},
                                                          {"local", isa::local_window},
                                                          {"const", isa::constant_window},
                                                          {"param", isa::param_window},
                                                          {"global", 0},
                                                          {"shared::cta", isa::shared_window},
                                                          {"shared::cluster", isa::shared_window}};
  for (const auto& [space, window] : spaces) {
    check1("cvta." + space + ".u64", {offsets}, [w = window](Value a) { return a + w; });
    Column generic;
    for (const Value offset : offsets) generic.push_back(offset + window);
    check1("cvta.to." + space + ".u64", {generic}, [w = window](Value a) { return a - w; });
  }
}

TEST_CASE("isspacep distinguishes the windows", "[address]") {
  const Column addresses{
      0x7F0000001000,        isa::shared_window + 16, isa::shared_window + (Value{3} << 24) + 16,
      isa::local_window + 8, isa::constant_window,    isa::param_window + 4};
  const auto answers = [&](const std::string& space) {
    covers(form_of("isspacep." + space), addresses.size());
    return run("isspacep." + space, {addresses}).front();
  };
  const auto answers_at = [&](const std::string& space, Value rank) {
    covers("isspacep_own");
    return run("isspacep." + space, {addresses, Column(addresses.size(), rank)}).front();
  };
  CHECK(answers("global") == Column{1, 0, 0, 0, 0, 0});
  CHECK(answers_at("shared", 0) == Column{0, 1, 0, 0, 0, 0});
  CHECK(answers_at("shared", 2) == Column{0, 1, 1, 0, 0, 0});
  CHECK(answers_at("shared::cta", 3) == Column{0, 1, 0, 0, 0, 0});
  CHECK(answers("shared::cluster") == Column{0, 1, 1, 0, 0, 0});
  CHECK(answers("local") == Column{0, 0, 0, 1, 0, 0});
  CHECK(answers("const") == Column{0, 0, 0, 0, 1, 0});
  CHECK(answers("param") == Column{0, 0, 0, 0, 0, 1});
}

TEST_CASE("mapa maps an address to another block's shared memory", "[address]") {
  check2("mapa.shared::cluster.u32", {{0x10, 0x020010, 0x05000020}, {0, 3, 1}},
         [](Value a, Value rank) { return (a & 0xFFFFFF) + ((rank + 1) << 24); });
  check2("mapa.u64", {{isa::shared_window + 0x10, isa::shared_window + (Value{2} << 24) + 0x10}, {7, 0}},
         [](Value a, Value rank) { return isa::shared_window + (a & 0xFFFFFF) + ((rank + 1) << 24); });
}

}  // namespace
}  // namespace foldproof::tests
