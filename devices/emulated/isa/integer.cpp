#include "devices/emulated/isa/integer.h"

#include "devices/emulated/isa/dispatch.h"
#include "devices/emulated/isa/select.h"

namespace foldproof::isa::select {
namespace {

using enum Type;
using namespace integer;

template <class F>
bool computed_for_integers(Form& form, F f) {
  return computed_for<u16, u32, u64, s16, s32, s64>(form, f);
}

/// `Operation` gives the function for a type; .sat exists for s32, as `saturated`.
template <auto saturated, class Operation>
bool sum(Form& form, Operation) {
  if (form.sat) return computed(form, form.type == s32 ? columns<saturated> : nullptr);
  if (form.type == u16x2 || form.type == s16x2)
    return computed(form, column_pairs<Operation{}.template operator()<std::uint16_t>()>);
  return computed_for_integers(form,
                               []<Type t> { return columns<Operation{}.template operator()<Value<t>>()>; });
}

/// .relu exists for s32 and s16x2.
template <class Operation, class WithRelu>
bool extremum(Form& form, Operation, WithRelu) {
  using U = std::uint16_t;
  using S = std::int16_t;
  constexpr auto relu = WithRelu{};
  if (form.type == u16x2)
    return computed(form, form.relu ? nullptr : column_pairs<Operation{}.template operator()<U>()>);
  if (form.type == s16x2)
    return computed(form, form.relu ? column_pairs<relu.template operator()<S>()>
                                    : column_pairs<Operation{}.template operator()<S>()>);
  if (form.relu)
    return computed(form, form.type == s32 ? columns<relu.template operator()<std::int32_t>()> : nullptr);
  return computed_for_integers(form,
                               []<Type t> { return columns<Operation{}.template operator()<Value<t>>()>; });
}

}  // namespace

bool add_int(Form& form) {
  return sum<&add_sat>(form, []<class T> { return &add<T>; });
}
bool sub_int(Form& form) {
  return sum<&sub_sat>(form, []<class T> { return &sub<T>; });
}

bool mul_int(Form& form) {
  if (form.has("wide"))
    return computed_for<u16, u32, s16, s32>(form, []<Type t> { return columns<&mul_wide<Value<t>>>; });
  return computed_for_integers(
      form, [&]<Type t> { return form.has("lo") ? columns<&mul_lo<Value<t>>> : columns<&mul_hi<Value<t>>>; });
}

bool mad_int(Form& form) {
  if (form.sat) return computed(form, form.has("hi") && form.type == s32 ? columns<&mad_hi_sat> : nullptr);
  if (form.has("wide"))
    return computed_for<u16, u32, s16, s32>(form, []<Type t> { return columns<&mad_wide<Value<t>>>; });
  return computed_for_integers(
      form, [&]<Type t> { return form.has("lo") ? columns<&mad_lo<Value<t>>> : columns<&mad_hi<Value<t>>>; });
}

bool mul24(Form& form) {
  return computed_for<u32, s32>(form, [&]<Type t> {
    return form.has("lo") ? columns<&mul24_lo<Value<t>>> : columns<&mul24_hi<Value<t>>>;
  });
}

bool mad24(Form& form) {
  if (form.sat) return computed(form, form.has("hi") && form.type == s32 ? columns<&mad24_hi_sat> : nullptr);
  return computed_for<u32, s32>(form, [&]<Type t> {
    return form.has("lo") ? columns<&mad24_lo<Value<t>>> : columns<&mad24_hi<Value<t>>>;
  });
}

bool sad(Form& form) {
  return computed_for_integers(form, []<Type t> { return columns<&integer::sad<Value<t>>>; });
}
bool div_int(Form& form) {
  return computed_for_integers(form, []<Type t> { return each_lane<&div<Value<t>>>; });
}
bool rem(Form& form) {
  return computed_for_integers(form, []<Type t> { return each_lane<&integer::rem<Value<t>>>; });
}
bool abs_int(Form& form) {
  return computed_for<s16, s32, s64>(form, []<Type t> { return columns<&abs<Value<t>>>; });
}
bool neg_int(Form& form) {
  return computed_for<s16, s32, s64>(form, []<Type t> { return columns<&neg<Value<t>>>; });
}

bool min_int(Form& form) {
  return extremum(
      form, []<class T> { return &min<T>; }, []<class T> { return &min_relu<T>; });
}
bool max_int(Form& form) {
  return extremum(
      form, []<class T> { return &max<T>; }, []<class T> { return &max_relu<T>; });
}

bool dp4a(Form& form) {
  using U = std::uint8_t;
  using S = std::int8_t;
  const bool a_signed = form.type == s32, b_signed = form.type2 == s32;
  if (a_signed)
    return computed(form, b_signed ? columns<&integer::dp4a<S, S>> : columns<&integer::dp4a<S, U>>);
  return computed(form, b_signed ? columns<&integer::dp4a<U, S>> : columns<&integer::dp4a<U, U>>);
}

namespace {

template <unsigned half>
Compute choose_dp2a(Type a, Type b) {
  using U = std::uint16_t;
  using S = std::int16_t;
  if (a == s32)
    return b == s32 ? columns<&integer::dp2a<S, std::int8_t, half>>
                    : columns<&integer::dp2a<S, std::uint8_t, half>>;
  return b == s32 ? columns<&integer::dp2a<U, std::int8_t, half>>
                  : columns<&integer::dp2a<U, std::uint8_t, half>>;
}

template <class A, class B, class U, class S>
Compute choose_vabsdiff(const Form& form) {
  if (form.has("add")) return columns<&vabsdiff<A, B, U, Differences::summed>>;
  if (!form.sat) return columns<&vabsdiff<A, B, U, Differences::cut>>;
  return form.type == s32 ? columns<&vabsdiff<A, B, S, Differences::clamped>>
                          : columns<&vabsdiff<A, B, U, Differences::clamped>>;
}
/// U and S: the unsigned and signed type of one part.
template <class U, class S>
Compute choose_vabsdiff(const Form& form) {
  if (form.sat && form.has("add")) return nullptr;
  const bool b_signed = form.has("s32");
  if (form.type2 == s32)
    return b_signed ? choose_vabsdiff<S, S, U, S>(form) : choose_vabsdiff<S, U, U, S>(form);
  return b_signed ? choose_vabsdiff<U, S, U, S>(form) : choose_vabsdiff<U, U, U, S>(form);
}

/// d = a + addend + carry in, lane by lane; a subtraction adds ~b, and 1 if it does not read CC. CC is the
/// carry of that sum, so after a subtraction it is set if there was no borrow: the ISA calls it the borrow,
/// but compilers also read it with addc (in 128-bit divisions), and hardware gives them the carry.
template <class T, bool subtract, bool reads>
void chain(std::byte* frame, const Form& form, T* d, const T* a, const T* b, LaneMask lanes) {
  LaneMask& cc = mask(frame, carry_offset);
  const LaneMask carries_in = reads ? cc : subtract ? all_lanes : 0;
  const bool writes = form.has("cc");
  for_lanes(lanes, [&](unsigned lane) {
    const LaneMask bit = LaneMask{1} << lane;
    const T addend = subtract ? static_cast<T>(~b[lane]) : b[lane];
    const bool carry_in = (carries_in & bit) != 0;
    const u128 sum = u128{a[lane]} + addend + unsigned{carry_in};
    const bool carry_out = (sum >> width<T>) != 0;
    d[lane] = static_cast<T>(sum);
    if (writes) cc = (cc & ~bit) | (carry_out ? bit : 0);
  });
}

template <class T, bool subtract, bool reads>
void run_chain(std::byte* frame, const Instruction& instruction, LaneMask lanes) {
  const auto& operand = instruction.operand;
  chain<T, subtract, reads>(frame, *instruction.form, row<T>(frame, operand[0]), row<T>(frame, operand[1]),
                            row<T>(frame, operand[2]), lanes);
}

/// mad.cc, madc: the low or high half of the product, then the carry chain with c.
template <class S, auto product, bool reads>
void run_mad(std::byte* frame, const Instruction& instruction, LaneMask lanes) {
  using T = std::make_unsigned_t<S>;
  const auto& operand = instruction.operand;
  const lanes::Source<S> a(frame, operand[1]), b(frame, operand[2]);
  T products[warp_size];
  for (unsigned lane = 0; lane < warp_size; ++lane)
    products[lane] = static_cast<T>(product(a[lane], b[lane]));
  chain<T, false, reads>(frame, *instruction.form, row<T>(frame, operand[0]), products,
                         row<T>(frame, operand[3]), lanes);
}

template <bool subtract, bool reads>
Compute choose_chain(Type type) {
  return bytes_of(type) == 4 ? &run_chain<std::uint32_t, subtract, reads>
                             : &run_chain<std::uint64_t, subtract, reads>;
}

template <bool reads>
Compute choose_mad_chain(const Form& form) {
  return choose_type<u32, s32, u64, s64>(form.type, [&]<Type t>() -> Compute {
    if (form.has("hi")) return &run_mad<Value<t>, &mul_hi<Value<t>>, reads>;
    return &run_mad<Value<t>, &mul_lo<Value<t>>, reads>;
  });
}

bool chained(Form& form, bool reads_carry, Compute compute) {
  form.reads_carry = reads_carry;
  form.writes_carry = form.has("cc");
  return computed(form, compute);
}

}  // namespace

bool dp2a(Form& form) {
  return computed(
      form, form.has("hi") ? choose_dp2a<1>(form.type, form.type2) : choose_dp2a<0>(form.type, form.type2));
}
bool vabsdiff2(Form& form) { return computed(form, choose_vabsdiff<std::uint16_t, std::int16_t>(form)); }
bool vabsdiff4(Form& form) { return computed(form, choose_vabsdiff<std::uint8_t, std::int8_t>(form)); }
bool add_cc(Form& form) { return chained(form, false, choose_chain<false, false>(form.type)); }
bool addc(Form& form) { return chained(form, true, choose_chain<false, true>(form.type)); }
bool sub_cc(Form& form) { return chained(form, false, choose_chain<true, false>(form.type)); }
bool subc(Form& form) { return chained(form, true, choose_chain<true, true>(form.type)); }
bool mad_cc(Form& form) { return chained(form, false, choose_mad_chain<false>(form)); }
bool madc(Form& form) { return chained(form, true, choose_mad_chain<true>(form)); }

}  // namespace foldproof::isa::select
