#include "properties/accuracy.h"

namespace foldproof {

std::string_view name(CheckResult::Evidence evidence) {
  static constexpr std::string_view names[Accuracy::kinds_of_evidence] = {"nothing", "category", "exact",
                                                                          "bound", "tree"};
  return names[static_cast<std::size_t>(evidence)];
}

}  // namespace foldproof
