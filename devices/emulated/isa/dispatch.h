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
template <>
struct ValueOf<Type::pred> {
  using type = bool;
};
template <>
struct ValueOf<Type::b8> {
  using type = std::uint8_t;
};
template <>
struct ValueOf<Type::b16> {
  using type = std::uint16_t;
};
template <>
struct ValueOf<Type::b32> {
  using type = std::uint32_t;
};
template <>
struct ValueOf<Type::b64> {
  using type = std::uint64_t;
};
template <>
struct ValueOf<Type::u8> {
  using type = std::uint8_t;
};
template <>
struct ValueOf<Type::u16> {
  using type = std::uint16_t;
};
template <>
struct ValueOf<Type::u32> {
  using type = std::uint32_t;
};
template <>
struct ValueOf<Type::u64> {
  using type = std::uint64_t;
};
template <>
struct ValueOf<Type::s8> {
  using type = std::int8_t;
};
template <>
struct ValueOf<Type::s16> {
  using type = std::int16_t;
};
template <>
struct ValueOf<Type::s32> {
  using type = std::int32_t;
};
template <>
struct ValueOf<Type::s64> {
  using type = std::int64_t;
};
template <>
struct ValueOf<Type::u16x2> {
  using type = Pair<std::uint16_t>;
};
template <>
struct ValueOf<Type::s16x2> {
  using type = Pair<std::int16_t>;
};
template <>
struct ValueOf<Type::f16> {
  using type = Half;
};
template <>
struct ValueOf<Type::f16x2> {
  using type = Pair<Half>;
};
template <>
struct ValueOf<Type::bf16> {
  using type = Bfloat;
};
template <>
struct ValueOf<Type::bf16x2> {
  using type = Pair<Bfloat>;
};
template <>
struct ValueOf<Type::f32> {
  using type = float;
};
template <>
struct ValueOf<Type::f32x2> {
  using type = Pair<float>;
};
template <>
struct ValueOf<Type::f64> {
  using type = double;
};
template <Type type>
using Value = typename ValueOf<type>::type;

/// choose_type<Type::u32, …>(type, []<Type t> { return columns<…>; }): null if the type is none of them.
template <Type... types, class F>
Compute choose_type(Type type, F f) {
  Compute result = nullptr;
  static_cast<void>(((type == types && (result = f.template operator()<types>(), true)) || ...));
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

}  // namespace foldproof::isa
