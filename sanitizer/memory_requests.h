// The cost of one load, store or atomic of a warp in the memory system.
//
//   Shared memory   32 banks, each 4 bytes wide: word w is in bank w mod 32. In one pass a bank serves one
//                   word, to any number of lanes. Accesses of up to 4 bytes per lane are served for all lanes
//                   together; of 8 bytes, for half a warp; of 16 bytes, for a quarter.
//   Global memory   sectors of 32 bytes, each transferred once per request.
#pragma once

#include <cstdint>

#include "sanitizer/observer.h"

namespace foldproof {

struct BankService {
  std::uint32_t passes = 0;     ///< passes of the request
  std::uint32_t conflicts = 0;  ///< of these, passes that would not be needed without bank conflicts
};

/// How the banks serve a request to shared memory. Reads and writes of one word share a pass; atomics on one
/// word are serialized. Each block has its own banks.
BankService serve(const AccessEvent& event);

/// The number of sectors that a request to global memory touches.
std::uint32_t sectors(const AccessEvent& event);

}  // namespace foldproof
