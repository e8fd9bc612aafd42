#include "contracts/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace foldproof {
namespace {

/// Variables that must not be negative.
constexpr std::string_view sizes[] = {"count",   "rows",  "columns", "segments",
                                      "spatial", "block", "grid",    "offset"};

Position place_of_count(const Instance& instance) {
  const Range* range = range_of(instance, "count");
  return range == nullptr ? Position{} : range->low.where();
}

void check_variables(const Instance& instance, const Variables& variables) {
  for (const auto& [name, range] : instance.domain) {
    const auto value = value_of(variables, name);
    if (value && *value < 0 && std::ranges::find(sizes, name) != std::end(sizes))
      throw InputError(fmt::format("\"{}\" may be {}, but must not be negative", name, *value),
                       range.low.where());
  }
}

void check_rows(const Instance& instance, const Variables& variables) {
  if (!instance.reduction || !needs_columns(instance.reduction->result)) return;
  const auto count = value_of(variables, "count"), columns = value_of(variables, "columns"),
             rows = value_of(variables, "rows");
  if (!count || !columns) return;
  const auto spatial = reduces_columns(instance) ? value_of(variables, "spatial") : std::nullopt;
  std::int64_t row = 0, elements = 0;
  const bool has_length = !__builtin_mul_overflow(*columns, spatial.value_or(1), &row);
  const bool right =
      has_length && (rows       ? !__builtin_mul_overflow(*rows, row, &elements) && elements == *count
                     : row == 0 ? *count == 0
                                : *count % row == 0);
  if (!right)
    throw InputError(
        fmt::format("\"count\" must be rows * columns{} if the result is rows, columns or row-scans, but it "
                    "may be {} for {} of {} columns{}",
                    spatial ? " * spatial" : "", *count, rows ? fmt::format("{} rows", *rows) : "rows",
                    *columns, spatial ? fmt::format(" with {} elements each", *spatial) : ""),
        place_of_count(instance));
}

void check_elements(std::string_view buffer, const Expression& count, const Variables& variables) {
  if (const auto elements = evaluated(count, variables); elements && *elements < 0)
    throw InputError(
        fmt::format("the number of elements of the buffer \"{}\" may be {}, but must not be negative", buffer,
                    *elements),
        count.where());
}

void check_bins(const Instance& instance, const Variables& variables) {
  if (!instance.reduction || instance.reduction->result != ResultShape::bins) return;
  if (evaluated(instance.output_count, variables) == 0)
    throw InputError("a histogram has at least one bin, but the output may have no elements",
                     instance.output_count.where());
}

/// An empty input has no height: nothing is combined.
void check_height(const Instance& instance, const Variables& variables) {
  if (!instance.claims.height || value_of(variables, "count") == 0) return;
  const Expression& claimed = *instance.claims.height;
  if (const auto height = evaluated(claimed, variables); height && *height < 0)
    throw InputError(
        fmt::format("the height \"{}\" may be {}, but must not be negative", claimed.text(), *height),
        claimed.where());
}

/// A case with each variable `step` above its low end, or at the low end if its range is too short; if
/// `grows`, the step increases from one variable to the next.
std::optional<Variables> small_case(const Instance& instance, std::int64_t step, bool grows) {
  Variables chosen;
  for (const auto& [name, range] : instance.domain) {
    const auto low = evaluated(range.low, chosen), high = evaluated(range.high, chosen);
    if (!low || !high) return std::nullopt;
    std::int64_t above = 0;
    const bool fits = !__builtin_add_overflow(*low, step, &above) && above <= *high;
    chosen[name] = fits ? above : *low;
    if (grows) ++step;
  }
  return chosen;
}

}  // namespace

std::optional<std::int64_t> value_of(const Variables& variables, std::string_view name) {
  const auto found = variables.find(name);
  return found == variables.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::int64_t> evaluated(const Expression& expression, const Variables& variables) {
  try {
    return expression.evaluate(variables);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::int64_t tile_of(const Variables& variables) {
  return std::max<std::int64_t>(value_of(variables, "block").value_or(32), 1);
}

const Range* range_of(const Instance& instance, std::string_view variable) {
  const auto found = std::ranges::find(instance.domain, variable, &std::pair<std::string, Range>::first);
  return found == instance.domain.end() ? nullptr : &found->second;
}

bool reduces_columns(const Instance& instance) {
  return instance.reduction && instance.reduction->result == ResultShape::columns;
}

void check_sizes(const Instance& instance, const Variables& variables) {
  check_variables(instance, variables);
  check_rows(instance, variables);
  if (instance.reduction) check_elements(instance.output_name, instance.output_count, variables);
  for (const auto* size : {&instance.output_capacity, &instance.output_index})
    if (*size) check_elements(instance.output_name, **size, variables);
  if (instance.input_capacity) check_elements(instance.input_name, *instance.input_capacity, variables);
  for (const OperandContract& operand : instance.operands)
    check_elements(operand.name, operand.count, variables);
  for (const BufferContract& buffer : instance.buffers) check_elements(buffer.name, buffer.count, variables);
  check_bins(instance, variables);
  check_height(instance, variables);
}

void check_small_sizes(const Instance& instance) {
  constexpr std::int64_t largest_step = 3;
  for (std::int64_t step = 0; step <= largest_step; ++step)
    for (const bool grows : {false, true})
      if (const auto variables = small_case(instance, step, grows)) check_sizes(instance, *variables);
}

std::int64_t greatest_claimed(const Instance& instance, std::string_view variable) {
  Variables greatest;
  for (const auto& [name, range] : instance.domain) {
    const auto low = evaluated(range.low, greatest), high = evaluated(range.high, greatest);
    if (!low || !high) return std::numeric_limits<std::int64_t>::max();  // beyond 63 bits
    greatest[name] = std::max(*low, *high);
    if (name == variable) return greatest[name];
  }
  return 0;
}

}  // namespace foldproof
