#include "devices/emulated/isa/matrix.h"

#include <algorithm>
#include <array>
#include <limits>

#include "devices/emulated/isa/dispatch.h"
#include "devices/emulated/isa/double.h"
#include "devices/emulated/isa/exact.h"
#include "devices/emulated/isa/lanes.h"
#include "devices/emulated/isa/select.h"

namespace foldproof::isa::matrix {
namespace {

struct Extent {
  unsigned m = 0, n = 8, k = 0;
};

/// "m16n8k32"
Extent extent(const Form& form) {
  for (const auto word : form.words) {
    if (!word.starts_with('m') || word.find('n') == word.npos) continue;
    const auto k = word.substr(word.find('k') + 1);
    Extent result{.m = word.starts_with("m16") ? 16u : 8u};
    for (const char digit : k) result.k = result.k * 10 + static_cast<unsigned>(digit - '0');
    return result;
  }
  return {};
}

/// The types of B and C are the last two words of the form.
Type type_b(const Form& form) { return type_named(form.words[form.words.size() - 2]).value(); }
Type type_c(const Form& form) { return type_named(form.words.back()).value(); }

unsigned register_bits(Type type) { return type == Type::f64 ? 64 : 32; }

}  // namespace

Fragment fragment(const Form& form, char operand) {
  const Extent size = extent(form);
  const Type type = operand == 'a'   ? form.type2
                    : operand == 'b' ? type_b(form)
                    : operand == 'c' ? type_c(form)
                                     : form.type;
  const unsigned elements = operand == 'a'   ? size.m * size.k
                            : operand == 'b' ? size.k * size.n
                                             : size.m * size.n;
  const unsigned bits = elements / warp_size * bits_of(type);
  return {type == Type::f64 ? Type::f64 : Type::b32, static_cast<std::uint8_t>(bits / register_bits(type))};
}

namespace {

/// The valid combinations of a shape and types: A and B, then D and C.
struct Shape {
  std::string_view shape;
  Type a;
  Type d;
};

using enum Type;
constexpr Shape shapes[] = {
    {"m16n8k8", f16, f32},   {"m16n8k8", f16, f16},   {"m16n8k16", f16, f32},  {"m16n8k16", f16, f16},
    {"m16n8k8", bf16, f32},  {"m16n8k16", bf16, f32}, {"m16n8k4", tf32, f32},  {"m16n8k8", tf32, f32},
    {"m16n8k32", e4m3, f32}, {"m16n8k32", e5m2, f32}, {"m16n8k16", e4m3, f32}, {"m16n8k16", e5m2, f32},
    {"m16n8k32", e4m3, f16}, {"m16n8k32", e5m2, f16}, {"m16n8k16", e4m3, f16}, {"m16n8k16", e5m2, f16},
    {"m8n8k16", s8, s32},    {"m8n8k16", u8, s32},    {"m16n8k16", s8, s32},   {"m16n8k16", u8, s32},
    {"m16n8k32", s8, s32},   {"m16n8k32", u8, s32},   {"m8n8k4", f64, f64},    {"m16n8k4", f64, f64},
    {"m16n8k8", f64, f64},   {"m16n8k16", f64, f64},
};

/// Types of one row of the table may be mixed: u8 with s8, e4m3 with e5m2.
bool same_family(Type a, Type b) {
  const auto one_of = [](Type type, Type first, Type second) { return type == first || type == second; };
  return a == b || (one_of(a, u8, s8) && one_of(b, u8, s8)) ||
         (one_of(a, e4m3, e5m2) && one_of(b, e4m3, e5m2));
}

bool exists(const Form& form) {
  if (type_c(form) != form.type || !same_family(form.type2, type_b(form))) return false;
  if (form.satfinite && form.type != s32) return false;
  for (const Shape& shape : shapes)
    if (form.has(shape.shape) && shape.a == form.type2 && shape.d == form.type) return true;
  return false;
}

/// An element's value; a double represents every type except s64 sums.
double element(Type type, std::uint64_t bits) {
  switch (type) {
    case f16: return to_float(Half{static_cast<std::uint16_t>(bits)});
    case bf16: return to_float(Bfloat{static_cast<std::uint16_t>(bits)});
    case tf32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits) & 0xFFFFE000u);
    case f32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case f64: return std::bit_cast<double>(bits);
    case s8: return static_cast<std::int8_t>(bits);
    case u8: return static_cast<std::uint8_t>(bits);
    case s32: return static_cast<std::int32_t>(bits);
    case e4m3:
    case e5m2: {
      const auto& format = type == e4m3 ? exact::e4m3 : exact::e5m2;
      return std::bit_cast<double>(
          exact::encode(exact::f64, exact::decode(format, bits & 0xFF), Rounding::rn));
    }
    default: return 0;
  }
}

