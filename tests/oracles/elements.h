// Inputs for oracle tests, written as numbers.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "oracles/number.h"

namespace foldproof {

template <typename T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Doubles, each rounded to the element.
inline std::vector<std::byte> elements_of(Element element, const std::vector<double>& values) {
  std::vector<std::byte> bytes(values.size() * size_of(element));
  for (std::size_t i = 0; i < values.size(); ++i)
    store(element, bytes, i, encode(element, number_of(values[i])));
  return bytes;
}

inline std::uint64_t bits_of(Element element, double value) { return encode(element, number_of(value)); }

}  // namespace foldproof
