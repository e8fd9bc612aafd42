// The undefined bytes that a job's launches left in a buffer: defects, and possible padding.
#pragma once

#include <cstdint>
#include <string_view>

#include "devices/emulated/memory/memory.h"
#include "devices/emulated/shadow/origins.h"
#include "devices/undefined_fill.h"

namespace foldproof::emulated {

/// A buffer in global memory.
struct OutputBuffer {
  std::uint64_t address = 0, bytes = 0;
  std::string_view name;
  /// 0: every bit counts. Otherwise only the element size in bytes is known: structures may have padding
  /// inside an element; with 1, anywhere.
  std::uint32_t loose_element = 0;
};

/// Examines a buffer that is inside `region`. A hole that has the shape of padding, and whose bytes still
/// hold the contents of never-written memory, is assumed to be padding that was copied with a structure, and
/// is not an error. If it was stored from registers of 4 bytes or more, it may be an unwritten member, and a
/// warning is reported.
UndefinedOutput undefined_output(const Origins& origins, const Region& region, const OutputBuffer& buffer);

}  // namespace foldproof::emulated
