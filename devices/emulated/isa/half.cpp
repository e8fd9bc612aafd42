#include "devices/emulated/isa/half.h"

#include "devices/emulated/isa/dispatch.h"
#include "devices/emulated/isa/integer.h"
#include "devices/emulated/isa/lanes.h"
#include "devices/emulated/isa/select.h"

namespace foldproof::isa::select {
namespace {

using enum Type;

enum class Clamp : std::uint8_t { none, sat, relu };

constexpr auto never_tiny = [](auto...) { return false; };

/// A 16-bit operation with its modifiers, on one value (one, two or three operands) or on a pair. `tiny`
/// decides for which operands .ftz flushes a result that rounds to a normal number.
template <class H, auto f, auto tiny, bool ftz, Clamp clamp>
struct Modified {
  static H in(H x) {
    if constexpr (ftz) return flush(x);
    return x;
  }
  static H out(H x) {
    const H number = in(x);
    if constexpr (clamp == Clamp::sat) return half::saturate(number);
    if constexpr (clamp == Clamp::relu) return half::relu(number);
    return number;
  }
  static H one(H a) { return apply(in(a)); }
  static H two(H a, H b) { return apply(in(a), in(b)); }
  static H three(H a, H b, H c) { return apply(in(a), in(b), in(c)); }

 private:
  template <class... A>
  static H apply(A... a) {
    if constexpr (ftz) return out(flush_if(tiny(a...), f(a...)));
    return out(f(a...));
  }
};

bool is_pair(const Form& form) { return form.type == f16x2 || form.type == bf16x2; }
bool is_f16(const Form& form) { return form.type == f16 || form.type == f16x2; }

template <class M>
Compute take_one(const Form& form) {
  return is_pair(form) ? column_pairs<&M::one> : columns<&M::one>;
}
template <class M>
Compute take_two(const Form& form) {
  return is_pair(form) ? column_pairs<&M::two> : columns<&M::two>;
}
template <class M>
Compute take_three(const Form& form) {
  return is_pair(form) ? column_pairs<&M::three> : columns<&M::three>;
}

/// Calls take.operator()<Modified<…>>() for an operation on the form's type. .ftz and .sat exist for f16
/// only.
template <class Operation, class Take>
bool modified(Form& form, Take take) {
  if (form.sat && form.relu) return false;
  if (!is_f16(form)) {
    if (form.ftz || form.sat) return false;
    constexpr auto f = &Operation::template apply<Bfloat>;
    return computed(
        form, form.relu ? take.template operator()<Modified<Bfloat, f, never_tiny, false, Clamp::relu>>()
                        : take.template operator()<Modified<Bfloat, f, never_tiny, false, Clamp::none>>());
  }
  constexpr auto f = &Operation::template apply<Half>;
  return computed(form, choose_flag(form.ftz, [&]<bool ftz> {
                    if (form.sat)
                      return take.template operator()<Modified<Half, f, Operation::tiny, ftz, Clamp::sat>>();
                    if (form.relu)
                      return take.template operator()<Modified<Half, f, Operation::tiny, ftz, Clamp::relu>>();
                    return take.template operator()<Modified<Half, f, Operation::tiny, ftz, Clamp::none>>();
                  }));
}
template <class Operation>
bool one_operand(Form& form) {
  return modified<Operation>(form, [&]<class M> { return take_one<M>(form); });
}
template <class Operation>
bool two_operands(Form& form) {
  return modified<Operation>(form, [&]<class M> { return take_two<M>(form); });
}

struct Add {
  template <class H>
  static H apply(H a, H b) {
    return half::add(a, b);
  }
  static constexpr auto tiny = never_tiny;
};
struct Sub {
  template <class H>
  static H apply(H a, H b) {
    return half::sub(a, b);
  }
  static constexpr auto tiny = never_tiny;
};
struct Mul {
  template <class H>
  static H apply(H a, H b) {
    return half::mul(a, b);
  }
  static constexpr auto tiny = &half::product_is_tiny;
};
struct Fma {
  template <class H>
  static H apply(H a, H b, H c) {
    return half::fma(a, b, c);
  }
  static constexpr auto tiny = &half::fused_is_tiny;
};

/// Sign operations and extrema in f32, which represents every 16-bit float.
template <auto f>
struct Sign {
  template <class H>
  static H apply(H a) {
    return narrow<H>(f(to_float(a)));
  }
  static constexpr auto tiny = never_tiny;
};
template <auto f>
struct Extremum {
  template <class H>
  static H apply(H a, H b) {
    return narrow<H>(f(to_float(a), to_float(b)));
  }
  static constexpr auto tiny = never_tiny;
};
/// .xorsign.abs: of absolute values, with the sign of a · b unless the result is NaN.
template <auto f>
struct SignedExtremum {
  template <class H>
  static H apply(H a, H b) {
    const float result = f(to_float(half::abs(a)), to_float(half::abs(b)));
    const auto sign = static_cast<std::uint16_t>(result == result ? (a.bits ^ b.bits) & half_sign : 0);
    return {static_cast<std::uint16_t>(narrow<H>(result).bits | sign)};
  }
  static constexpr auto tiny = never_tiny;
};

/// Selects `f`, or `f_nan` with .NaN. .xorsign and .abs must be used together.
template <auto f, auto f_nan>
bool extremum(Form& form) {
  if (form.xorsign != form.abs) return false;
  if (form.xorsign)
    return form.nan ? two_operands<SignedExtremum<f_nan>>(form) : two_operands<SignedExtremum<f>>(form);
  return form.nan ? two_operands<Extremum<f_nan>>(form) : two_operands<Extremum<f>>(form);
}

}  // namespace

bool add_half(Form& form) { return two_operands<Add>(form); }
bool sub_half(Form& form) { return two_operands<Sub>(form); }
bool mul_half(Form& form) { return two_operands<Mul>(form); }
bool fma_half(Form& form) {
  return modified<Fma>(form, [&]<class M> { return take_three<M>(form); });
}
bool min_half(Form& form) { return extremum<&f32::min, &f32::min_nan>(form); }
bool max_half(Form& form) { return extremum<&f32::max, &f32::max_nan>(form); }
bool neg_half(Form& form) { return one_operand<Sign<&f32::neg>>(form); }
bool abs_half(Form& form) { return one_operand<Sign<&f32::abs>>(form); }

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
  return mixed(form, []<class M>() -> Compute { return columns<&M::add>; });
}
bool sub_mixed(Form& form) {
  return mixed(form, []<class M>() -> Compute { return columns<&M::sub>; });
}
bool fma_mixed(Form& form) {
  return mixed(form, []<class M>() -> Compute { return columns<&M::fma>; });
}

}  // namespace foldproof::isa::select
