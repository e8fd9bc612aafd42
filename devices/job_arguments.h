// Arguments as a launch takes them.
#pragma once

#include <fmt/format.h>

#include <cstring>

#include "devices/runner.h"

namespace foldproof {

/// The argument of a launch that is given outright.
template <typename T>
ArgumentBytes argument_of(const T& value) {
  ArgumentBytes bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

/// The argument's bytes with the addresses of buffers in them; `start` tells where a buffer begins. Throws
/// InputError for an address that does not fit.
template <typename Start>
ArgumentBytes patched(const JobArgument& argument, const Start& start) {
  ArgumentBytes bytes = argument.bytes;
  for (const PointerPatch& patch : argument.pointers) {
    const Address address = start(patch.buffer) + patch.offset;
    if (patch.at + sizeof address > bytes.size())
      throw InputError(fmt::format("an address at byte {} does not fit into an argument of {} bytes",
                                   patch.at, bytes.size()));
    std::memcpy(bytes.data() + patch.at, &address, sizeof address);
  }
  return bytes;
}

}  // namespace foldproof
