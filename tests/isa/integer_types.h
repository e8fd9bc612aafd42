// The integer types of PTX, with values as exact 128-bit integers.
#pragma once

#include <cstdint>
#include <string>

#include "run.h"
#include "values.h"

namespace foldproof::tests::exact {

__extension__ typedef __int128 Exact;

struct IntegerType {
  std::string name;
  unsigned bits;
  bool is_signed;

  Value cut(Exact x) const {
    return static_cast<Value>(x) & (bits == 64 ? ~Value{0} : (Value{1} << bits) - 1);
  }
  Exact read(Value x) const {
    if (!is_signed) return x;
    const unsigned unused = 64 - bits;
    return static_cast<std::int64_t>(x << unused) >> unused;
  }
};

inline const IntegerType u16{"u16", 16, false}, u32{"u32", 32, false}, u64{"u64", 64, false};
inline const IntegerType s16{"s16", 16, true}, s32{"s32", 32, true}, s64{"s64", 64, true};

inline Columns three(const IntegerType& type) {
  return crossed({integers(type.bits, 1), integers(type.bits, 2), integers(type.bits, 3)}, 9);
}

}  // namespace foldproof::tests::exact
