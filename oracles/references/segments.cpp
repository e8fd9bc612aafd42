#include "oracles/references/segments.h"

#include <fmt/format.h>

#include <stdexcept>

namespace foldproof {

std::vector<std::span<const std::byte>> segments(Element element, std::span<const std::byte> elements,
                                                 std::span<const std::uint64_t> offsets) {
  const std::size_t size = size_of(element), count = elements.size() / size;
  std::vector<std::span<const std::byte>> result;
  for (std::size_t k = 0; k + 1 < offsets.size(); ++k) {
    const std::uint64_t first = offsets[k], last = offsets[k + 1];
    if (first > last || last > count)
      throw std::invalid_argument(fmt::format(
          "segment {} reaches from element {} to {}, of {}: offsets must ascend and end with the input", k,
          first, last, count));
    result.push_back(elements.subspan(first * size, (last - first) * size));
  }
  return result;
}

}  // namespace foldproof
