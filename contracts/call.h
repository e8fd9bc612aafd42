// Wraps a device function in a kernel, so that it can be launched and checked like any other.
#pragma once

#include <string>

#include "contracts/contract.h"

namespace foldproof {

/// Adds to the instance the launch of the kernel that `call_kernels` generates, one block, and sets the size
/// of the output. `number` distinguishes the kernels of the instances. The instance must have a reduction.
void imply_launch(Instance& instance, const DeviceCall& call, std::size_t number);

/// C++ source of the kernels for every instance of a contract with a `call`.
std::string call_kernels(const Contract& contract);

}  // namespace foldproof
