#include "contracts/loading/instances.h"

#include <utility>

#include "contracts/loading/tables.h"
#include "contracts/sizes.h"

namespace foldproof {

Instance build_instance(const Table& top, const Bindings& bindings, bool calls) {
  Draft draft{top, calls, Scope(bindings), {}};
  draft.instance.label = to_text(bindings);
  draft.instance.bindings = bindings;
  read_reduction(draft);
  read_domain(draft);
  read_tried(draft);
  if (const auto table = top.table("reduction")) draft.scope.read(*table, "k", draft.instance.reduction->k);
  read_operands(draft);
  read_buffers(draft);
  read_additional_outputs(draft);
  read_output(draft);
  read_launches(draft);
  read_claims(draft);
  check_small_sizes(draft.instance);
  check_indices(draft);
  return std::move(draft.instance);
}

}  // namespace foldproof
