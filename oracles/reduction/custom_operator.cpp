#include "oracles/custom_operator.h"

#include <fmt/format.h>

#include <array>
#include <random>
#include <vector>

#include "oracles/formats.h"
#include "oracles/number.h"

namespace foldproof {
namespace {

/// Triples of these expose most operators that do not fold; others differ only in upper bits.
constexpr std::array<std::int64_t, 9> small_values{0, 1, 2, 3, 4, -1, -2, -3, -4};
constexpr int random_triples = 4096;

class InType {
 public:
  InType(const CustomOperator& custom, Element element) : custom_(custom), element_(element) {}

  std::uint64_t value(std::uint64_t bits) const { return extended(element_, bits & code_mask(element_)); }
  std::uint64_t combined(std::uint64_t a, std::uint64_t b) const { return value(custom_.combine(a, b)); }
  std::string text(std::uint64_t value) const { return to_text(element_, value & code_mask(element_)); }

  std::optional<std::string> changed_by_identity(std::uint64_t a) const {
    const std::uint64_t e = value(custom_.identity);
    if (combined(e, a) == a && combined(a, e) == a) return std::nullopt;
    return fmt::format(
        "{} is not an identity of \"{}\" in {}: combined with it, {} becomes {} as the first operand and {} "
        "as the second; specify the value that changes nothing",
        text(e), custom_.text, name(element_), text(a), text(combined(a, e)), text(combined(e, a)));
  }

  std::optional<std::string> depends_on_grouping(std::uint64_t a, std::uint64_t b, std::uint64_t c) const {
    const std::uint64_t left = combined(combined(a, b), c), right = combined(a, combined(b, c));
    if (left == right) return std::nullopt;
    return fmt::format(
        "\"{}\" is not associative in {}: for {}, {} and {} it gives {} if the first two are combined first, "
        "and {} if the last two are; a kernel that combines partial results requires an associative operator",
        custom_.text, name(element_), text(a), text(b), text(c), text(left), text(right));
  }

 private:
  const CustomOperator& custom_;
  Element element_;
};

}  // namespace

std::optional<std::string> why_it_does_not_fold(const CustomOperator& custom, Element element) {
  const InType type(custom, element);
  std::vector<std::uint64_t> small;
  for (const std::int64_t a : small_values) small.push_back(type.value(static_cast<std::uint64_t>(a)));
  for (const std::uint64_t a : small)
    for (const std::uint64_t b : small)
      for (const std::uint64_t c : small)
        if (auto why = type.depends_on_grouping(a, b, c)) return why;
  for (const std::uint64_t a : small)
    if (auto why = type.changed_by_identity(a)) return why;
  std::mt19937_64 random;
  for (int k = 0; k < random_triples; ++k) {
    const std::uint64_t a = type.value(random()), b = type.value(random()), c = type.value(random());
    if (auto why = type.depends_on_grouping(a, b, c)) return why;
    if (auto why = type.changed_by_identity(a)) return why;
  }
  return std::nullopt;
}

}  // namespace foldproof
