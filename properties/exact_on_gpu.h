// The exact sum of elements in GPU memory, computed by the catalogue's kernel that adds without rounding
// (E5).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>

#include "contracts/contract.h"
#include "devices/cuda/context.h"
#include "oracles/dyadic.h"
#include "oracles/number.h"
#include "properties/kernel_on_gpu.h"

namespace foldproof {

/// The contract's instance for elements of that type. Throws InputError if there is none.
const Instance& instance_of_input(const Contract& contract, Element element);

class ExactOnGpu {
 public:
  /// `contract`: of kernels/careful/exact.cu, with its image. Both must outlive this object, and so must the
  /// context.
  ExactOnGpu(cuda::Context& context, const Contract& contract, std::shared_ptr<const Image> image)
      : context_(context), contract_(contract), image_(std::move(image)) {}

  struct Sum {
    Dyadic finite;      ///< sum of the finite elements, not rounded
    Specials specials;  ///< a NaN may be represented by infinities of both signs
  };

  /// The sum of up to 2^33 elements from an address that is a multiple of the element size. Throws InputError
  /// for a type that the kernel does not support: it supports all floating-point types except e2m1.
  Sum sum(Element element, Address elements, std::int64_t count, const LaunchWish& wish = {});

 private:
  KernelOnGpu& kernel_of(Element element, std::int64_t count, const LaunchWish& wish);

  cuda::Context& context_;
  const Contract& contract_;
  std::shared_ptr<const Image> image_;
  /// Reused: an input's sum is followed by that of its partial sums, and then by the next input's.
  std::map<std::tuple<Element, std::int64_t, LaunchWish>, std::unique_ptr<KernelOnGpu>> kernels_;
};

}  // namespace foldproof
