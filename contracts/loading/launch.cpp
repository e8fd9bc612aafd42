// [[launch]]: kernels or host functions, with their shapes and arguments.
#include <fmt/format.h>

#include "contracts/keys.h"
#include "contracts/loading/tables.h"

namespace foldproof {
namespace {

/// A host function has no shape; a kernel must have one.
void check_shape(const Table& table, bool host) {
  for (const std::string_view key : {"grid", "block", "cluster", "cooperative", "shared"}) {
    if (host && table.has(key))
      throw InputError(fmt::format("a host function has no \"{}\"; remove the key", key), table.where(key));
    if (!host && (key == "grid" || key == "block") && !table.has(key))
      throw InputError(fmt::format("{} lacks the key \"{}\": {}", spelled_table("launch"), key,
                                   find_key("launch", key)->sentence),
                       table.where());
  }
}

/// The variable that gives the number of GPUs of a host function; empty if the table does not name one.
std::string gpus(const Scope& scope, const Table& table, bool host) {
  const auto gpus = scope.text(table, "gpus");
  if (!gpus) return "";
  if (!host) throw InputError("\"gpus\" applies only to host functions; add host = true", gpus->where);
  if (!scope.knows(gpus->value))
    throw InputError(fmt::format("\"gpus\" names the variable \"{}\", which [domain] does not have{}",
                                 gpus->value, scope.suggest(gpus->value)),
                     gpus->where);
  return gpus->value;
}

LaunchContract launch_of(const Scope& scope, const Table& table) {
  LaunchContract launch;
  launch.where = table.where("entry");
  launch.entry = scope.cpp({table.text("entry")->value, launch.where});
  launch.host = table.boolean("host", false);
  check_shape(table, launch.host);
  launch.gpus = gpus(scope, table, launch.host);
  launch.grid = scope.extents(table, "grid");
  launch.block = scope.extents(table, "block");
  launch.cluster = scope.extents(table, "cluster");
  launch.has_cluster = table.has("cluster");
  launch.cooperative = table.boolean("cooperative", false);
  launch.shared = Expression::constant(0);
  scope.read(table, "shared", launch.shared);
  for (const Text& text : table.texts("arguments")) launch.arguments.push_back(scope.argument(text));
  return launch;
}

}  // namespace

void read_launches(Draft& draft) {
  for (const Table& table : draft.top.tables("launch")) {
    draft.instance.launches.push_back(launch_of(draft.scope, table));
    draft.scope.add_launch(draft.instance.launches.back());
  }
}

}  // namespace foldproof
