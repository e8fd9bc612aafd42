#include "properties/exact_on_gpu.h"

#include <fmt/format.h>

#include <cstring>

#include "oracles/formats.h"

namespace foldproof {
namespace {

constexpr int limb_bits = 32;

template <typename T>
T word(std::span<const std::byte> bytes, std::size_t index = 0) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
  return value;
}

/// 64-bit limbs, lowest first, each worth 2^32 times the previous one, as multiples of the format's smallest
/// subnormal number; what a limb holds above its 32 bits belongs to the higher ones, with its sign.
Dyadic sum_of(std::span<const std::byte> limbs, const FloatFormat& format) {
  Dyadic sum;
  for (std::size_t k = 0; k < limbs.size() / sizeof(std::int64_t); ++k)
    sum = sum + Dyadic(word<std::int64_t>(limbs, k),
                       format.lowest_exponent + limb_bits * static_cast<std::int64_t>(k));
  return sum;
}

Specials specials_of(std::uint32_t signs) {
  Specials specials;
  specials.positive_infinity = (signs & 1) != 0;
  specials.negative_infinity = (signs & 2) != 0;
  return specials;
}

}  // namespace

const Instance& instance_of_input(const Contract& contract, Element element) {
  for (const Instance& instance : contract.instances)
    if (instance.reduction && instance.reduction->input == element) return instance;
  throw InputError(fmt::format("{} does not support elements of type {}", contract.id, name(element)));
}

KernelOnGpu& ExactOnGpu::kernel_of(Element element, std::int64_t count, const LaunchWish& wish) {
  const std::tuple key{element, count, wish};
  const auto known = kernels_.find(key);
  if (known != kernels_.end()) return *known->second;
  auto kernel =
      std::make_unique<KernelOnGpu>(context_, instance_of_input(contract_, element), image_, count, wish);
  if (kernel->count() != count)
    throw InputError(fmt::format("{} does not support a count of {} elements", contract_.id, count));
  return *(kernels_[key] = std::move(kernel));
}

ExactOnGpu::Sum ExactOnGpu::sum(Element element, Address elements, std::int64_t count,
                                const LaunchWish& wish) {
  KernelOnGpu& kernel = kernel_of(element, count, wish);
  // The block whose ticket is the grid's last rounds the sum and clears it. With a first ticket beyond the
  // grid's no block does: the sum remains where all blocks have added their shares.
  const auto blocks = static_cast<std::uint32_t>(kernel.first_shape().grid.volume());
  kernel.write("ticket", std::as_bytes(std::span(&blocks, 1)));
  for (const char* buffer : {"limbs", "unbounded"}) kernel.clear(buffer);
  kernel.run(elements);
  const Element wide = instance_of_input(contract_, element).reduction->accumulator;
  return {sum_of(kernel.read("limbs"), float_format(wide)),
          specials_of(word<std::uint32_t>(kernel.read("unbounded")))};
}

}  // namespace foldproof
