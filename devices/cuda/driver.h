// CUDA's driver, opened at run time: nothing of CUDA is linked, and a machine without it is told so.
#pragma once

#include <cuda.h>

#include <string>
#include <string_view>

#include "devices/cuda/failure.h"

namespace foldproof::cuda {

/// The driver's functions that are used, by their names.
struct Driver {
#define FOLDPROOF_DRIVER_FUNCTION(function) decltype(&::function) function##_ = nullptr;
#include "devices/cuda/driver.def"
#undef FOLDPROOF_DRIVER_FUNCTION
};

/// Opens and initialises it once. Throws Unsupported where there is no driver, an older one that lacks a
/// function, or no GPU.
const Driver& driver();

/// "an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)"
std::string text_of(CUresult result);

/// Throws Failure unless the driver succeeded; `doing` completes "the GPU fails at …".
void check(CUresult result, std::string_view doing);

}  // namespace foldproof::cuda
