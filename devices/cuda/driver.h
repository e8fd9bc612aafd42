// The CUDA driver, opened at run time: nothing links against CUDA, and a machine without a driver gets an
// error message.
#pragma once

#include <cuda.h>

#include <string>
#include <string_view>

#include "devices/cuda/failure.h"

namespace foldproof::cuda {

/// The driver functions in use, by name.
struct Driver {
#define FOLDPROOF_DRIVER_FUNCTION(function) decltype(&::function) function##_ = nullptr;
#include "devices/cuda/driver.def"
#undef FOLDPROOF_DRIVER_FUNCTION
};

/// Opens and initializes the driver once. Throws Unsupported if there is no driver, no GPU, or if the driver
/// is too old and lacks a function.
const Driver& driver();

/// "an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)"
std::string text_of(CUresult result);

/// Throws Failure unless the driver succeeded; `doing` completes "GPU error while …".
void check(CUresult result, std::string_view doing);

}  // namespace foldproof::cuda
