// Turns a pure function on values into a Compute, which applies it to the columns of a warp.
//
// Rows hold bits; the value type determines how a function reads them. A column of an inactive lane is
// unchanged, even if the destination is one of the sources.
#pragma once

#include <emmintrin.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <utility>

#include "devices/emulated/isa/instruction.h"
#include "devices/emulated/isa/processor.h"
#include "sanitizer/lane_set.h"

// Before a loop: iterations are independent, since rows are either identical or disjoint.
#ifdef __clang__
#define FOLDPROOF_NO_OVERLAP _Pragma("clang loop vectorize(assume_safety)")
#else
#define FOLDPROOF_NO_OVERLAP _Pragma("GCC ivdep")
#endif

namespace foldproof::isa {

__extension__ typedef unsigned __int128 u128;  // NOLINT(modernize-use-using): required by __extension__
__extension__ typedef __int128 s128;           // NOLINT(modernize-use-using)

namespace lanes {

/// The unsigned integer of that many bytes, and that of the size of T.
template <std::size_t size>
using BitsOfSize =
    std::tuple_element_t<std::countr_zero(size),
                         std::tuple<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, u128>>;
template <class T>
using Bits = BitsOfSize<sizeof(T)>;

/// Calls f with an integer of that size, which is a compile-time constant then.
template <class F>
void with_size(unsigned bytes, F f) {
  switch (bytes) {
    case 1: return f(std::uint8_t{});
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    default: return f(std::uint64_t{});
  }
}

inline constexpr auto lane_bit = [] {
  std::array<LaneMask, warp_size> bits{};
  for (unsigned lane = 0; lane < warp_size; ++lane) bits[lane] = LaneMask{1} << lane;
  return bits;
}();

/// A source row read as values of T. Predicates are read as bool.
template <class T>
struct Source {
  const Bits<T>* columns;
  Source(std::byte* frame, std::uint32_t offset) : columns(row<Bits<T>>(frame, offset)) {}
  T operator[](unsigned lane) const { return std::bit_cast<T>(columns[lane]); }
};
template <>
struct Source<bool> {
  LaneMask lanes;
  Source(std::byte* frame, std::uint32_t offset) : lanes(mask(frame, offset)) {}
  bool operator[](unsigned lane) const { return (lanes & lane_bit[lane]) != 0; }
};

/// Packs bytes of 0 or 0xFF, one per lane, into a lane mask.
inline LaneMask pack(const std::uint8_t (&bytes)[warp_size]) {
  const auto* halves = reinterpret_cast<const __m128i*>(bytes);
  const auto low = static_cast<unsigned>(_mm_movemask_epi8(_mm_load_si128(halves)));
  const auto high = static_cast<unsigned>(_mm_movemask_epi8(_mm_load_si128(halves + 1)));
  return low | high << 16;
}

/// Packs words of 0 or all ones, one per lane, into a lane mask.
inline LaneMask pack(const std::uint32_t (&words)[warp_size]) {
  const auto* quarters = reinterpret_cast<const __m128i*>(words);
  const auto half = [&](unsigned k) {
    const __m128i low = _mm_packs_epi32(_mm_load_si128(quarters + k), _mm_load_si128(quarters + k + 1));
    const __m128i high = _mm_packs_epi32(_mm_load_si128(quarters + k + 2), _mm_load_si128(quarters + k + 3));
    return static_cast<unsigned>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
  };
  return half(0) | half(4) << 16;
}

/// The lanes for which f is true.
template <auto f, class... A>
LaneMask where(Source<A>... source) {
  if constexpr (((sizeof(A) == sizeof(std::uint32_t)) && ...)) {  // comparing words yields words
    alignas(16) std::uint32_t words[warp_size];
    for (unsigned lane = 0; lane < warp_size; ++lane) words[lane] = f(source[lane]...) ? ~0U : 0U;
    return pack(words);
  }
  alignas(16) std::uint8_t bytes[warp_size];
  for (unsigned lane = 0; lane < warp_size; ++lane)
    bytes[lane] = f(source[lane]...) ? std::uint8_t{0xFF} : std::uint8_t{0};
  return pack(bytes);
}

inline void assign(std::byte* frame, std::uint32_t offset, LaneMask value, LaneMask lanes) {
  LaneMask& destination = mask(frame, offset);
  destination = (destination & ~lanes) | (value & lanes);
}

template <class B>
void blend(B* destination, const B* value, LaneMask lanes) {
  for (unsigned lane = 0; lane < warp_size; ++lane)
    destination[lane] = (lanes & lane_bit[lane]) != 0 ? value[lane] : destination[lane];
}

/// Sets destination[k] = value(k) in all columns, then restores the inactive ones: branch-free, so that it
/// vectorizes. A register may hold two values of R (`per_lane`), which are separate columns.
template <class R, unsigned per_lane = 1, class F>
void fill(std::byte* destination, LaneMask lanes, F value) {
  constexpr unsigned columns = warp_size * per_lane;
  // 16-bit columns vectorize only if nothing can alias them.
  if (sizeof(R) > 2 && lanes == all_lanes) {
    auto* d = reinterpret_cast<Bits<R>*>(destination);
    FOLDPROOF_NO_OVERLAP
    for (unsigned k = 0; k < columns; ++k) d[k] = std::bit_cast<Bits<R>>(value(k));
    return;
  }
  Bits<R> values[columns];
  for (unsigned k = 0; k < columns; ++k) values[k] = std::bit_cast<Bits<R>>(value(k));
  using Register = BitsOfSize<sizeof(R) * per_lane>;
  Register registers[warp_size];
  std::memcpy(registers, values, sizeof values);
  blend(reinterpret_cast<Register*>(destination), registers, lanes);
}

template <auto f, class R, unsigned per_lane, class... A>
void apply(std::byte* destination, LaneMask lanes, Source<A>... source) {
  fill<R, per_lane>(destination, lanes, [=](unsigned k) { return f(source[k]...); });
}

template <auto f, class Pointer>
struct Columns;

template <auto f, class R, class... A>
struct Columns<f, R (*)(A...)> {
  static void all(std::byte* frame, const Instruction& instruction, LaneMask lanes) {
    all<1>(frame, instruction, lanes, std::index_sequence_for<A...>{});
  }
  static void pairs(std::byte* frame, const Instruction& instruction, LaneMask lanes) {
    all<2>(frame, instruction, lanes, std::index_sequence_for<A...>{});
  }
  static void each(std::byte* frame, const Instruction& instruction, LaneMask lanes) {
    each<1>(frame, instruction, lanes, std::index_sequence_for<A...>{});
  }
  static void each_pair(std::byte* frame, const Instruction& instruction, LaneMask lanes) {
    each<2>(frame, instruction, lanes, std::index_sequence_for<A...>{});
  }

