#include "properties/large/byte_comparison.h"

#include <array>
#include <span>

#include "devices/runner_parts.h"

namespace foldproof {

ByteComparison::ByteComparison(cuda::Context& context, const Image& image)
    : context_(context), module_(context, image), function_(module_.function("compare_bytes", shape_)) {
  shape_.grid.x = static_cast<std::uint32_t>(context.resident_blocks(function_, shape_));
}

bool ByteComparison::are_equal(Address one, Address other, std::uint64_t bytes) {
  std::uint32_t differ = 0;
  context_.write(differ_.address(), std::as_bytes(std::span(&differ, 1)));
  context_.launch(
      function_, shape_,
      std::array{argument_of(one), argument_of(other), argument_of(bytes), argument_of(differ_.address())});
  context_.read(differ_.address(), std::as_writable_bytes(std::span(&differ, 1)));
  context_.wait();
  return differ == 0;
}

}  // namespace foldproof
