#include "devices/emulated/isa/float.h"

#include <limits>

#include "devices/emulated/isa/dispatch.h"
#include "devices/emulated/isa/double.h"
#include "devices/emulated/isa/lanes.h"
#include "devices/emulated/isa/select.h"

namespace foldproof::isa::select {
namespace {

/// f with the modifiers of the form; `packed`: the instruction exists for pairs of f32, without .sat. The
/// directed roundings and .sat are rare.
template <auto f, auto tiny = never_tiny, bool packed = false, Rounding rounding = Rounding::rn>
Compute modified(const Form& form) {
  return choose_flag(form.ftz, [&]<bool ftz> {
    return choose_flag(form.sat, [&]<bool sat>() -> Compute {
      using M = Modified<f, tiny, ftz, sat ? Clamp::sat : Clamp::none>;
      constexpr bool is_rare = sat || rounding != Rounding::rn;
      if constexpr (packed && !sat)
        if (form.type == Type::f32x2) return column_pairs_of<&M::apply, is_rare>();
      return form.type == Type::f32x2 ? nullptr : columns_of<&M::apply, is_rare>();
    });
  });
}

/// An instruction on f32 and f64 in one rounding mode. Only f32 has .ftz and .sat.
template <Rounding rounding, auto single, auto twice, auto tiny = never_tiny, bool packed = true>
Compute arithmetic(const Form& form) {
  if (form.type != Type::f64) return modified<single, tiny, packed, rounding>(form);
  if (form.ftz || form.sat) return nullptr;
  return rounding == Rounding::rn ? columns<twice> : each_lane<twice>;
}

template <class F>
bool rounded(Form& form, F f) {
  return computed(form, choose_rounding(form.rounding, f));
}

}  // namespace

bool add_float(Form& form) {
  return rounded(form, [&]<Rounding r> { return arithmetic<r, &f32::add<r>, &f64::add<r>>(form); });
}
bool sub_float(Form& form) {
  return rounded(form, [&]<Rounding r> { return arithmetic<r, &f32::sub<r>, &f64::sub<r>>(form); });
}
bool mul_float(Form& form) {
  return rounded(form, [&]<Rounding r> {
    return arithmetic<r, &f32::mul<r>, &f64::mul<r>, &f32::product_is_tiny<r>>(form);
  });
}
bool fma_float(Form& form) {
  if (const Compute hardware = hardware_fma(form)) return computed(form, hardware);
  return rounded(form, [&]<Rounding r> {
    return arithmetic<r, &f32::fma<r>, &f64::fma<r>, &f32::fused_is_tiny<r>>(form);
  });
}
bool div_float(Form& form) {
  return rounded(form, [&]<Rounding r> {
    return arithmetic<r, &f32::div<r>, &f64::div<r>, &f32::quotient_is_tiny<r>, false>(form);
  });
}
bool rcp(Form& form) {
  return rounded(form, [&]<Rounding r> {
    return arithmetic<r, &f32::rcp<r>, &f64::rcp<r>, &f32::reciprocal_is_tiny<r>, false>(form);
  });
}
bool sqrt(Form& form) {
  return rounded(
      form, [&]<Rounding r> { return arithmetic<r, &f32::sqrt<r>, &f64::sqrt<r>, never_tiny, false>(form); });
}

namespace {

/// .xorsign.abs: min or max of absolute values with the sign of a · b. A NaN result does not get that sign.
template <auto f>
float with_xorsign(float a, float b) {
  const float result = f(f32::abs(a), f32::abs(b));
  return std::bit_cast<float>(bits_of(result) | ((bits_of(a) ^ bits_of(b)) & f32_sign));
}
template <auto f>
float with_abs(float a, float b) {
  return f(f32::abs(a), f32::abs(b));
}

/// Three operands (sm_100): combines the third with the extremum of the first two.
template <auto f, bool ftz>
float chained(float a, float b, float c) {
  constexpr auto modified = &Modified<f, never_tiny, ftz, Clamp::none>::apply;
  return modified(modified(a, b), c);
}
template <auto f, bool ftz>
void run_two_or_three(std::byte* frame, const Instruction& instruction, LaneMask lanes) {
  const bool two = instruction.operand[3] == no_operand;
  const Compute compute =
      two ? columns<&Modified<f, never_tiny, ftz, Clamp::none>::apply> : columns<&chained<f, ftz>>;
  compute(frame, instruction, lanes);
}
template <auto f>
Compute two_or_three(const Form& form) {
  return form.ftz ? &run_two_or_three<f, true> : &run_two_or_three<f, false>;
}

template <auto f>
Compute choose_extremum(const Form& form) {
  if (form.xorsign) return modified<&with_xorsign<f>>(form);
  return form.abs ? two_or_three<&with_abs<f>>(form) : two_or_three<f>(form);
}

template <auto f>
bool extremum_f64(Form& form) {
  const bool modified = form.ftz || form.nan || form.abs;
  return computed(form, modified ? nullptr : columns<f>);
}

}  // namespace

bool min_float(Form& form) {
  if (form.type == Type::f64) return extremum_f64<&f64::min>(form);
  return computed(form, form.nan ? choose_extremum<&f32::min_nan>(form) : choose_extremum<&f32::min>(form));
}
bool max_float(Form& form) {
  if (form.type == Type::f64) return extremum_f64<&f64::max>(form);
  return computed(form, form.nan ? choose_extremum<&f32::max_nan>(form) : choose_extremum<&f32::max>(form));
}

bool abs_float(Form& form) {
  if (form.type == Type::f64) return computed(form, form.ftz ? nullptr : columns<&f64::abs>);
  return computed(form, modified<&f32::abs>(form));
}
bool neg_float(Form& form) {
  if (form.type == Type::f64) return computed(form, form.ftz ? nullptr : columns<&f64::neg>);
  return computed(form, modified<&f32::neg>(form));
}

namespace {

/// b with the sign of a.
template <class T>
T with_sign_of(T a, T b) {
  using U = lanes::Bits<T>;
  constexpr U top = U{1} << (8 * sizeof(T) - 1);
  return std::bit_cast<T>((std::bit_cast<U>(a) & top) | (std::bit_cast<U>(b) & ~top));
}

enum class Property : std::uint8_t { finite, infinite, number, notanumber, normal, subnormal };
template <class T, Property property>
bool has_property(T x) {
  constexpr T infinity = std::numeric_limits<T>::infinity(), smallest = std::numeric_limits<T>::min();
  const T magnitude = x < 0 ? -x : x;
  switch (property) {
    case Property::finite: return magnitude < infinity;
    case Property::infinite: return magnitude == infinity;
    case Property::number: return x == x;
    case Property::notanumber: return x != x;
    case Property::normal: return (magnitude >= smallest && magnitude < infinity) || x == 0;
    case Property::subnormal: return magnitude < smallest && x != 0;
  }
  return false;
}

template <class T>
Compute choose_property(const Form& form) {
  using enum Property;
  if (form.has("finite")) return columns<&has_property<T, finite>>;
  if (form.has("infinite")) return columns<&has_property<T, infinite>>;
  if (form.has("number")) return columns<&has_property<T, number>>;
  if (form.has("notanumber")) return columns<&has_property<T, notanumber>>;
  if (form.has("normal")) return columns<&has_property<T, normal>>;
  return columns<&has_property<T, subnormal>>;
}

}  // namespace

bool copysign(Form& form) {
  return computed(form,
                  form.type == Type::f32 ? columns<&with_sign_of<float>> : columns<&with_sign_of<double>>);
}
bool testp(Form& form) {
  return computed(form,
                  form.type == Type::f32 ? choose_property<float>(form) : choose_property<double>(form));
}

}  // namespace foldproof::isa::select
