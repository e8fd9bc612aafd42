#include "devices/undefined_fill.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/hash.h"

namespace foldproof {
namespace {

constexpr UndefinedFill chance[] = {
    {{0, 0}, {~0u, ~0u}, 1},                                  // any bits
    {{0x76007600, 0x76007600}, {0x00ff00ff, 0x00ff00ff}, 2},  // huge in every format
    {{0xf600f600, 0xf600f600}, {0x00ff00ff, 0x00ff00ff}, 3},  // equally large negative values
    {{0x3f000000, 0x3f000000}, {0x80ffffff, 0x80ffffff}, 4},  // f32 of either sign, magnitude from 0.5 to 2
    {{0, 0x3fe00000}, {~0u, 0x801fffff}, 5},                  // f64
    {{0x38003800, 0x38003800}, {0x87ff87ff, 0x87ff87ff}, 6},  // f16
    {{0, 0}, {0xf, 0xf}, 7},                                  // small integers of 32 bits
    {{0, 0}, {0xff, 0}, 8},                                   // small integers of 64 bits
    {{0, 0}, {0x03030303, 0x03030303}, 9},                    // small integers of 8 bits
    {{0, 0}, {~0u, ~0u}, 10},                                 // any bits, another sequence
};

// The same value in all elements of that size.
UndefinedFill everywhere(std::uint64_t value, unsigned bytes) {
  auto low = static_cast<std::uint32_t>(value);
  const auto high = static_cast<std::uint32_t>(value >> 32);
  if (bytes == 1) low = (low & 0xff) * 0x01010101;
  if (bytes == 2) low = (low & 0xffff) * 0x00010001;
  return {{low, bytes == 8 ? high : low}};
}

}  // namespace

std::uint32_t UndefinedFill::word(std::uint64_t memory, std::uint64_t at) const {
  const std::uint64_t place = at / sizeof(std::uint32_t);
  const std::uint32_t bits = varied[place % 2];
  if (bits == 0) return base[place % 2];
  const std::uint64_t any = mixed(mixed(memory + seed * std::uint64_t{0x9e3779b97f4a7c15}) + place);
  return base[place % 2] ^ (static_cast<std::uint32_t>(any) & bits);
}

void fill_undefined(std::span<std::byte> bytes, const UndefinedFill& fill, std::uint64_t memory,
                    std::uint64_t at) {
  if (bytes.empty()) return;
  std::array<std::uint32_t, 2> words{};
  const auto take = [&](std::uint64_t from) {
    words = {fill.word(memory, from), fill.word(memory, from + sizeof(std::uint32_t))};
  };
  take(at);
  std::size_t done = 0;
  for (; done + sizeof words <= bytes.size(); done += sizeof words) {
    if (fill.is_varied()) take(at + done);
    std::memcpy(bytes.data() + done, words.data(), sizeof words);
  }
  take(at + done);
  std::memcpy(bytes.data() + done, words.data(), bytes.size() - done);
}

std::span<const UndefinedFill> random_fills() { return chance; }

std::vector<UndefinedFill> fills_of(const std::vector<UseOfUndefined::Compared>& compared) {
  std::vector<UndefinedFill> all = {everywhere(0, 4), everywhere(1, 4),
                                    everywhere(std::bit_cast<std::uint32_t>(1.0f), 4),
                                    everywhere(std::bit_cast<std::uint64_t>(1.0), 8)};
  const auto add = [&](std::uint64_t value, unsigned bytes) {
    if (const UndefinedFill one = everywhere(value, bytes); std::ranges::find(all, one) == all.end())
      all.push_back(one);
  };
  for (const auto& [value, bytes] : compared) {
    for (const std::uint64_t near : {value, value + 1, value - 1}) {
      add(near, bytes);
      // Bytes and halves are usually compared in registers of 4 bytes.
      if (bytes != 8 && static_cast<std::uint32_t>(near) <= 0xffff) add(near, 2);
      if (bytes != 8 && static_cast<std::uint32_t>(near) <= 0xff) add(near, 1);
    }
    if (bytes != 4) continue;
    // The value before a conversion to f32, or before doubling.
    add(std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(value))), 4);
    add(value / 2, 4);
  }
  return all;
}

}  // namespace foldproof
