// How compute-sanitizer's findings express a position in a kernel.
#pragma once

#include <fmt/format.h>

#include <string>

#include "sanitizer/compute_sanitizer/records.h"

namespace foldproof::compute_sanitizer {

inline Position position(const Place& place) { return {place.file, place.line, 0}; }

/// "kernel+0x110" for a place without line information, which a Position cannot express; otherwise empty.
inline std::string offset_in_words(const Place& place) {
  const bool says_nothing = place.function.empty() || place.line != 0;
  return says_nothing ? "" : fmt::format("{}+{:#x}", place.function, place.pc);
}

}  // namespace foldproof::compute_sanitizer
