#include "oracles/bound.h"

namespace foldproof {

Bound sharper(Bound a, Bound b) {
  if (!a) return b;
  if (!b) return a;
  return *b < *a ? b : a;
}

}  // namespace foldproof
