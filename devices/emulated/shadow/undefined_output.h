// What a job's launches left without a value in a buffer: which of it is a mistake, and which may be padding.
#pragma once

#include <cstdint>
#include <string_view>

#include "devices/emulated/memory/memory.h"
#include "devices/emulated/shadow/origins.h"
#include "devices/undefined.h"

namespace foldproof::emulated {

/// A buffer in global memory.
struct OutputBuffer {
  std::uint64_t address = 0, bytes = 0;
  std::string_view name;
  /// 0: every bit counts. Else nobody told more of the layout than elements of so many bytes: structures may
  /// have padding inside an element, and anywhere among bytes.
  std::uint32_t loose_element = 0;
};

/// Looks at a buffer that lies in `region`. A hole where padding can lie, whose bytes still hold what memory
/// held that nobody wrote, was copied with a structure: it is idle. Where numbers of 4 bytes or more came so,
/// they may as well be members that nobody wrote, and there is a warning.
UndefinedOutput undefined_output(const Origins& origins, const Region& region, const OutputBuffer& buffer);

}  // namespace foldproof::emulated
