// What memory has to do for one load, store or atomic of a warp.
//
//   Shared memory   32 banks, each 4 bytes wide: word w lies in bank w mod 32. In one pass a bank serves one
//                   word, to however many lanes want it. Lanes of up to 4 bytes are served together; of 8
//                   bytes, each half of the warp; of 16 bytes, each quarter.
//   Global memory   sectors of 32 bytes, each moved once a request.
#pragma once

#include <cstdint>

#include "sanitizer/observer.h"

namespace foldproof {

struct BankService {
  std::uint32_t passes = 0;     ///< that the request takes
  std::uint32_t conflicts = 0;  ///< of these, those that it would not take if no two words met in a bank
};

/// How the banks serve a request to shared memory. Reads and writes of one word go together; atomics on one
/// word follow each other. Each block has banks of its own.
BankService serve(const AccessEvent& event);

/// How many sectors a request to global memory touches.
std::uint32_t sectors(const AccessEvent& event);

}  // namespace foldproof
