// A kernel around a device function, so that it can be launched and checked like any other.
#pragma once

#include <string>

#include "contracts/contract.h"

namespace foldproof {

/// Gives the instance the launch, and the output's size, of the kernel that `call_kernel` writes: one block.
/// `number` tells the instances' kernels apart. The instance has a reduction.
void imply_launch(Instance& instance, const DeviceCall& call, std::size_t number);

/// C++ source of the kernels for every instance of a contract with a `call`.
std::string call_kernels(const Contract& contract);

}  // namespace foldproof
