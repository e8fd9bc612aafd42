#include "properties/described.h"

namespace foldproof {

std::span<const DescribedName> described_names() {
  static constexpr DescribedName names[] = {
#define FOLDPROOF_DISTRIBUTION(id, name, takes, suits, synopsis) {"input distribution", name, synopsis},
#include "properties/distributions.def"
#undef FOLDPROOF_DISTRIBUTION
#define FOLDPROOF_TRANSFORM(id, name, takes, suits, synopsis) {"transform", name, synopsis},
#include "properties/transforms.def"
#undef FOLDPROOF_TRANSFORM
#define FOLDPROOF_RELATION(id, name, of, holds, claim) {"metamorphic relation", name, claim},
#include "properties/relations/relations.def"
#undef FOLDPROOF_RELATION
  };
  return names;
}

}  // namespace foldproof
