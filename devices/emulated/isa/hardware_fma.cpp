// fma.rn with the instruction of the processor.
#include <cstring>

#include "devices/emulated/isa/dispatch.h"
#include "devices/emulated/isa/double.h"
#include "devices/emulated/isa/float.h"
#include "devices/emulated/isa/lanes.h"

#define FOLDPROOF_FMA __attribute__((target("avx2,fma")))

namespace foldproof::isa {
namespace {

template <bool ftz, bool sat>
float settle(float x) {
  const float number = canonical(ftz ? flush(x) : x);
  return sat ? saturate(number) : number;
}

/// The smallest normal number may be the rounded value of a smaller exact result, which .ftz flushes.
constexpr std::uint32_t borderline = 0x00800000;

// The loops are written out here, since only code inlined into them is compiled for FMA.

template <bool ftz, bool sat, unsigned per_lane>
FOLDPROOF_FMA void fuse_f32(std::byte* frame, const Instruction& instruction, LaneMask lanes) {
  constexpr unsigned columns = warp_size * per_lane;
  const auto& operand = instruction.operand;
  const auto* a = row<std::uint32_t>(frame, operand[1]);
  const auto* b = row<std::uint32_t>(frame, operand[2]);
  const auto* c = row<std::uint32_t>(frame, operand[3]);
  const auto in = [](std::uint32_t bits) {
    return ftz ? flush(std::bit_cast<float>(bits)) : std::bit_cast<float>(bits);
  };
  std::uint32_t value[columns];
  std::uint32_t doubtful = 0;
  for (unsigned k = 0; k < columns; ++k) {
    value[k] = bits_of(settle<ftz, sat>(__builtin_fmaf(in(a[k]), in(b[k]), in(c[k]))));
    doubtful |= std::uint32_t{(value[k] & ~f32_sign) == borderline};
  }
  if (ftz && doubtful != 0)
    for (unsigned k = 0; k < columns; ++k) {
      const bool tiny = (value[k] & ~f32_sign) == borderline &&
                        f32::fused_is_tiny<Rounding::rn>(in(a[k]), in(b[k]), in(c[k]));
      value[k] = bits_of(flush_if(tiny, std::bit_cast<float>(value[k])));
    }
  using Register = lanes::BitsOfSize<4 * per_lane>;
  Register registers[warp_size];
  std::memcpy(registers, value, sizeof value);
  lanes::blend(row<Register>(frame, operand[0]), registers, lanes);
}

FOLDPROOF_FMA void fuse_f64(std::byte* frame, const Instruction& instruction, LaneMask lanes) {
  const auto& operand = instruction.operand;
  const auto* a = row<std::uint64_t>(frame, operand[1]);
  const auto* b = row<std::uint64_t>(frame, operand[2]);
  const auto* c = row<std::uint64_t>(frame, operand[3]);
  std::uint64_t value[warp_size];
  for (unsigned k = 0; k < warp_size; ++k) {
    const auto x = std::bit_cast<double>(a[k]), y = std::bit_cast<double>(b[k]),
               z = std::bit_cast<double>(c[k]);
    value[k] = bits_of(f64::settle(__builtin_fma(x, y, z), y, z, x));
  }
  lanes::blend(row<std::uint64_t>(frame, operand[0]), value, lanes);
}

template <unsigned per_lane>
Compute choose_f32(const Form& form) {
  return choose_flag(form.ftz, [&]<bool ftz>() -> Compute {
    return form.sat ? &fuse_f32<ftz, true, per_lane> : &fuse_f32<ftz, false, per_lane>;
  });
}

}  // namespace

Compute hardware_fma(const Form& form) {
  static const bool present = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (!present || form.rounding != Rounding::rn) return nullptr;
  switch (form.type) {
    case Type::f32: return choose_f32<1>(form);
    case Type::f32x2: return form.sat ? nullptr : choose_f32<2>(form);
    case Type::f64: return form.ftz || form.sat ? nullptr : &fuse_f64;
    default: return nullptr;
  }
}

}  // namespace foldproof::isa
