// [domain] and [tried]: the variables of a case and their ranges.
#include <fmt/format.h>

#include <algorithm>

#include "contracts/loading/tables.h"
#include "contracts/placeholders.h"
#include "contracts/sizes.h"

namespace foldproof {
namespace {

/// A case is drawn in time that grows with the square of the number of variables, since each may limit the
/// others.
constexpr std::size_t most_variables = 64;

/// Names of arguments, and of what a case contains besides the variables.
bool is_reserved(std::string_view name) {
  constexpr std::string_view reserved[] = {"input",    "output",   "seed",           "calls",
                                           "schedule", "relation", "co_running_load"};
  return std::ranges::find(reserved, name) != std::end(reserved);
}

Text range_in(const toml::node& node, const std::string& what, const Draft& draft) {
  if (const auto raw = scalar(node, draft.top.file())) return *raw;
  throw InputError(what + " must be an integer or a range in a string", position_of(node, draft.top.file()));
}

void add_variable(Draft& draft, const std::string& name, const Text& raw) {
  draft.instance.domain.emplace_back(name, draft.scope.range(raw));
  draft.scope.add_variable(name);
  const Expression& most = draft.instance.domain.back().second.high;
  if (name == "block" && most.names().empty() && most.evaluate({}) > most_threads_of_a_block)
    throw InputError(fmt::format("a block has at most {} threads, but \"block\" may be {}",
                                 most_threads_of_a_block, most.evaluate({})),
                     most.where());
}

}  // namespace

void check_needed_variables(const Draft& draft, const Reduction& reduction, const Position& where) {
  const auto need = [&](std::string_view variable, const char* sentence) {
    if (!draft.scope.knows(variable)) throw InputError(sentence, where);
  };
  need("count", "[domain] must specify \"count\", the number of elements, such as \"0 .. 2^33\"");
  const ResultShape shape = reduction.result;
  if (needs_columns(shape))
    need("columns",
         "[domain] must specify \"columns\", the number of elements per row, before \"count\", such as "
         "columns = \"1 .. 2^16\" and count = \"rows * columns\"");
  if (shape == ResultShape::segments)
    need("segments",
         "[domain] must specify \"segments\", the number of segments, such as segments = \"0 .. 2^20\"");
}

void read_domain(Draft& draft) {
  const auto variables = draft.top.free_table("domain");
  if (variables.size() > most_variables)
    throw InputError(
        fmt::format("[domain] has {} variables; the limit is {}", variables.size(), most_variables),
        draft.top.where("domain"));
  for (const auto& [name, node] : variables) {
    if (!is_identifier(name.value) || is_reserved(name.value))
      throw InputError(fmt::format("\"{}\" cannot name a variable of the domain", name.value), name.where);
    add_variable(draft, name.value, range_in(*node, fmt::format("the domain of \"{}\"", name.value), draft));
  }
  const Position where = draft.top.where("domain");
  if (draft.calls && !draft.scope.knows("block"))
    throw InputError(
        "[domain] must specify \"block\", the block sizes that the call supports, such as \"{B}\"", where);
  if (draft.calls && !draft.scope.knows("count")) add_variable(draft, "count", {"0 .. block", where});
  if (draft.instance.reduction) check_needed_variables(draft, *draft.instance.reduction, where);
}

void read_tried(Draft& draft) {
  for (const auto& [name, node] : draft.top.free_table("tried")) {
    if (!draft.scope.knows(name.value))
      throw InputError(fmt::format("\"{}\" in [tried] is not a variable of [domain]{}", name.value,
                                   draft.scope.suggest(name.value)),
                       name.where);
    const Text raw = range_in(*node, fmt::format("\"{}\" in [tried]", name.value), draft);
    draft.instance.tried.emplace(name.value, draft.scope.range(raw));
  }
}

Text rows_of_output(const Draft& draft, const Position& where) {
  if (draft.scope.knows("rows")) return {"rows", where};
  const Expression& least = range_of(draft.instance, "columns")->low;
  if (least.names().empty() && least.evaluate({}) == 0)
    throw InputError(
        "a row may have 0 columns, so the number of rows cannot be computed from \"count\"; add a variable "
        "\"rows\" with count = \"rows * columns\", or specify \"count\" in [output]",
        least.where());
  return {"count / columns", where};
}

}  // namespace foldproof
