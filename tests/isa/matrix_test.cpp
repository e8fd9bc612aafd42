// mma.sync and movmatrix, ISA 9.7.14: whole matrices are distributed over the lanes by the ISA's formulas,
// multiplied, gathered, and compared with a plain product. The formulas are those of the ISA's text for each
// shape, written out per register, instead of the general rule that the implementation uses.
#include <random>

#include "catch.h"
#include "oracle.h"
#include "row_coverage.h"
#include "run.h"

namespace foldproof::tests {
namespace matrix {

/// The row and column of element i of a lane's fragment.
struct Place {
  unsigned row, column;
};
using Layout = Place (*)(unsigned lane, unsigned i);

// g = groupID = lane >> 2, t = threadID_in_group = lane % 4.
Place c_16x8(unsigned lane, unsigned i) { return {(lane >> 2) + (i < 2 ? 0 : 8), (lane % 4) * 2 + (i & 1)}; }
Place c_8x8(unsigned lane, unsigned i) { return {lane >> 2, (lane % 4) * 2 + (i & 1)}; }

// f16, bf16: m16n8k8 and m16n8k16.
Place a_half_k8(unsigned lane, unsigned i) {
  return {(lane >> 2) + (i < 2 ? 0 : 8), (lane % 4) * 2 + (i & 1)};
}
Place b_half_k8(unsigned lane, unsigned i) { return {(lane % 4) * 2 + i, lane >> 2}; }
Place a_half_k16(unsigned lane, unsigned i) {
  const bool low_row = i < 2 || (i >= 4 && i < 6);
  return {(lane >> 2) + (low_row ? 0 : 8), (lane % 4) * 2 + (i & 1) + (i < 4 ? 0 : 8)};
}
Place b_half_k16(unsigned lane, unsigned i) {
  return {(lane % 4) * 2 + (i & 1) + (i < 2 ? 0 : 8), lane >> 2};
}

// tf32: m16n8k4 and m16n8k8.
Place a_tf32_k4(unsigned lane, unsigned i) { return {(lane >> 2) + (i == 0 ? 0 : 8), lane % 4}; }
Place b_tf32_k4(unsigned lane, unsigned) { return {lane % 4, lane >> 2}; }
Place a_tf32_k8(unsigned lane, unsigned i) {
  return {(lane >> 2) + (i == 0 || i == 2 ? 0 : 8), (lane % 4) + (i < 2 ? 0 : 4)};
}
Place b_tf32_k8(unsigned lane, unsigned i) { return {(lane % 4) + (i == 0 ? 0 : 4), lane >> 2}; }

// 8-bit types: m8n8k16, m16n8k16 and m16n8k32.
Place a_byte_m8k16(unsigned lane, unsigned i) { return {lane >> 2, (lane % 4) * 4 + i}; }
Place b_byte_k16(unsigned lane, unsigned i) { return {(lane % 4) * 4 + i, lane >> 2}; }
Place a_byte_k16(unsigned lane, unsigned i) {
  return {(lane >> 2) + (i < 4 ? 0 : 8), (lane % 4) * 4 + (i & 3)};
}
Place a_byte_k32(unsigned lane, unsigned i) {
  const bool low_row = i < 4 || (i >= 8 && i < 12);
  return {(lane >> 2) + (low_row ? 0 : 8), (lane % 4) * 4 + (i & 3) + (i < 8 ? 0 : 16)};
}
Place b_byte_k32(unsigned lane, unsigned i) {
  return {(lane % 4) * 4 + (i & 3) + (i < 4 ? 0 : 16), lane >> 2};
}

// f64: m8n8k4, m16n8k4, m16n8k8, m16n8k16.
Place a_f64_m8k4(unsigned lane, unsigned) { return {lane >> 2, lane % 4}; }
Place b_f64_k4(unsigned lane, unsigned) { return {lane % 4, lane >> 2}; }
Place a_f64_k4(unsigned lane, unsigned i) { return {(lane >> 2) + (i == 0 ? 0 : 8), lane % 4}; }
Place a_f64_k8(unsigned lane, unsigned i) {
  return {(lane >> 2) + (i % 2 == 0 ? 0 : 8), lane % 4 + (i < 2 ? 0 : 4)};
}
Place b_f64_k8(unsigned lane, unsigned i) { return {lane % 4 + i * 4, lane >> 2}; }
Place a_f64_k16(unsigned lane, unsigned i) {
  return {(lane >> 2) + (i % 2 == 0 ? 0 : 8), (i % 2 == 0 ? i * 2 : i * 2 - 2) + lane % 4};
}
Place b_f64_k16(unsigned lane, unsigned i) { return {i * 4 + lane % 4, lane >> 2}; }

const Format e4m3{4, 3, 0x7F}, e5m2{5, 2, 0x7F};

/// How an element type is stored in registers and what its bits mean.
struct Element {
  std::string name;
  unsigned bits, register_bits;
  const Format* format;  ///< null: integer
  bool is_signed = true;

