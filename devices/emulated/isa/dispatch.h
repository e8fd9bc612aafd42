// Maps the fields of a form to the instantiation of a semantics template. Every function returns null if
// there is no match, by which a select function indicates that the combination does not exist.
#pragma once

#include <cstdint>

#include "devices/emulated/isa/form.h"
#include "devices/emulated/isa/half.h"

namespace foldproof::isa {

/// The C++ type in which values of a PTX type are computed.
template <Type type>
struct ValueOf;
#define FOLDPROOF_TYPE(id, bits, value) \
  template <>                           \
  struct ValueOf<Type::id> {            \
    using type = value;                 \
  };
#include "devices/emulated/isa/types.def"
#undef FOLDPROOF_TYPE
template <Type type>
using Value = typename ValueOf<type>::type;

/// choose_type<Type::u32, …>(type, []<Type t> { return columns<…>; }): null if the type is none of them.
template <Type... types, class F>
Compute choose_type(Type type, F f) {
  Compute result = nullptr;
  static_cast<void>(((type == types && (result = f.template operator()<types>(), true)) || ...));
  return result;
}

/// choose_size<std::uint16_t, …>(bytes, []<class T> { return columns<…>; }): null if none has that size.
template <class... Sizes, class F>
Compute choose_size(unsigned bytes, F f) {
  Compute result = nullptr;
  static_cast<void>(((bytes == sizeof(Sizes) && (result = f.template operator()<Sizes>(), true)) || ...));
  return result;
}

template <class F>
Compute choose_flag(bool flag, F f) {
  return flag ? f.template operator()<true>() : f.template operator()<false>();
}

/// Without a rounding modifier: nearest even.
template <class F>
Compute choose_rounding(Rounding rounding, F f) {
  switch (rounding) {
    case Rounding::none:
    case Rounding::rn: return f.template operator()<Rounding::rn>();
    case Rounding::rz: return f.template operator()<Rounding::rz>();
    case Rounding::rm: return f.template operator()<Rounding::rm>();
    case Rounding::rp: return f.template operator()<Rounding::rp>();
    default: return nullptr;
  }
}

/// Ends a select function: stores the semantics, and returns whether there are any.
inline bool computed(Form& form, Compute compute) {
  form.compute = compute;
  return compute != nullptr;
}
template <Type... types, class F>
bool computed_for(Form& form, F f) {
  return computed(form, choose_type<types...>(form.type, f));
}

enum class Clamp : std::uint8_t { none, sat, relu };

inline constexpr auto never_tiny = [](auto...) { return false; };

/// A floating-point operation with its modifiers: .ftz on operands and result, then the canonical NaN and
/// .sat or .relu. `tiny` decides for which operands .ftz flushes a result that rounds to a normal number.
template <auto f, auto tiny, bool ftz, Clamp clamp, class Pointer = decltype(+f)>
struct Modified;

template <auto f, auto tiny, bool ftz, Clamp clamp, class V, class... A>
struct Modified<f, tiny, ftz, clamp, V (*)(A...)> {
  static V apply(A... a) { return result(in(a)...); }

 private:
  static V in(V x) {
    if constexpr (ftz) return flush(x);
    return x;
  }
  static V result(A... a) {
    V x = f(a...);
    if constexpr (ftz) x = flush(flush_if(tiny(a...), x));
    x = canonical(x);
    if constexpr (clamp == Clamp::sat) return saturate(x);
    if constexpr (clamp == Clamp::relu) return relu(x);
    return x;
  }
};

}  // namespace foldproof::isa
