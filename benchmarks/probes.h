// Small programs that settle what is said about devices and compilers.
#pragma once

#include <cstdint>
#include <string>

namespace foldproof {

/// A warp shuffles its lane numbers down by 16.
struct Shuffled {
  std::uint32_t lane;   ///< one whose source would lie past lane 31
  std::uint32_t value;  ///< that it gets
};
Shuffled shuffled_past_the_end();

/// Why a kernel with so many words of static shared memory, of which it writes the last, does not run; empty
/// when it does.
std::string refusal_of_shared_words(unsigned words);

/// Why a block of so many threads does not run; empty when it does.
std::string refusal_of_threads(unsigned threads);

/// Whether nvcc compiles cg::reduce over the group. Throws InputError where there is no nvcc.
bool reduce_of_group_compiles(const std::string& group);

}  // namespace foldproof
