// [claims]: what the kernel promises beyond its value.
#include "contracts/loading/tables.h"
#include "contracts/names.h"

namespace foldproof {

void read_claims(Draft& draft) {
  const auto table = draft.top.table("claims");
  if (!table) return;
  const auto& reduction = draft.instance.reduction;
  if (reduction) {
    std::vector<Operator> ops{reduction->op};
    for (const AdditionalOutput& additional : draft.instance.additional_outputs)
      ops.push_back(additional.reduction.op);
    check_keys(draft.scope, "claims", *table, ops);
  }
  Claims& claims = draft.instance.claims;
  claims.deterministic = table->boolean("deterministic", claims.deterministic);
  claims.same_for_every_launch = table->boolean("same_for_every_launch", claims.same_for_every_launch);
  if (claims.same_for_every_launch && reduction && reduction->result == ResultShape::partials)
    throw InputError(
        "\"same_for_every_launch\" does not apply to partial results, which depend on the launch",
        table->where("same_for_every_launch"));
  if (claims.same_for_every_launch && !claims.deterministic)
    throw InputError("a result that is the same for every launch is deterministic; add deterministic = true",
                     table->where("same_for_every_launch"));
  draft.scope.read(*table, "nan", nan_names, claims.nan);
  draft.scope.read(*table, "empty", empty_names, claims.empty);
  draft.scope.read(*table, "ties", tie_names, claims.ties);
  draft.scope.read(*table, "masked", masked_names, claims.masked);
  claims.flushes_subnormals = table->boolean("flushes_subnormals", claims.flushes_subnormals);
  claims.keeps_input = table->boolean("keeps_input", claims.keeps_input);
  if (table->has("uses_every_input_once"))
    claims.uses_every_input_once = table->boolean("uses_every_input_once", true);
  draft.scope.read(*table, "height", claims.height);
}

}  // namespace foldproof
