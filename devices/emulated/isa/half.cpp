#include "devices/emulated/isa/half.h"

#include "devices/emulated/isa/dispatch.h"
#include "devices/emulated/isa/lanes.h"
#include "devices/emulated/isa/select.h"

namespace foldproof::isa::select {
namespace {

using enum Type;

bool is_pair(const Form& form) { return form.type == f16x2 || form.type == bf16x2; }
bool is_f16(const Form& form) { return form.type == f16 || form.type == f16x2; }

template <auto f, auto tiny, bool ftz, Clamp clamp>
Compute one_or_both(const Form& form) {
  using M = Modified<f, tiny, ftz, clamp>;
  constexpr bool is_rare = clamp != Clamp::none;
  return is_pair(form) ? column_pairs_of<&M::apply, is_rare>() : columns_of<&M::apply, is_rare>();
}

/// `Operation` gives the function for Half and for Bfloat. .ftz and .sat exist for f16 only.
template <auto tiny = never_tiny, class Operation>
bool modified(Form& form, Operation) {
  if (form.sat && form.relu) return false;
  if (!is_f16(form)) {
    if (form.ftz || form.sat) return false;
    constexpr auto f = Operation{}.template operator()<Bfloat>();
    return computed(form, form.relu ? one_or_both<f, never_tiny, false, Clamp::relu>(form)
                                    : one_or_both<f, never_tiny, false, Clamp::none>(form));
  }
  return computed(form, choose_flag(form.ftz, [&]<bool ftz> {
                    constexpr auto f = Operation{}.template operator()<Half>();
                    if (form.sat) return one_or_both<f, tiny, ftz, Clamp::sat>(form);
                    if (form.relu) return one_or_both<f, tiny, ftz, Clamp::relu>(form);
                    return one_or_both<f, tiny, ftz, Clamp::none>(form);
                  }));
}

/// Sign operations and extrema in f32, which represents every 16-bit float.
template <class H, auto f, class... A>
H in_f32(A... a) {
  return narrow<H>(f(to_float(a)...));
}
/// .xorsign.abs: of absolute values, with the sign of a · b unless the result is NaN.
template <class H, auto f>
H with_xorsign(H a, H b) {
  const float result = f(to_float(half::abs(a)), to_float(half::abs(b)));
  const auto sign = static_cast<std::uint16_t>(result == result ? (a.bits ^ b.bits) & half_sign : 0);
  return {static_cast<std::uint16_t>(narrow<H>(result).bits | sign)};
}

template <auto f>
bool sign(Form& form) {
  return modified(form, []<class H> { return &in_f32<H, f, H>; });
}

template <auto f>
bool extremum(Form& form) {
  if (form.xorsign) return modified(form, []<class H> { return &with_xorsign<H, f>; });
  return modified(form, []<class H> { return &in_f32<H, f, H, H>; });
}
/// Selects `f`, or `f_nan` with .NaN. .xorsign and .abs must be used together.
template <auto f, auto f_nan>
bool extremum(Form& form) {
  if (form.xorsign != form.abs) return false;
  return form.nan ? extremum<f_nan>(form) : extremum<f>(form);
}

}  // namespace

bool add_half(Form& form) {
  return modified(form, []<class H> { return &half::add<H>; });
}
bool sub_half(Form& form) {
  return modified(form, []<class H> { return &half::sub<H>; });
}
bool mul_half(Form& form) {
  return modified<&half::product_is_tiny>(form, []<class H> { return static_cast<H (*)(H, H)>(&half::mul); });
}
bool fma_half(Form& form) {
  return modified<&half::fused_is_tiny>(form,
                                        []<class H> { return static_cast<H (*)(H, H, H)>(&half::fma); });
}
bool min_half(Form& form) { return extremum<&f32::min, &f32::min_nan>(form); }
bool max_half(Form& form) { return extremum<&f32::max, &f32::max_nan>(form); }
bool neg_half(Form& form) { return sign<&f32::neg>(form); }
bool abs_half(Form& form) { return sign<&f32::abs>(form); }

namespace {

/// Mixed precision: an f32 operation on 16-bit operands, which f32 represents exactly.
template <class H, Rounding r, bool sat>
struct Mixed {
  static float out(float x) { return sat ? saturate(canonical(x)) : canonical(x); }
  static float add(H a, float c) { return out(f32::add<r>(to_float(a), c)); }
  static float sub(H a, float c) { return out(f32::sub<r>(to_float(a), c)); }
  static float fma(H a, H b, float c) { return out(f32::fma<r>(to_float(a), to_float(b), c)); }
};

/// Calls take.operator()<Mixed<…>>() for the form.
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
  return mixed(form, []<class M>() -> Compute { return columns_of<&M::add, true>(); });
}
bool sub_mixed(Form& form) {
  return mixed(form, []<class M>() -> Compute { return columns_of<&M::sub, true>(); });
}
bool fma_mixed(Form& form) {
  return mixed(form, []<class M>() -> Compute { return columns_of<&M::fma, true>(); });
}

}  // namespace foldproof::isa::select
