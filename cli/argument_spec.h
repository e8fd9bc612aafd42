// Kernel arguments in the notation of the command line:
//     i32:-5   u64:9   f32:1.5   f16:0x1p-3
//     bytes:00ff10     bytes:@FILE             a struct by value
//     buffer:TYPE:COUNT:zeros|iota|random|uninitialized|@FILE
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "devices/runner.h"
#include "oracles/formats.h"

namespace foldproof {

/// One kernel argument: the bytes of a number or a struct, or a buffer whose address is passed.
struct ArgumentSpec {
  Element type = Element::f32;  ///< of a number, or of a buffer's elements
  bool is_buffer = false;
  std::uint64_t count = 0;         ///< elements of the buffer
  std::vector<std::byte> content;  ///< of the number or struct, or of the buffer's initialized part
};

/// Reads one SPEC. `seed` determines the content of a random buffer. Throws InputError that names the SPEC.
ArgumentSpec parse_argument(const std::string& spec, std::uint64_t seed);

}  // namespace foldproof
