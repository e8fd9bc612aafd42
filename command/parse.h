// Parsers for words of the command line. Each throws InputError with a sentence that names the option.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "sanitizer/finding.h"

namespace foldproof {

/// A decimal or 0x hexadecimal number, between the limits (inclusive).
std::uint64_t parse_number(const std::string& text, const std::string& option, std::uint64_t low,
                           std::uint64_t high);

/// "X", "X,Y" or "X,Y,Z"; each at least 1.
Dim3 parse_extent(const std::string& text, const std::string& option);

/// "90s", "1.5h", "500ms", "2m"; a bare number is seconds. At most 10^12 milliseconds.
std::chrono::milliseconds parse_duration(const std::string& text, const std::string& option);

/// A number, or "random" for a random one.
std::uint64_t parse_seed(const std::string& text);

/// "i/n": the i-th of n parts, counted from 1.
struct Shard {
  std::uint64_t index = 1, count = 1;
  bool holds(std::uint64_t item) const { return item % count == index - 1; }
};
Shard parse_shard(const std::string& text);

}  // namespace foldproof
