#include "devices/emulated/isa/approx.h"

#include "devices/emulated/isa/dispatch.h"
#include "devices/emulated/isa/lanes.h"
#include "devices/emulated/isa/select.h"

namespace foldproof::isa::select {
namespace {

using enum Type;

template <auto f, bool ftz>
float one(float a) {
  return ftz ? flush(f(flush(a))) : f(a);
}
template <auto f, bool ftz>
float two(float a, float b) {
  return ftz ? flush(f(flush(a), flush(b))) : f(a, b);
}

template <auto f>
bool single(Form& form) {
  return computed(form, form.ftz ? each_lane<&one<f, true>> : each_lane<&one<f, false>>);
}

float rcp_f32(float a) { return canonical(1 / a); }
float sqrt_f32(float a) { return canonical(std::sqrt(a)); }
float div_f32(float a, float b) { return canonical(a / b); }

/// A 16-bit floating-point function: f takes the value converted to f32. Only bf16 has .ftz here.
template <class H, auto f, bool ftz>
H narrow_one(H a) {
  return ftz ? narrow<H>(flush(to_float(f(flush(to_float(a)))))) : f(to_float(a));
}
template <class H, auto f, bool ftz>
Pair<H> narrow_pair(Pair<H> a) {
  return {narrow_one<H, f, ftz>(a.low), narrow_one<H, f, ftz>(a.high)};
}

}  // namespace

bool rcp_approx(Form& form) { return single<&rcp_f32>(form); }
bool sqrt_approx(Form& form) { return single<&sqrt_f32>(form); }
bool rsqrt_approx(Form& form) { return single<static_cast<float (*)(float)>(&approx::rsqrt)>(form); }
bool sin_approx(Form& form) { return single<&approx::sin>(form); }
bool cos_approx(Form& form) { return single<&approx::cos>(form); }
bool lg2_approx(Form& form) { return single<&approx::lg2>(form); }
bool ex2_approx(Form& form) { return single<&approx::ex2<float>>(form); }
bool tanh_approx(Form& form) { return single<&approx::tanh<float>>(form); }

bool div_approx(Form& form) {
  return computed(form,
                  form.ftz ? each_lane<&two<&approx::div, true>> : each_lane<&two<&approx::div, false>>);
}
bool div_full(Form& form) {
  return computed(form, form.ftz ? each_lane<&two<&div_f32, true>> : each_lane<&two<&div_f32, false>>);
}

bool rcp_f64(Form& form) { return computed(form, each_lane<&approx::rcp_upper>); }
bool rsqrt_f64(Form& form) {
  constexpr auto precise = static_cast<double (*)(double)>(&approx::rsqrt);
  return computed(form, form.ftz ? each_lane<&approx::rsqrt_upper> : each_lane<precise>);
}

bool ex2_half(Form& form) {
  const bool is_bf16 = form.type == bf16 || form.type == bf16x2;
  if (form.ftz != is_bf16) return false;
  switch (form.type) {
    case f16: return computed(form, each_lane<&narrow_one<Half, &approx::ex2<Half>, false>>);
    case f16x2: return computed(form, each_lane<&narrow_pair<Half, &approx::ex2<Half>, false>>);
    case bf16: return computed(form, each_lane<&narrow_one<Bfloat, &approx::ex2<Bfloat>, true>>);
    default: return computed(form, each_lane<&narrow_pair<Bfloat, &approx::ex2<Bfloat>, true>>);
  }
}
bool tanh_half(Form& form) {
  switch (form.type) {
    case f16: return computed(form, each_lane<&narrow_one<Half, &approx::tanh<Half>, false>>);
    case f16x2: return computed(form, each_lane<&narrow_pair<Half, &approx::tanh<Half>, false>>);
    case bf16: return computed(form, each_lane<&narrow_one<Bfloat, &approx::tanh<Bfloat>, false>>);
    default: return computed(form, each_lane<&narrow_pair<Bfloat, &approx::tanh<Bfloat>, false>>);
  }
}

}  // namespace foldproof::isa::select