/// Element `index` of a lane's registers, which start at rows[0].
std::uint64_t read_element(const std::byte* frame, const std::uint32_t* rows, unsigned lane, unsigned index,
                           Type type) {
  const unsigned bits = bits_of(type), bytes = register_bits(type) / 8, per_register = 8 * bytes / bits;
  std::uint64_t value = 0;
  const std::byte* column = frame + rows[index / per_register] + lane * bytes;
  std::copy_n(column + index % per_register * bits / 8, bits / 8, reinterpret_cast<std::byte*>(&value));
  return value;
}
void write_element(std::byte* frame, const std::uint32_t* rows, unsigned lane, unsigned index, Type type,
                   std::uint64_t value) {
  const unsigned bits = bits_of(type), bytes = register_bits(type) / 8, per_register = 8 * bytes / bits;
  std::byte* column = frame + rows[index / per_register] + lane * bytes;
  std::copy_n(reinterpret_cast<const std::byte*>(&value), bits / 8, column + index % per_register * bits / 8);
}

/// A sum of products in the accumulator's type. Products are exact. Sums start with C and add one product
/// after another by ascending k, each rounded to nearest in f32 (or f64; integers are not rounded); f16
/// results are rounded at the end. The order and width used by hardware are not documented.
struct FloatSum {
  float value;
  void add(double a, double b) {
    value = f32::round<Rounding::rn>(f32::add_to_odd(a * b, static_cast<double>(value)));
  }
};
struct DoubleSum {
  double value;
  void add(double a, double b) { value = f64::fma<Rounding::rn>(a, b, value); }
};
/// Integers below 2^53, which double represents exactly.
struct IntegerSum {
  double value;
  void add(double a, double b) { value += a * b; }
};

std::uint64_t finish(const Form& form, const FloatSum& sum) {
  const float value = canonical(sum.value);
  return form.type == f16 ? narrow<Half>(value).bits : isa::bits_of(value);
}
std::uint64_t finish(const Form&, const DoubleSum& sum) { return isa::bits_of(sum.value); }
std::uint64_t finish(const Form& form, const IntegerSum& sum) {
  const auto whole = static_cast<std::int64_t>(sum.value);
  if (!form.satfinite) return static_cast<std::uint32_t>(whole);
  constexpr std::int64_t low = std::numeric_limits<std::int32_t>::min(),
                         high = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::uint32_t>(std::clamp(whole, low, high));
}

constexpr unsigned largest_k = 32;
using MatrixA = std::array<std::array<double, largest_k>, 16>;
using MatrixB = std::array<std::array<double, 8>, largest_k>;

/// Reads `count` elements of every lane from its registers into place(lane, index).
template <class Place>
void gather(const std::byte* frame, const std::uint32_t* rows, Type type, unsigned count, Place place) {
  for (unsigned lane = 0; lane < warp_size; ++lane)
    for (unsigned i = 0; i < count; ++i)
      place(lane, i) = element(type, read_element(frame, rows, lane, i, type));
}

