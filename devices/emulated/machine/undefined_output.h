// What a job's launches left without a value in a buffer: which of it is a mistake, and which may be padding.
#pragma once

#include <cstdint>
#include <string_view>

#include "devices/emulated/machine/definedness.h"
#include "devices/emulated/machine/memory.h"
#include "devices/undefined.h"

namespace foldproof::machine {

/// Looks at `bytes` bytes of global memory from the device address `from` on, which lie in `region`. Where
/// `may_be_padded`, nobody told their layout: then a hole that padding could leave is a warning where it came as
/// a number could, in a register of its own, and else nothing.
UndefinedOutput undefined_output(const Origins& origins, const Region& region, std::uint64_t from,
                                 std::uint64_t bytes, std::string_view name, bool may_be_padded);

}  // namespace foldproof::machine
