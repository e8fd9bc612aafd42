#include "devices/emulated/isa/float.h"

#include <limits>

#include "devices/emulated/isa/dispatch.h"
#include "devices/emulated/isa/double.h"
#include "devices/emulated/isa/hardware_fma.h"
#include "devices/emulated/isa/lanes.h"
#include "devices/emulated/isa/select.h"

namespace foldproof::isa::select {
namespace {

constexpr auto never_tiny = [](auto...) { return false; };

/// An f32 operation with its modifiers: .ftz on operands and result, .sat and the canonical NaN on the
/// result. `tiny` decides for which operands .ftz flushes a result that rounds to a normal number.
template <auto f, auto tiny, bool ftz, bool sat>
struct Modified {
  static float in(float x) { return ftz ? flush(x) : x; }
  static float out(float x) {
    const float number = canonical(ftz ? flush(x) : x);
    return sat ? saturate(number) : number;
  }
  static float one(float a) { return apply(in(a)); }
  static float two(float a, float b) { return apply(in(a), in(b)); }
  static float three(float a, float b, float c) { return apply(in(a), in(b), in(c)); }

 private:
  template <class... A>
  static float apply(A... a) {
    return out(flush_if(ftz && tiny(a...), f(a...)));
  }
};

/// Calls g.operator()<Modified<f, tiny, ftz, sat>>() for the flags of the form.
template <auto f, auto tiny, class G>
Compute choose_modified(const Form& form, G g) {
  return choose_flag(form.ftz, [&]<bool ftz> {
    return choose_flag(form.sat,
                       [&]<bool sat> { return g.template operator()<Modified<f, tiny, ftz, sat>>(); });
  });
}

constexpr auto take_one = []<class M>() -> Compute { return columns<&M::one>; };
constexpr auto take_two = []<class M>() -> Compute { return columns<&M::two>; };
constexpr auto take_three = []<class M>() -> Compute { return columns<&M::three>; };
constexpr auto take_two_pairs = []<class M>() -> Compute { return column_pairs<&M::two>; };
constexpr auto take_three_pairs = []<class M>() -> Compute { return column_pairs<&M::three>; };

/// The arithmetic instructions, by rounding mode.
struct Add {
  template <Rounding r>
  static constexpr auto tiny = never_tiny;
  template <Rounding r>
  static constexpr auto single = &f32::add<r>;
  template <Rounding r>
  static constexpr auto twice = &f64::add<r>;
};
struct Sub {
  template <Rounding r>
  static constexpr auto tiny = never_tiny;
  template <Rounding r>
  static constexpr auto single = &f32::sub<r>;
  template <Rounding r>
  static constexpr auto twice = &f64::sub<r>;
};
struct Mul {
  template <Rounding r>
  static constexpr auto tiny = &f32::product_is_tiny<r>;
  template <Rounding r>
  static constexpr auto single = &f32::mul<r>;
  template <Rounding r>
  static constexpr auto twice = &f64::mul<r>;
};
struct Fma {
  template <Rounding r>
  static constexpr auto tiny = &f32::fused_is_tiny<r>;
  template <Rounding r>
  static constexpr auto single = &f32::fma<r>;
  template <Rounding r>
  static constexpr auto twice = &f64::fma<r>;
};
struct Div {
  template <Rounding r>
  static constexpr auto tiny = &f32::quotient_is_tiny<r>;
  template <Rounding r>
  static constexpr auto single = &f32::div<r>;
  template <Rounding r>
  static constexpr auto twice = &f64::div<r>;
};
struct Rcp {
  template <Rounding r>
  static constexpr auto tiny = &f32::reciprocal_is_tiny<r>;
  template <Rounding r>
  static constexpr auto single = &f32::rcp<r>;
  template <Rounding r>
  static constexpr auto twice = &f64::rcp<r>;
};
struct Sqrt {
  template <Rounding r>
  static constexpr auto tiny = never_tiny;
  template <Rounding r>
  static constexpr auto single = &f32::sqrt<r>;
  template <Rounding r>
  static constexpr auto twice = &f64::sqrt<r>;
};

/// `take` and `take_pairs` match the number of operands. .ftz and .sat exist for f32, .ftz for f32x2.
template <class Operation, class Take, class TakePairs>
bool arithmetic(Form& form, Take take, TakePairs take_pairs) {
  return computed(
      form, choose_rounding(form.rounding, [&]<Rounding r>() -> Compute {
        if (form.type == Type::f32)
          return choose_modified<Operation::template single<r>, Operation::template tiny<r>>(form, take);
        if (form.type == Type::f32x2)
          return form.sat ? nullptr
                          : choose_modified<Operation::template single<r>, Operation::template tiny<r>>(
                                form, take_pairs);
        if (form.ftz || form.sat) return nullptr;
        return r == Rounding::rn ? columns<Operation::template twice<r>>
                                 : each_lane<Operation::template twice<r>>;
      }));
}

constexpr auto take_nothing = []<class>() -> Compute { return nullptr; };

}  // namespace

bool add_float(Form& form) { return arithmetic<Add>(form, take_two, take_two_pairs); }
bool sub_float(Form& form) { return arithmetic<Sub>(form, take_two, take_two_pairs); }
bool mul_float(Form& form) { return arithmetic<Mul>(form, take_two, take_two_pairs); }
bool fma_float(Form& form) {
  if (const Compute hardware = hardware_fma(form)) return computed(form, hardware);
  return arithmetic<Fma>(form, take_three, take_three_pairs);
}
bool div_float(Form& form) { return arithmetic<Div>(form, take_two, take_nothing); }
bool rcp(Form& form) { return arithmetic<Rcp>(form, take_one, take_nothing); }
bool sqrt(Form& form) { return arithmetic<Sqrt>(form, take_one, take_nothing); }

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
template <class M>
float chained(float a, float b, float c) {
  return M::two(M::two(a, b), c);
}
template <class M>
void run_two_or_three(std::byte* frame, const Instruction& instruction, LaneMask lanes) {
  const Compute compute = instruction.operand[3] == no_operand ? columns<&M::two> : columns<&chained<M>>;
  compute(frame, instruction, lanes);
}

template <auto f>
Compute choose_extremum(const Form& form) {
  if (form.xorsign) return choose_modified<&with_xorsign<f>, never_tiny>(form, take_two);
  constexpr auto take = []<class M>() -> Compute { return &run_two_or_three<M>; };
  return form.abs ? choose_modified<&with_abs<f>, never_tiny>(form, take)
                  : choose_modified<f, never_tiny>(form, take);
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
  return computed(form, choose_modified<&f32::abs, never_tiny>(form, take_one));
}
bool neg_float(Form& form) {
  if (form.type == Type::f64) return computed(form, form.ftz ? nullptr : columns<&f64::neg>);
  return computed(form, choose_modified<&f32::neg, never_tiny>(form, take_one));
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
