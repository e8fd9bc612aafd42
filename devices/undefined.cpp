#include "devices/undefined.h"

#include <array>
#include <cstring>

namespace foldproof {

void fill_undefined(std::span<std::byte> bytes, const Filling& filling, std::uint64_t place) {
  const auto words_at = [&](std::size_t at) {
    const std::uint64_t first = place + at / sizeof(std::uint32_t);
    return std::array{filling.word(first), filling.word(first + 1)};
  };
  auto words = words_at(0);
  std::size_t at = 0;
  for (; at + sizeof words <= bytes.size(); at += sizeof words) {
    if (filling.varied) words = words_at(at);
    std::memcpy(bytes.data() + at, words.data(), sizeof words);
  }
  words = words_at(at);
  std::memcpy(bytes.data() + at, words.data(), bytes.size() - at);
}

}  // namespace foldproof