  Rational value(Value x) const {
    if (name == "tf32") return value_of(f32_format, x & 0xFFFFE000);
    if (name == "e4m3") {  // the codes that IEEE 754 would make infinities are numbers
      const int sign = (x & 0x80) != 0 ? -1 : 1, field = static_cast<int>(x >> 3 & 0xF);
      const Rational scale = field == 0 ? Rational(1, 512) : Rational(mp_power(field)) / 1024;
      return Rational(sign) * Rational(static_cast<int>(x & 7) + (field == 0 ? 0 : 8)) * scale;
    }
    if (format) return value_of(*format, x);
    const bool negative = is_signed && (x >> (bits - 1)) != 0;
    return negative ? Rational(static_cast<std::int64_t>(x) - (std::int64_t{1} << bits)) : Rational(x);
  }
  static boost::multiprecision::cpp_int mp_power(int n) { return boost::multiprecision::cpp_int(1) << n; }
};

const Element f16{"f16", 16, 32, &f16_format}, bf16{"bf16", 16, 32, &bf16_format},
    tf32{"tf32", 32, 32, &f32_format}, s8{"s8", 8, 32, nullptr}, u8{"u8", 8, 32, nullptr, false},
    f8a{"e4m3", 8, 32, &e4m3}, f8b{"e5m2", 8, 32, &e5m2}, f64{"f64", 64, 64, &f64_format},
    f32{"f32", 32, 32, &f32_format}, s32{"s32", 32, 32, nullptr};

struct Shape {
  std::string name;
  unsigned m, k;
  Layout a, b, c;
};

const Shape half_k8{"m16n8k8", 16, 8, a_half_k8, b_half_k8, c_16x8},
    half_k16{"m16n8k16", 16, 16, a_half_k16, b_half_k16, c_16x8},
    tf32_k4{"m16n8k4", 16, 4, a_tf32_k4, b_tf32_k4, c_16x8},
    tf32_k8{"m16n8k8", 16, 8, a_tf32_k8, b_tf32_k8, c_16x8},
    byte_m8k16{"m8n8k16", 8, 16, a_byte_m8k16, b_byte_k16, c_8x8},
    byte_k16{"m16n8k16", 16, 16, a_byte_k16, b_byte_k16, c_16x8},
    byte_k32{"m16n8k32", 16, 32, a_byte_k32, b_byte_k32, c_16x8},
    f64_m8k4{"m8n8k4", 8, 4, a_f64_m8k4, b_f64_k4, c_8x8},
    f64_k4{"m16n8k4", 16, 4, a_f64_k4, b_f64_k4, c_16x8},
    f64_k8{"m16n8k8", 16, 8, a_f64_k8, b_f64_k8, c_16x8},
    f64_k16{"m16n8k16", 16, 16, a_f64_k16, b_f64_k16, c_16x8};

using Matrix = std::vector<std::vector<Value>>;

Matrix random_matrix(unsigned rows, unsigned columns, const Element& type, std::mt19937_64& random) {
  Matrix matrix(rows, std::vector<Value>(columns));
  for (auto& row : matrix)
    for (Value& x : row) {
      x = random();
      if (!type.format) {
        x &= type.bits == 64 ? ~Value{0} : (Value{1} << type.bits) - 1;
        continue;
      }
      // Magnitudes of 2^-3 … 2^4 with random fractions and signs.
      const Format& f = *type.format;
      const Value exponent = static_cast<Value>(f.bias()) - 3 + (x >> 60) % 8;
      x = (x & (f.sign() | ((Value{1} << f.fraction_bits) - 1))) | exponent << f.fraction_bits;
    }
  return matrix;
}

/// Distributes a matrix over the lanes: one column of 32 values for each register.
void spread(Columns& registers, const Matrix& matrix, const Element& type, Layout layout) {
  const unsigned per_register = type.register_bits / type.bits;
  const auto elements = static_cast<unsigned>(matrix.size() * matrix[0].size()) / 32;
  for (unsigned r = 0; r < elements / per_register; ++r) {
    Column column(32);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < per_register; ++i) {
        const auto [row, col] = layout(lane, r * per_register + i);
        column[lane] |= matrix[row][col] << i * type.bits;
      }
    registers.push_back(column);
  }
}

Value element_of(const Columns& registers, const Element& type, unsigned lane, unsigned i) {
  const unsigned per_register = type.register_bits / type.bits;
  const Value mask = type.bits == 64 ? ~Value{0} : (Value{1} << type.bits) - 1;
  return registers[i / per_register][lane] >> i % per_register * type.bits & mask;
}

/// C + A·B for one element: exact products, sums rounded one after another; in f32 if the result is f16.
Value expected(const Element& a, const Element& b, const Element& c, const Matrix& left, const Matrix& right,
               unsigned row, unsigned column, Value start, bool satfinite) {
  const unsigned k = static_cast<unsigned>(right.size());
  if (!c.format) {
    Rational total = c.value(start);
    for (unsigned i = 0; i < k; ++i) total += a.value(left[row][i]) * b.value(right[i][column]);
    const auto whole = static_cast<std::int64_t>(boost::multiprecision::numerator(total));
    const std::int64_t clamped = std::min<std::int64_t>(std::max<std::int64_t>(whole, INT32_MIN), INT32_MAX);
    return static_cast<std::uint32_t>(satfinite ? clamped : whole);
  }
  const Format& f = c.bits == 16 ? f32_format : *c.format;
  Value total = c.bits == 16 ? reformat(f16_format, f32_format, start, Mode::zero) : start;
  for (unsigned i = 0; i < k; ++i)
    total =
        round(f, value_of(f, total) + a.value(left[row][i]) * b.value(right[i][column]), Mode::nearest_even);
  return c.bits == 16 ? reformat(f32_format, f16_format, total, Mode::nearest_even) : total;
}

void check_mma(const Shape& shape, const Element& a, const Element& b, const Element& c,
               bool satfinite = false) {
  const std::string text = "mma.sync.aligned." + shape.name + ".row.col" + (satfinite ? ".satfinite." : ".") +
                           c.name + "." + a.name + "." + b.name + "." + c.name;
  INFO(text);
  const isa::Form form = form_of(text);
  std::mt19937_64 random(42);
  for (int repeat = 0; repeat < 3; ++repeat) {
    const Matrix left = random_matrix(shape.m, shape.k, a, random),
                 right = random_matrix(shape.k, 8, b, random);
    const Matrix start = random_matrix(shape.m, 8, c, random);
    Columns registers;
    spread(registers, left, a, shape.a);
    spread(registers, right, b, shape.b);
    spread(registers, start, c, shape.c);
    const Columns result = run(form, registers);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < shape.m * 8 / 32; ++i) {
        const auto [row, column] = shape.c(lane, i);
        REQUIRE(element_of(result, c, lane, i) ==
                expected(a, b, c, left, right, row, column, start[row][column], satfinite));
      }
    covers(form, isa::warp_size);
  }
}

