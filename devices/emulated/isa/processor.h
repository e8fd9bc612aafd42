// Loops over the columns of a warp are compiled twice, for baseline x86-64 and for AVX2. The version is
// selected once; both give the same bits.
#pragma once

// Function attribute: compiles it and everything that it calls for AVX2, without fused multiply-adds, which
// would round differently.
#define FOLDPROOF_AVX2 __attribute__((target("avx2"), flatten))

namespace foldproof::isa {

inline bool processor_has_avx2() { return __builtin_cpu_supports("avx2") != 0; }

}  // namespace foldproof::isa
