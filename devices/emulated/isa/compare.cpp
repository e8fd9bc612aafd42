#include "devices/emulated/isa/compare.h"

#include <array>
#include <utility>

#include "devices/emulated/isa/dispatch.h"
#include "devices/emulated/isa/lanes.h"
#include "devices/emulated/isa/select.h"

namespace foldproof::isa::select {
namespace {

using enum Type;

template <bool ftz, class T>
auto read(T x) {
  if constexpr (std::is_integral_v<T> || std::is_same_v<T, double>) {
    return x;
  } else if constexpr (std::is_same_v<T, Bfloat>) {
    return to_float(x);
  } else {
    return to_float(ftz ? flush(x) : x);
  }
}

/// A basic comparison on one type, or on the halves of a packed type.
template <Compare basic, bool ftz, class T>
struct Test {
  static bool scalar(T a, T b) { return compares<basic>(read<ftz>(a), read<ftz>(b)); }
  static bool low(Pair<T> a, Pair<T> b) { return scalar(a.low, b.low); }
  static bool high(Pair<T> a, Pair<T> b) { return scalar(a.high, b.high); }

  static LaneMask lanes(std::byte* frame, std::uint32_t a, std::uint32_t b) {
    return lanes::where<&scalar, T, T>({frame, a}, {frame, b});
  }
  /// The same for rare instructions: each copy of the loop takes a tenth of a second to compile.
  [[gnu::noinline]] static LaneMask shared_lanes(std::byte* frame, std::uint32_t a, std::uint32_t b) {
    return lanes(frame, a, b);
  }
  [[gnu::noinline]] static std::pair<LaneMask, LaneMask> halves(std::byte* frame, std::uint32_t a,
                                                                std::uint32_t b) {
    using Packed = Pair<T>;
    return {lanes::where<&low, Packed, Packed>({frame, a}, {frame, b}),
            lanes::where<&high, Packed, Packed>({frame, a}, {frame, b})};
  }
};

/// by_basic() as a table: each execution of an instruction reads it.
constexpr auto basics = [] {
  std::array<ByBasic, static_cast<std::size_t>(Compare::nan) + 1> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = by_basic(static_cast<Compare>(i));
  return all;
}();
const ByBasic& basic_of(const Form& form) { return basics[static_cast<std::size_t>(form.compare)]; }

/// The form's comparison of two registers: `test` computes the basic one.
template <class Test>
auto compared(const Form& form, std::byte* frame, std::uint32_t a, std::uint32_t b, Test test) {
  const bool exchanged = basic_of(form).exchanged;
  return test(frame, exchanged ? b : a, exchanged ? a : b);
}
LaneMask finished(const Form& form, LaneMask test) { return basic_of(form).negated ? ~test : test; }

/// The result of a comparison combined with the predicate operand, if the form has one.
LaneMask join(std::byte* frame, const Form& form, LaneMask test, std::uint32_t predicate) {
  switch (form.boolean) {
    case Boolean::none: return test;
    case Boolean::and_: return test & mask(frame, predicate);
    case Boolean::or_: return test | mask(frame, predicate);
    case Boolean::xor_: return test ^ mask(frame, predicate);
  }
  return test;
}

void assign_predicate(std::byte* frame, std::uint32_t offset, LaneMask value, LaneMask lanes) {
  if (offset != no_operand) lanes::assign(frame, offset, value, lanes);
}

/// setp d|e, a, b, c: e is computed from the complement of the comparison.
template <class T>
void run_setp(std::byte* frame, const Instruction& instruction, LaneMask lanes) {
  const auto& [d, e, a, b, c, unused] = instruction.operand;
  const Form& form = *instruction.form;
  const LaneMask test = finished(form, compared(form, frame, a, b, T::shared_lanes));
  const LaneMask positive = join(frame, form, test, c), negative = join(frame, form, ~test, c);
  assign_predicate(frame, d, positive, lanes);
  assign_predicate(frame, e, negative, lanes);
}

/// setp d, a, b, c.
template <class T>
void run_setp_half(std::byte* frame, const Instruction& instruction, LaneMask lanes) {
  const auto& [d, a, b, c, unused, unused2] = instruction.operand;
  const Form& form = *instruction.form;
  const LaneMask test = finished(form, compared(form, frame, a, b, T::lanes));
  assign_predicate(frame, d, join(frame, form, test, c), lanes);
}

/// Packed types: d receives the comparison of the low halves, e that of the high halves.
template <class T>
void run_setp_pair(std::byte* frame, const Instruction& instruction, LaneMask lanes) {
  const auto& [d, e, a, b, c, unused] = instruction.operand;
  const Form& form = *instruction.form;
  const auto [low, high] = compared(form, frame, a, b, T::halves);
  const LaneMask of_low = join(frame, form, finished(form, low), c),
                 of_high = join(frame, form, finished(form, high), c);
  assign_predicate(frame, d, of_low, lanes);
  assign_predicate(frame, e, of_high, lanes);
}

/// The value that `set` writes for true: 1.0 of a float type, all ones of an integer type.
std::uint32_t truth(Type type) {
  switch (type) {
    case f32: return 0x3F800000;
    case f16: return 0x3C00;
    case bf16: return 0x3F80;
    case f16x2: return 0x3C003C00;
    case bf16x2: return 0x3F803F80;
    default: return 0xFFFFFFFF;
  }
}

template <class D>
void write_truth(std::byte* frame, std::uint32_t offset, LaneMask low, LaneMask high, std::uint32_t yes,
                 LaneMask lanes) {
  D value[warp_size];
  const std::uint32_t high_part = sizeof(D) == 4 ? yes & 0xFFFF0000u : 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const LaneMask bit = lanes::lane_bit[lane];
    value[lane] =
        static_cast<D>(((low & bit) != 0 ? yes & 0xFFFFu : 0u) | ((high & bit) != 0 ? high_part : 0u));
  }
  lanes::blend(row<D>(frame, offset), value, lanes);
}

void write_truth(std::byte* frame, const Instruction& instruction, LaneMask low, LaneMask high,
                 LaneMask lanes) {
  const Form& form = *instruction.form;
  const auto write = bytes_of(form.type) == 2 ? &write_truth<std::uint16_t> : &write_truth<std::uint32_t>;
  write(frame, instruction.operand[0], low, high, truth(form.type), lanes);
}

/// set d, a, b, c.
template <class T>
void run_set(std::byte* frame, const Instruction& instruction, LaneMask lanes) {
  const auto& operand = instruction.operand;
  const Form& form = *instruction.form;
  const LaneMask compares = finished(form, compared(form, frame, operand[1], operand[2], T::shared_lanes));
  const LaneMask test = join(frame, form, compares, operand[3]);
  write_truth(frame, instruction, test, test, lanes);
}

template <class T>
void run_set_pair(std::byte* frame, const Instruction& instruction, LaneMask lanes) {
  const auto& operand = instruction.operand;
  const Form& form = *instruction.form;
  const auto [low, high] = compared(form, frame, operand[1], operand[2], T::halves);
  write_truth(frame, instruction, join(frame, form, finished(form, low), operand[3]),
              join(frame, form, finished(form, high), operand[3]), lanes);
}

/// Returns f.operator()<Test<…>>() for the form's comparison, or null if T does not have that comparison.
template <class T, bool ftz, bool bits_only, class F>
Compute choose_compare(Compare compare, F f) {
  if (!comparable<T, bits_only>(compare)) return nullptr;
  const auto with = [&]<Compare basic> { return f.template operator()<Test<basic, ftz, T>>(); };
  const Compare wanted = by_basic(compare).basic;
  if (wanted == Compare::eq) return with.template operator()<Compare::eq>();
  if (wanted == Compare::ne) return with.template operator()<Compare::ne>();
  if constexpr (!bits_only) {
    if (wanted == Compare::lt) return with.template operator()<Compare::lt>();
    if (wanted == Compare::le) return with.template operator()<Compare::le>();
    if constexpr (!std::is_integral_v<T>) return with.template operator()<Compare::num>();
  }
  return nullptr;
}

template <class F>
Compute choose_test(Type type, Compare compare, bool ftz, F f) {
  if (type == f16 || type == f16x2)
    return ftz ? choose_compare<Half, true, false>(compare, f)
               : choose_compare<Half, false, false>(compare, f);
  if (ftz) return type == f32 ? choose_compare<float, true, false>(compare, f) : nullptr;
  if (type == bf16 || type == bf16x2) return choose_compare<Bfloat, false, false>(compare, f);
  if (const auto bits = choose_type<b16, b32, b64>(
          type, [&]<Type t> { return choose_compare<Value<t>, false, true>(compare, f); }))
    return bits;
  return choose_type<u16, u32, u64, s16, s32, s64, f32, f64>(
      type, [&]<Type t> { return choose_compare<Value<t>, false, false>(compare, f); });
}

/// `type`: of the operands that are compared.
template <class F>
bool tested(Form& form, Type type, F f) {
  return computed(form, choose_test(type, form.compare, form.ftz, f));
}

template <class T>
T choose_by_predicate(T a, T b, bool p) {
  return p ? a : b;
}
/// NaN is not ≥ 0, and −0 is.
template <class T, class C>
T choose_by_sign(T a, T b, C c) {
  return c >= 0 ? a : b;
}
template <class T>
T choose_by_flushed_sign(T a, T b, float c) {
  return flush(c) >= 0 ? a : b;
}

template <class T>
Compute choose_slct(const Form& form) {
  if (form.type2 == s32) return form.ftz ? nullptr : columns<&choose_by_sign<T, std::int32_t>>;
  return form.ftz ? columns<&choose_by_flushed_sign<T>> : columns<&choose_by_sign<T, float>>;
}

}  // namespace

bool setp(Form& form) {
  return tested(form, form.type, []<class T>() -> Compute { return &run_setp<T>; });
}
bool setp_half(Form& form) {
  return tested(form, form.type, []<class T>() -> Compute { return fastest<&run_setp_half<T>>(); });
}
bool setp_pair(Form& form) {
  return tested(form, form.type, []<class T>() -> Compute { return &run_setp_pair<T>; });
}
bool set(Form& form) {
  return tested(form, form.type2, []<class T>() -> Compute { return &run_set<T>; });
}
bool set_pair(Form& form) {
  return tested(form, form.type2, []<class T>() -> Compute { return &run_set_pair<T>; });
}

bool selp(Form& form) {
  return computed(form, choose_size<std::uint16_t, std::uint32_t, std::uint64_t>(
                            bytes_of(form.type), []<class T> { return columns<&choose_by_predicate<T>>; }));
}

bool slct(Form& form) {
  return computed(form, choose_size<std::uint16_t, std::uint32_t, std::uint64_t>(
                            bytes_of(form.type), [&]<class T> { return choose_slct<T>(form); }));
}

}  // namespace foldproof::isa::select
