// [[buffer]] and [output]: the memory that launches write, and its initial content.
#include <fmt/format.h>

#include <algorithm>

#include "contracts/loading/tables.h"
#include "contracts/names.h"
#include "contracts/sizes.h"
#include "oracles/number.h"
#include "oracles/result_checker.h"

namespace foldproof {
namespace {

void check_no_values(BufferContract::Initial initial, std::string_view key, const Position& where) {
  if (initial == BufferContract::Initial::any)
    throw InputError(
        fmt::format("\"{}\" cannot be \"any\" here: only an output accumulates into values of the caller",
                    key),
        where);
}

/// A kernel may add its result to values of the caller if the oracle can add them, too.
void check_accumulation(const Instance& instance, const Table& table) {
  if (instance.output_initial != BufferContract::Initial::any || !instance.reduction) return;
  const Reduction& reduction = *instance.reduction;
  const Position where = table.where("initial");
  if (instance.in_place || instance.output_index || instance.output_reset == BufferContract::Reset::once)
    throw InputError(
        "initial = \"any\" requires an output of its own that begins with the result and is reset "
        "before each call",
        where);
  if (is_float(reduction.output) && reduction.accumulator != reduction.output)
    throw InputError(
        "initial = \"any\" requires an accumulator of the output's type, in which the kernel adds "
        "the value",
        where);
  const auto has_scales = [](const OperandContract& operand) { return operand.role == Role::scales; };
  if (std::ranges::any_of(instance.operands, has_scales))
    throw InputError("initial = \"any\" is not possible for elements with scales", where);
  if (const std::string_view why = why_not_accumulated(reduction.op, reduction.result, reduction.sum,
                                                       reduction.input, reduction.output);
      !why.empty())
    throw InputError(fmt::format("initial = \"any\" is not possible: {}", why), where);
}

void check_identity(BufferContract::Initial initial, Operator op, const Position& where) {
  if (initial == BufferContract::Initial::identity && !has_identity(info(op)))
    throw InputError(
        fmt::format("{} has no identity to initialize a buffer with; choose undefined or zero", name(op)),
        where);
}

/// The number of elements of a result if [output] does not specify it.
Text usual_output_count(const Draft& draft) {
  const auto& reduction = draft.instance.reduction;
  const ResultShape shape = reduction ? reduction->result : ResultShape::value;
  const Position where = draft.top.where("reduction");
  switch (shape) {
    case ResultShape::value: return {"1", where};
    case ResultShape::columns:
      return {info(reduction->op).gives == OperatorInfo::Gives::elements ? "count" : "columns", where};
    case ResultShape::segments: return {"segments", where};
    case ResultShape::scan:
    case ResultShape::row_scans:
    case ResultShape::array: return {"count", where};
    case ResultShape::rows:
      if (info(reduction->op).gives == OperatorInfo::Gives::elements) return {"count", where};
      if (info(reduction->op).gives == OperatorInfo::Gives::ranked && reduction->k)
        return {fmt::format("({}) * ({})", rows_of_output(draft, where).value, reduction->k->text()), where};
      return rows_of_output(draft, where);
    case ResultShape::partials:
    case ResultShape::bins: break;
  }
  throw InputError(
      fmt::format("the result \"{}\" requires the key \"count\" in [output]: the number of elements",
                  name_of(result_names, shape)),
      where);
}

}  // namespace

void read_buffers(Draft& draft) {
  for (const Table& table : draft.top.tables("buffer")) {
    BufferContract buffer;
    buffer.name = draft.scope.add_buffer(*table.text("name"));
    draft.scope.read(table, "type", buffer.type);
    draft.scope.read(table, "count", buffer.count);
    draft.scope.read(table, "initial", initial_names, buffer.initial);
    draft.scope.read(table, "reset", reset_names, buffer.reset);
    check_no_values(buffer.initial, "initial", table.where("initial"));
    draft.instance.buffers.push_back(std::move(buffer));
  }
}

void read_input(Draft& draft) {
  const auto table = draft.top.table("input");
  if (!table) return;
  Instance& instance = draft.instance;
  if (!instance.reduction) throw InputError("[input] requires a [reduction]", draft.top.where("input"));
  draft.scope.read(*table, "capacity", instance.input_capacity);
  draft.scope.read(*table, "padding", initial_names, instance.input_padding);
  check_identity(instance.input_padding, instance.reduction->op, table->where("padding"));
  check_no_values(instance.input_padding, "padding", table->where("padding"));
}

void check_identities(const Draft& draft) {
  const std::vector<Table> tables = draft.top.tables("buffer");
  for (std::size_t k = 0; k < tables.size(); ++k) {
    const BufferContract& buffer = draft.instance.buffers.at(k);
    if (const auto op = operator_of(draft.instance, buffer.name))
      check_identity(buffer.initial, *op, tables[k].where("initial"));
  }
}

void read_output(Draft& draft) {
  Instance& instance = draft.instance;
  const auto table = draft.top.table("output");
  const auto count = table ? table->text("count") : std::nullopt;
  instance.output_count = draft.scope.expression(count ? *count : usual_output_count(draft));
  if (!table) return;
  draft.scope.read(*table, "capacity", instance.output_capacity);
  draft.scope.read(*table, "index", instance.output_index);
  draft.scope.read(*table, "initial", initial_names, instance.output_initial);
  if (instance.reduction)
    check_identity(instance.output_initial, instance.reduction->op, table->where("initial"));
  draft.scope.read(*table, "reset", reset_names, instance.output_reset);
  instance.in_place = table->boolean("in_place", false);
  check_accumulation(instance, *table);
}

void check_indices(const Draft& draft) {
  const auto& reduction = draft.instance.reduction;
  if (!reduction || info(reduction->op).gives != OperatorInfo::Gives::index) return;
  const Element type = reduction->output;
  const bool has_rows =
      range_of(draft.instance, "rows") != nullptr && range_of(draft.instance, "spatial") == nullptr;
  const std::string_view length = reduction->result == ResultShape::rows                  ? "columns"
                                  : reduction->result == ResultShape::columns && has_rows ? "rows"
                                                                                          : "count";
  const std::int64_t last = greatest_claimed(draft.instance, length) - 1;
  if (is_float(type) || last <= 0 || represents(type, static_cast<std::uint64_t>(last))) return;
  const Table table = *draft.top.table("reduction");
  throw InputError(
      fmt::format("an output of type {} cannot represent the index {}, but \"{}\" may be {}; choose a wider "
                  "\"output\" or fewer elements",
                  name(type), last, length, last + 1),
      table.where(table.has("output") ? "output" : "operator"));
}

}  // namespace foldproof
