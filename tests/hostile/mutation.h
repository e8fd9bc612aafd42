// Random changes of a text that a program reads: of its bytes, tokens, numbers and lines.
#pragma once

#include <random>
#include <string>
#include <string_view>

namespace foldproof::test {

/// A text derived from `text` by one to four random changes. `other` is a text of the same language from
/// which tokens and lines may be taken.
std::string mutated(const std::string& text, std::string_view other, std::mt19937_64& random);

}  // namespace foldproof::test