TEST_CASE("mma multiplies f16 into f32 and f16", "[matrix]") {
  for (const Shape* shape : {&half_k8, &half_k16}) {
    check_mma(*shape, f16, f16, f32);
    check_mma(*shape, f16, f16, f16);
  }
}

TEST_CASE("mma multiplies bf16 and tf32 into f32", "[matrix]") {
  check_mma(half_k8, bf16, bf16, f32);
  check_mma(half_k16, bf16, bf16, f32);
  check_mma(tf32_k4, tf32, tf32, f32);
  check_mma(tf32_k8, tf32, tf32, f32);
}

TEST_CASE("mma multiplies bytes into s32, wrapping or clamped", "[matrix]") {
  for (const Shape* shape : {&byte_m8k16, &byte_k16, &byte_k32})
    for (const Element* a : {&u8, &s8})
      for (const Element* b : {&u8, &s8})
        for (const bool satfinite : {false, true}) check_mma(*shape, *a, *b, s32, satfinite);
}

TEST_CASE("mma multiplies fp8 into f32 and f16", "[matrix]") {
  for (const Shape* shape : {&byte_k16, &byte_k32})
    for (const Element* a : {&f8a, &f8b})
      for (const Element* b : {&f8a, &f8b}) {
        check_mma(*shape, *a, *b, f32);
        check_mma(*shape, *a, *b, f16);
      }
}

TEST_CASE("mma multiplies f64", "[matrix]") {
  for (const Shape* shape : {&f64_m8k4, &f64_k4, &f64_k8, &f64_k16}) check_mma(*shape, f64, f64, f64);
}

TEST_CASE("combinations of shapes and types that do not exist are refused", "[matrix]") {
  for (const std::string text : {"mma.sync.aligned.m16n8k8.row.col.f32.f16.bf16.f32",
                                 "mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32",
                                 "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16",
                                 "mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32",
                                 "mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32",
                                 "mma.sync.m16n8k16.row.col.f32.f16.f16.f32"})
    CHECK_FALSE(exists(text));
}

TEST_CASE("movmatrix transposes an 8 x 8 matrix", "[matrix]") {
  // Row i is in lanes 4i … 4i+3, two elements each.
  Column registers(32);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 2; ++i) registers[lane] |= Value{(lane / 4) * 16 + (lane % 4) * 2 + i} << 16 * i;
  const isa::Form form = form_of("movmatrix.sync.aligned.m8n8.trans.b16");
  const Column result = run(form, {registers}).front();
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 2; ++i) {
      const unsigned row = lane / 4, column = (lane % 4) * 2 + i;
      CHECK((result[lane] >> 16 * i & 0xFFFF) == column * 16 + row);
    }
  covers(form, isa::warp_size);
}

}  // namespace matrix
}  // namespace foldproof::tests