MatrixA gather_a(const std::byte* frame, const std::uint32_t* rows, const Form& form, const Extent& size) {
  MatrixA a{};
  const unsigned e = register_bits(form.type2) / bits_of(form.type2);
  gather(frame, rows, form.type2, size.m * size.k / warp_size, [&](unsigned lane, unsigned i) -> double& {
    const unsigned r = size.m == 8 ? 2 * (i / e) : i / e;
    return a[lane / 4 + 8 * (r % 2)][lane % 4 * e + 4 * e * (r / 2) + i % e];
  });
  return a;
}

MatrixB gather_b(const std::byte* frame, const std::uint32_t* rows, const Form& form, const Extent& size) {
  MatrixB b{};
  const Type type = type_b(form);
  const unsigned e = register_bits(type) / bits_of(type);
  gather(frame, rows, type, size.n * size.k / warp_size, [&](unsigned lane, unsigned i) -> double& {
    return b[lane % 4 * e + 4 * e * (i / e) + i % e][lane / 4];
  });
  return b;
}

constexpr unsigned largest_count = 4;  // elements of C in one lane
using Accumulators = std::array<std::array<double, largest_count>, warp_size>;

/// A, B and C are read completely before D is written, since D may share their registers.
template <class Sum>
void run_mma(std::byte* frame, const Instruction& instruction, LaneMask lanes) {
  const Form& form = *instruction.form;
  const Extent size = extent(form);
  const std::uint32_t* d = rows_of(instruction);
  const std::uint32_t* a = d + fragment(form, 'd').registers;
  const std::uint32_t* b = a + fragment(form, 'a').registers;
  const std::uint32_t* c = b + fragment(form, 'b').registers;
  const unsigned count = size.m * size.n / warp_size;
  const MatrixA left = gather_a(frame, a, form, size);
  const MatrixB right = gather_b(frame, b, form, size);
  Accumulators start{};
  gather(frame, c, form.type, count, [&](unsigned lane, unsigned j) -> double& { return start[lane][j]; });
  for_lanes(lanes, [&](unsigned lane) {
    for (unsigned j = 0; j < count; ++j) {
      const unsigned row = lane / 4 + 8 * (j / 2), column = 2 * (lane % 4) + j % 2;
      Sum sum{static_cast<decltype(Sum::value)>(start[lane][j])};
      for (unsigned k = 0; k < size.k; ++k) sum.add(left[row][k], right[k][column]);
      write_element(frame, d, lane, j, form.type, finish(form, sum));
    }
  });
}

/// Transposes the 8 × 8 matrix of b16 whose row i is in lanes 4i … 4i+3, two elements per lane.
void run_transpose(std::byte* frame, const Instruction& instruction, LaneMask lanes) {
  const auto* source = row<std::uint16_t>(frame, rows_of(instruction)[1]);
  std::uint16_t value[2 * warp_size];
  for (unsigned i = 0; i < 64; ++i) value[i] = source[i % 8 * 8 + i / 8];
  auto* destination = row<std::uint16_t>(frame, rows_of(instruction)[0]);
  for (unsigned i = 0; i < 64; ++i)
    if ((lanes >> (i / 2) & 1) != 0) destination[i] = value[i];
}

}  // namespace
}  // namespace foldproof::isa::matrix

namespace foldproof::isa::select {

bool mma(Form& form) {
  if (!matrix::exists(form)) return false;
  switch (form.type) {
    case Type::s32: return computed(form, &matrix::run_mma<matrix::IntegerSum>);
    case Type::f64: return computed(form, &matrix::run_mma<matrix::DoubleSum>);
    default: return computed(form, &matrix::run_mma<matrix::FloatSum>);
  }
}

bool movmatrix(Form& form) { return computed(form, &matrix::run_transpose); }

/// ldmatrix, stmatrix: .x1 .x2 .x4 is the number of matrices; they must be in shared memory.
bool matrices(Form& form) { return form.space == StateSpace::none || form.space == StateSpace::shared_cta; }

}  // namespace foldproof::isa::select
