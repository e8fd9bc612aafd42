#include "base/hash.h"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>

namespace foldproof {

std::string content_hash(std::string_view bytes, std::string_view key) {
  std::array<char, XXH3_SECRET_DEFAULT_SIZE> secret{};
  if (!key.empty()) XXH3_generateSecret(secret.data(), secret.size(), key.data(), key.size());
  const XXH128_hash_t hash =
      key.empty() ? XXH3_128bits(bytes.data(), bytes.size())
                  : XXH3_128bits_withSecret(bytes.data(), bytes.size(), secret.data(), secret.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace foldproof
