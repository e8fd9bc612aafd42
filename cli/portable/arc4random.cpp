// For portable builds on a system with glibc 2.36 or later: the C++ runtime, which RapidCheck asks for a
// seed, calls this function, and glibc 2.34 does not have it.
#include <sodium/randombytes.h>

#include <cstdint>
#include <cstdlib>

extern "C" std::uint32_t arc4random() noexcept { return randombytes_random(); }
