// Kernel arguments from a contract: bytes, and addresses to be patched in.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "contracts/contract.h"
#include "devices/runner.h"

namespace foldproof {

/// The index in the job of a buffer that an argument names, and the size of its elements.
struct BufferPlace {
  std::uint32_t index = 0;
  std::uint64_t element_bytes = 0;
};
using FindBuffer = std::function<BufferPlace(const std::string& name)>;

/// Lays an argument out for a parameter of `parameter_bytes` bytes. Throws InputError at `where` if it does
/// not fit.
JobArgument lay_out(const ArgumentContract& argument, std::uint32_t parameter_bytes,
                    const Variables& variables, const FindBuffer& find, const Position& where);

}  // namespace foldproof
