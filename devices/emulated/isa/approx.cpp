#include "devices/emulated/isa/approx.h"

#include "devices/emulated/isa/dispatch.h"
#include "devices/emulated/isa/lanes.h"
#include "devices/emulated/isa/select.h"

namespace foldproof::isa::select {
namespace {

using enum Type;

template <auto f>
bool single(Form& form) {
  return computed(form, choose_flag(form.ftz, []<bool ftz>() -> Compute {
                    return each_lane<&Modified<f, never_tiny, ftz, Clamp::none>::apply>;
                  }));
}

float rcp_f32(float a) { return 1 / a; }
float sqrt_f32(float a) { return std::sqrt(a); }
float div_f32(float a, float b) { return a / b; }

/// A 16-bit floating-point function: f takes the value converted to f32. Only bf16 has .ftz here.
template <class H, auto f, bool ftz>
H narrow_one(H a) {
  return ftz ? narrow<H>(flush(to_float(f(flush(to_float(a)))))) : f(to_float(a));
}
template <class H, auto f, bool ftz>
Pair<H> narrow_pair(Pair<H> a) {
  return {narrow_one<H, f, ftz>(a.low), narrow_one<H, f, ftz>(a.high)};
}
template <class H, auto f, bool ftz = false>
bool narrowed(Form& form) {
  const bool pair = form.type == f16x2 || form.type == bf16x2;
  return computed(form, pair ? each_lane<&narrow_pair<H, f, ftz>> : each_lane<&narrow_one<H, f, ftz>>);
}

bool is_bf16(const Form& form) { return form.type == bf16 || form.type == bf16x2; }

}  // namespace

bool rcp_approx(Form& form) { return single<&rcp_f32>(form); }
bool sqrt_approx(Form& form) { return single<&sqrt_f32>(form); }
bool rsqrt_approx(Form& form) { return single<static_cast<float (*)(float)>(&approx::rsqrt)>(form); }
bool sin_approx(Form& form) { return single<&approx::sin>(form); }
bool cos_approx(Form& form) { return single<&approx::cos>(form); }
bool lg2_approx(Form& form) { return single<&approx::lg2>(form); }
bool ex2_approx(Form& form) { return single<&approx::ex2<float>>(form); }
bool tanh_approx(Form& form) { return single<&approx::tanh<float>>(form); }

bool div_approx(Form& form) { return single<&approx::div>(form); }
bool div_full(Form& form) { return single<&div_f32>(form); }

bool rcp_f64(Form& form) { return computed(form, each_lane<&approx::rcp_upper>); }
bool rsqrt_f64(Form& form) {
  constexpr auto precise = static_cast<double (*)(double)>(&approx::rsqrt);
  return computed(form, form.ftz ? each_lane<&approx::rsqrt_upper> : each_lane<precise>);
}

bool ex2_half(Form& form) {
  if (form.ftz != is_bf16(form)) return false;
  return form.ftz ? narrowed<Bfloat, &approx::ex2<Bfloat>, true>(form)
                  : narrowed<Half, &approx::ex2<Half>>(form);
}
bool tanh_half(Form& form) {
  return is_bf16(form) ? narrowed<Bfloat, &approx::tanh<Bfloat>>(form)
                       : narrowed<Half, &approx::tanh<Half>>(form);
}

}  // namespace foldproof::isa::select
