#include "properties/accuracy.h"

namespace foldproof {

std::string_view name(Judgement::Layer layer) {
  static constexpr std::string_view names[Accuracy::layers] = {"nothing", "category", "exact", "bound",
                                                               "tree"};
  return names[static_cast<std::size_t>(layer)];
}

}  // namespace foldproof
