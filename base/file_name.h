// Names of files that are made from other names, such as those of kernels.
#pragma once

#include <string>
#include <string_view>

namespace foldproof {

/// The letters and digits of the text, and the character `kept`. Runs of other characters become one
/// `separator`, except at the beginning.
std::string file_name_part(std::string_view text, char kept, char separator);

}  // namespace foldproof
