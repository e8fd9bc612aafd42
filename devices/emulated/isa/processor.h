// Loops over the columns of a warp are compiled twice: for what every x86-64 processor has, and for AVX2.
// Which one runs is chosen once. The bits are the same.
#pragma once

// Before a function: compiled for AVX2 together with all that it calls. Fused multiply-adds are no part of
// it, for they would round differently.
#define FOLDPROOF_AVX2 __attribute__((target("avx2"), flatten))

namespace foldproof::isa {

inline bool processor_has_avx2() { return __builtin_cpu_supports("avx2") != 0; }

}  // namespace foldproof::isa