 private:
  template <unsigned per_lane, std::size_t... n>
  static void all(std::byte* frame, const Instruction& instruction, LaneMask lanes,
                  std::index_sequence<n...>) {
    const auto& operand = instruction.operand;
    if constexpr (std::is_same_v<R, bool>)
      assign(frame, operand[0], where<f>(Source<A>(frame, operand[n + 1])...), lanes);
    else
      apply<f, R, per_lane>(frame + operand[0], lanes, Source<A>(frame, operand[n + 1])...);
  }
  template <unsigned per_lane, std::size_t... n>
  static void each(std::byte* frame, const Instruction& instruction, LaneMask lanes,
                   std::index_sequence<n...>) {
    const auto& operand = instruction.operand;
    auto* destination = row<Bits<R>>(frame, operand[0]);
    for_lanes(lanes, [&](unsigned lane) {
      for (unsigned k = lane * per_lane; k < (lane + 1) * per_lane; ++k)
        destination[k] = std::bit_cast<Bits<R>>(f(Source<A>(frame, operand[n + 1])[k]...));
    });
  }
};

template <Compute body>
FOLDPROOF_AVX2 void with_avx2(std::byte* frame, const Instruction& instruction, LaneMask lanes) {
  body(frame, instruction, lanes);
}

}  // namespace lanes

/// `body` compiled for the best instruction set of this processor. All versions give the same bits.
template <Compute body>
Compute fastest() {
  return processor_has_avx2() ? &lanes::with_avx2<body> : body;
}

/// d = f(a, b, …) on whole rows: for functions that vectorize.
template <auto f>
inline const Compute columns = fastest<&lanes::Columns<f, decltype(+f)>::all>();

/// The same for registers that hold two values each: f on the low halves and on the high halves.
template <auto f>
inline const Compute column_pairs = fastest<&lanes::Columns<f, decltype(+f)>::pairs>();

/// Both; for rare instructions lane by lane, since each loop over a row takes time to compile.
template <auto f, bool is_rare>
Compute columns_of() {
  if constexpr (is_rare)
    return &lanes::Columns<f, decltype(+f)>::each;
  else
    return fastest<&lanes::Columns<f, decltype(+f)>::all>();
}
template <auto f, bool is_rare>
Compute column_pairs_of() {
  if constexpr (is_rare)
    return &lanes::Columns<f, decltype(+f)>::each_pair;
  else
    return fastest<&lanes::Columns<f, decltype(+f)>::pairs>();
}

/// d = f(a, b, …) lane by lane: for functions that branch or are slow.
template <auto f>
inline constexpr Compute each_lane = &lanes::Columns<f, decltype(+f)>::each;

}  // namespace foldproof::isa
