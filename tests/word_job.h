// Jobs whose results are 4-byte words.
#pragma once

#include <cstring>

#include "catch.h"
#include "devices/runner_parts.h"

namespace foldproof::test {

inline JobArgument word_argument(std::uint32_t value) { return {argument_of(value), {}}; }

/// The content of the job's first buffer.
inline std::uint32_t value_of(const JobResult& result) {
  std::uint32_t value = 0;
  REQUIRE(result.contents.at(0).size() == sizeof value);
  std::memcpy(&value, result.contents[0].data(), sizeof value);
  return value;
}

}  // namespace foldproof::test
