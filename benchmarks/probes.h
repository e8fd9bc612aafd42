// Small programs that test statements about devices and compilers.
#pragma once

#include <cstdint>
#include <string>

namespace foldproof {

/// The result of a warp that shuffles its lane numbers down by 16.
struct Shuffled {
  std::uint32_t lane;   ///< a lane whose source would be past lane 31
  std::uint32_t value;  ///< the value that it gets
};
Shuffled shuffled_past_the_end();

/// Why a kernel that writes the last of this many words of static shared memory does not run; empty if it
/// does.
std::string refusal_of_shared_words(unsigned words);

/// Why a block of this many threads does not run; empty if it does.
std::string refusal_of_threads(unsigned threads);

/// Whether nvcc compiles cg::reduce over the group. Throws InputError without nvcc.
bool reduce_of_group_compiles(const std::string& group);

}  // namespace foldproof
