// Hashes of numbers and of contents, and unpredictable numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace foldproof {

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): every bit of x changes half the bits of the result.
constexpr std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9;
  x ^= x >> 27;
  x *= 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// A hash of text and numbers that is the same on every host (FNV-1a, mixed).
constexpr std::uint64_t hash_of(std::string_view text, std::uint64_t seed = 0) {
  std::uint64_t hash = 0xcbf29ce484222325 ^ mixed(seed);
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return mixed(hash);
}

/// 128-bit BLAKE2b (RFC 7693) with a key of at most 64 bytes, as 32 lower-case hexadecimal digits. Contents
/// with the same hash cannot be constructed without the key.
std::string keyed_hash(std::string_view bytes, std::string_view key);

/// A number for names and keys; std::random_device would require glibc 2.36.
std::uint64_t unpredictable_number();

}  // namespace foldproof
