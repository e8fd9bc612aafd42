// Which instances of kernel templates stand for the others.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace foldproof {

/// The indices, in order, of at most `most` of the kernels, and of at least one for each template or
/// overload. Of a template with many instances, those are chosen that together have most of the values of
/// each template argument. `kernels`: C++ spellings, such as "sum<float, 128u>".
std::vector<std::size_t> representative_instances(const std::vector<std::string>& kernels, std::size_t most);

}  // namespace foldproof
