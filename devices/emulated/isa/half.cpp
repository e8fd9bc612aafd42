#include "devices/emulated/isa/half.h"

#include "devices/emulated/isa/dispatch.h"
#include "devices/emulated/isa/integer.h"
#include "devices/emulated/isa/lanes.h"
#include "devices/emulated/isa/select.h"

namespace foldproof::isa::select {
namespace {

using enum Type;

enum class Clamp : std::uint8_t { none, sat, relu };

/// A 16-bit operation between its modifiers, on one value (one, two, three operands) or on a pair.
template <class H, auto f, bool ftz, Clamp clamp>
struct Modified {
  static H in(H x) {
    if constexpr (ftz && std::is_same_v<H, Half>) return flush(x);
    return x;
  }
  static H out(H x) {
    const H number = in(x);
    if constexpr (clamp == Clamp::sat) return half::saturate(number);
    if constexpr (clamp == Clamp::relu) return half::relu(number);
    return number;
  }
  static H two(H a, H b) { return out(f(in(a), in(b))); }
  static H three(H a, H b, H c) { return out(f(in(a), in(b), in(c))); }
};

bool is_pair(const Form& form) { return form.type == f16x2 || form.type == bf16x2; }
bool is_f16(const Form& form) { return form.type == f16 || form.type == f16x2; }

template <class M>
Compute take_two(const Form& form) {
  return is_pair(form) ? column_pairs<&M::two> : columns<&M::two>;
}
template <class M>
Compute take_three(const Form& form) {
  return is_pair(form) ? column_pairs<&M::three> : columns<&M::three>;
}

/// .ftz and .sat exist for f16 only.
template <template <class> class Operation>
bool two_operands(Form& form) {
  if (!is_f16(form)) {
    const bool modified = form.ftz || form.sat;
    return computed(
        form,
        modified ? nullptr : take_two<Modified<Bfloat, &Operation<Bfloat>::apply, false, Clamp::none>>(form));
  }
  constexpr auto f = &Operation<Half>::apply;
  return computed(form, choose_flag(form.ftz, [&]<bool ftz> {
                    return form.sat ? take_two<Modified<Half, f, ftz, Clamp::sat>>(form)
                                    : take_two<Modified<Half, f, ftz, Clamp::none>>(form);
                  }));
}

template <class H>
struct Add {
  static H apply(H a, H b) { return half::add(a, b); }
};
template <class H>
struct Sub {
  static H apply(H a, H b) { return half::sub(a, b); }
};
template <class H>
struct Mul {
  static H apply(H a, H b) { return half::mul(a, b); }
};

}  // namespace

bool add_half(Form& form) { return two_operands<Add>(form); }
bool sub_half(Form& form) { return two_operands<Sub>(form); }
bool mul_half(Form& form) { return two_operands<Mul>(form); }

bool fma_half(Form& form) {
  if (form.sat && form.relu) return false;
  if (!is_f16(form)) {
    if (form.ftz || form.sat) return false;
    constexpr auto f = static_cast<Bfloat (*)(Bfloat, Bfloat, Bfloat)>(&half::fma);
    return computed(form, form.relu ? take_three<Modified<Bfloat, f, false, Clamp::relu>>(form)
                                    : take_three<Modified<Bfloat, f, false, Clamp::none>>(form));
  }
  constexpr auto f = static_cast<Half (*)(Half, Half, Half)>(&half::fma);
  return computed(form, choose_flag(form.ftz, [&]<bool ftz> {
                    if (form.sat) return take_three<Modified<Half, f, ftz, Clamp::sat>>(form);
                    if (form.relu) return take_three<Modified<Half, f, ftz, Clamp::relu>>(form);
                    return take_three<Modified<Half, f, ftz, Clamp::none>>(form);
                  }));
}

namespace {

/// An extremum through f32, which holds every 16-bit float.
template <class H, auto f>
H extremum(H a, H b) {
  return narrow<H>(f(to_float(a), to_float(b)));
}
/// .xorsign.abs; a NaN does not take the sign.
template <class H, auto f>
H extremum_xorsign(H a, H b) {
  const H result = extremum<H, f>(half::abs(a), half::abs(b));
  const bool nan = to_float(result) != to_float(result);
  const auto sign = static_cast<std::uint16_t>((a.bits ^ b.bits) & half_sign);
  return {static_cast<std::uint16_t>(result.bits | (nan ? 0 : sign))};
}

template <class H, auto f>
Compute choose_extremum(const Form& form) {
  return choose_flag(form.ftz, [&]<bool ftz> {
    return form.xorsign ? take_two<Modified<H, &extremum_xorsign<H, f>, ftz, Clamp::none>>(form)
                        : take_two<Modified<H, &extremum<H, f>, ftz, Clamp::none>>(form);
  });
}

/// `f`, or with .NaN `f_nan`, of the form's type. .xorsign and .abs come together.
template <auto f, auto f_nan>
bool half_extremum(Form& form) {
  if (form.xorsign != form.abs) return false;
  if (is_f16(form))
    return computed(form, form.nan ? choose_extremum<Half, f_nan>(form) : choose_extremum<Half, f>(form));
  if (form.ftz) return false;
  return computed(form, form.nan ? choose_extremum<Bfloat, f_nan>(form) : choose_extremum<Bfloat, f>(form));
}

/// Signs need not know the format, but for .ftz.
inline std::uint16_t flush_bits(std::uint16_t x) { return flush(Half{x}).bits; }
template <bool ftz>
std::uint16_t negated(std::uint16_t x) {
  return static_cast<std::uint16_t>((ftz ? flush_bits(x) : x) ^ half_sign);
}
template <bool ftz>
std::uint16_t absolute(std::uint16_t x) {
  return static_cast<std::uint16_t>((ftz ? flush_bits(x) : x) & ~half_sign);
}
template <auto f>
Compute choose_width(const Form& form) {
  return is_pair(form) ? column_pairs<f> : columns<f>;
}

}  // namespace

bool min_half(Form& form) { return half_extremum<&f32::min, &f32::min_nan>(form); }
bool max_half(Form& form) { return half_extremum<&f32::max, &f32::max_nan>(form); }

bool neg_half(Form& form) {
  if (form.ftz && !is_f16(form)) return false;
  return computed(form, form.ftz ? choose_width<&negated<true>>(form) : choose_width<&negated<false>>(form));
}
bool abs_half(Form& form) {
  if (form.ftz && !is_f16(form)) return false;
  return computed(form,
                  form.ftz ? choose_width<&absolute<true>>(form) : choose_width<&absolute<false>>(form));
}

namespace {

/// Mixed precision: 16-bit operands, which f32 holds exactly, in an f32 operation.
template <class H, Rounding r, bool sat>
struct Mixed {
  static float out(float x) { return sat ? saturate(canonical(x)) : canonical(x); }
  static float add(H a, float c) { return out(f32::add<r>(to_float(a), c)); }
  static float sub(H a, float c) { return out(f32::sub<r>(to_float(a), c)); }
  static float fma(H a, H b, float c) { return out(f32::fma<r>(to_float(a), to_float(b), c)); }
};

/// take.operator()<Mixed<…>>() for the form.
template <class Take>
bool mixed(Form& form, Take take) {
  return computed(form, choose_rounding(form.rounding, [&]<Rounding r> {
                    return choose_flag(form.sat, [&]<bool sat> {
                      return form.type2 == f16 ? take.template operator()<Mixed<Half, r, sat>>()
                                               : take.template operator()<Mixed<Bfloat, r, sat>>();
                    });
                  }));
}

}  // namespace

bool add_mixed(Form& form) {
  return mixed(form, []<class M>() -> Compute { return columns<&M::add>; });
}
bool sub_mixed(Form& form) {
  return mixed(form, []<class M>() -> Compute { return columns<&M::sub>; });
}
bool fma_mixed(Form& form) {
  return mixed(form, []<class M>() -> Compute { return columns<&M::fma>; });
}

}  // namespace foldproof::isa::select
