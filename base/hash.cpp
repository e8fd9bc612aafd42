#include "base/hash.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sodium/core.h>
#include <sodium/crypto_generichash_blake2b.h>
#include <sodium/randombytes.h>

#include <array>

namespace foldproof {

std::string keyed_hash(std::string_view bytes, std::string_view key) {
  static const int has_chosen_code [[maybe_unused]] = sodium_init();  // the fastest for this processor
  std::array<unsigned char, 16> hash{};
  const auto* const content = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto* const secret = reinterpret_cast<const unsigned char*>(key.data());
  crypto_generichash_blake2b(hash.data(), hash.size(), content, bytes.size(), secret, key.size());
  return fmt::format("{:02x}", fmt::join(hash, ""));
}

std::uint64_t unpredictable_number() {
  std::uint64_t number = 0;
  randombytes_buf(&number, sizeof number);
  return number;
}

}  // namespace foldproof
