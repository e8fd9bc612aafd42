#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include "reports/paint.h"
#include "reports/text/sections.h"

namespace foldproof {

namespace {

// --- instances that share a row

bool is_number(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

bool differ_only_in_numbers(const Bindings& left, const Bindings& right) {
  return std::ranges::equal(left, right, [](const Binding& x, const Binding& y) {
    return x.name == y.name && (x.value == y.value || (is_number(x.value) && is_number(y.value)));
  });
}

/// T=f32,B=32 and T=f32,B=1024 as "T=f32,B=32..1024".
std::string label_range(const Bindings& first, const Bindings& last) {
  Bindings range = first;
  for (std::size_t i = 0; i < range.size(); ++i)
    if (first[i].value != last[i].value) range[i].value += ".." + last[i].value;
  return to_text(range);
}

bool share_a_row(const KernelReport& left, const KernelReport& right) {
  return left.verdict == Verdict::clean && right.verdict == Verdict::clean && left.id == right.id &&
         left.kernel == right.kernel && left.file == right.file &&
         differ_only_in_numbers(left.bindings, right.bindings);
}

/// Adds `next` to the row `sum`, which began with `first`.
void add(KernelReport& sum, const KernelReport& first, const KernelReport& next) {
  sum.label = label_range(first.bindings, next.bindings);
  sum.cases += next.cases;
  sum.seconds += next.seconds;
  if (next.worst_error_over_bound)
    sum.worst_error_over_bound =
        std::max(sum.worst_error_over_bound.value_or(0), *next.worst_error_over_bound);
}

std::vector<KernelReport> grouped(const std::vector<KernelReport>& kernels) {
  std::vector<KernelReport> rows;
  const KernelReport* first = nullptr;
  for (const KernelReport& kernel : kernels) {
    if (first != nullptr && share_a_row(*first, kernel)) {
      add(rows.back(), *first, kernel);
    } else {
      rows.push_back(kernel);
      first = &kernel;
    }
  }
  return rows;
}

// --- cells

struct VerdictWord {
  std::string text;
  Color color;
};

VerdictWord word_for(const KernelReport& kernel) {
  static constexpr Color colors[] = {
#define FOLDPROOF_VERDICT(id, name, counted, color) Color::color,
#include "properties/verdicts.def"
#undef FOLDPROOF_VERDICT
  };
  const bool has_findings = kernel.verdict == Verdict::findings;
  if (has_findings && kernel.expected) return {"as expected", Color::green};
  return {has_findings ? counted(kernel.findings.size(), has_only_warnings(kernel) ? "warning" : "finding")
                       : std::string(name(kernel.verdict)),
          colors[static_cast<std::size_t>(kernel.verdict)]};
}

std::string ratio_text(const KernelReport& kernel) {
  if (kernel.worst_error_over_bound) return fmt::format("{:.3g}", *kernel.worst_error_over_bound);
  // Without rounding, every checked value was right bit for bit.
  const auto exact = kernel.accuracy.checked_by[static_cast<std::size_t>(CheckResult::Evidence::exact)];
  return kernel.verdict == Verdict::clean && exact > 0 ? "exact" : "-";
}

/// The kernel's name without its id and instance, which have their own columns.
std::string bare_name(const KernelReport& kernel) {
  std::string text = kernel.kernel;
  if (!kernel.id.empty() && text.starts_with(kernel.id + " ")) text.erase(0, kernel.id.size() + 1);
  return printable(text);
}

using Row = std::array<std::string, 7>;
constexpr std::size_t columns = std::tuple_size_v<Row>;
constexpr std::size_t id_column = 0, name_column = 1, instance_column = 2, verdict_column = 5;
constexpr bool right_aligned[columns] = {false, false, false, true, true, false, true};
constexpr std::size_t narrowest = 18;  ///< width at which a column of free text still distinguishes rows

Row cells_of(const KernelReport& kernel) {
  return {printable(kernel.id),
          bare_name(kernel),
          printable(kernel.label),
          std::to_string(kernel.cases),
          ratio_text(kernel),
          word_for(kernel).text,
          fmt::format("{:.2f} s", kernel.seconds)};
}

std::array<std::size_t, columns> widths_for(const std::vector<Row>& rows, std::size_t width) {
  std::array<std::size_t, columns> widths{};
  for (const Row& row : rows)
    for (std::size_t c = 0; c < columns; ++c) widths[c] = std::max(widths[c], columns_of(row[c]));
  std::size_t total = 2 * (columns - 1);
  for (const std::size_t w : widths) total += w;
  for (const std::size_t c : {name_column, instance_column, id_column}) {
    const std::size_t over = total > width ? total - width : 0;
    const std::size_t given = std::min(over, widths[c] - std::min(widths[c], narrowest));
    widths[c] -= given;
    total -= given;
  }
  return widths;
}

}  // namespace

std::string table(const AuditReport& report, bool color, unsigned width) {
  const Paint paint(color);
  const std::vector<KernelReport> kernels = grouped(report.kernels);
  std::vector<Row> rows{{"id", "kernel", "instance", "cases", "error/bound", "verdict", "time"}};
  for (const KernelReport& kernel : kernels) rows.push_back(cells_of(kernel));
  const auto widths = widths_for(rows, width);
  // A kernel's name is shown once, above its instances; the id is repeated, for grep.
  for (std::size_t r = rows.size() - 1; r > 0; --r)
    if (rows[r][name_column] == rows[r - 1][name_column] && kernels[r - 1].id == rows[r - 1][id_column])
      rows[r][name_column].clear();
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (std::size_t c = 0; c < columns; ++c) {
      const std::string cell = cut(rows[r][c], widths[c]);
      const std::string padded =
          right_aligned[c] ? fmt::format("{:>{}}", cell, widths[c]) : fmt::format("{:<{}}", cell, widths[c]);
      const bool verdict = r > 0 && c == verdict_column;
      line += (c == 0 ? "" : "  ") + (verdict ? paint(word_for(kernels[r - 1]).color, padded) : padded);
    }
    text += (r == 0 ? paint(Color::dim, line) : line) + "\n";
  }
  return text;
}

}  // namespace foldproof
