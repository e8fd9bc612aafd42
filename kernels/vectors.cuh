// Vectors of 16 bytes, the widest that a thread can load or copy at once.
#pragma once

#include <cstddef>
#include <cstdint>

/// The result of one load instruction.
template <typename T>
struct alignas(16) Vector {
  static constexpr unsigned width = 16 / sizeof(T);
  T element[width];
};

/// Elements before the first 16-byte boundary, where vectors may begin: a wider load must be aligned to its
/// width.
template <typename T>
__device__ std::size_t elements_before_boundary(const T* address, std::size_t count) {
  const std::size_t bytes = (16 - reinterpret_cast<std::uintptr_t>(address) % 16) % 16;
  return min(bytes / sizeof(T), count);
}
