#include "reports/counters_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "base/printable.h"
#include "reports/paint.h"
#include "reports/text/sections.h"

namespace foldproof {
namespace {

// --- numbers

/// An integer without a fraction, any other number with one digit.
std::string number(double value) {
  return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.1f}", value);
}

std::string percent(double share) { return number(std::round(1000 * share) / 10) + "%"; }

std::string a_block(const Counters& c, std::uint64_t value) { return number(ratio(value, c.blocks)); }

/// Sectors per request, if there are requests.
std::string sectors_each(const GlobalTraffic& traffic) {
  return traffic.requests == 0 ? "-" : number(ratio(traffic.sectors, traffic.requests));
}

std::uint64_t conflicts(const Counters& c) {
  return c.shared.loads.conflicts + c.shared.stores.conflicts + c.shared.atomics.conflicts;
}

// --- columns

struct Column {
  std::string title;
  std::string (*cell)(const Counters&);
};

const Column work[] = {
    {"blocks", [](const Counters& c) { return number(static_cast<double>(c.blocks)); }},
    {"threads", [](const Counters& c) { return a_block(c, c.threads); }},
    {"instr.", [](const Counters& c) { return a_block(c, c.warp_instructions); }},
    {"active", [](const Counters& c) { return percent(c.warp_efficiency()); }},
    {"diverge", [](const Counters& c) { return a_block(c, c.divergent_branches); }},
    {"barriers", [](const Counters& c) { return a_block(c, c.block_barriers); }},
    {"warp bar.", [](const Counters& c) { return a_block(c, c.warp_barriers); }},
    {"shuffles", [](const Counters& c) { return a_block(c, c.of(InstructionClass::shuffle)); }},
};

/// "loads/stores"
template <class Traffic>
std::string requests(const Counters& c, const ByAccess<Traffic>& by) {
  return a_block(c, by.loads.requests) + "/" + a_block(c, by.stores.requests);
}

const Column memory[] = {
    {"shared ld/st", [](const Counters& c) { return requests(c, c.shared); }},
    {"conflicts", [](const Counters& c) { return a_block(c, conflicts(c)); }},
    {"global ld/st", [](const Counters& c) { return requests(c, c.global); }},
    {"sectors ld/st",
     [](const Counters& c) { return sectors_each(c.global.loads) + "/" + sectors_each(c.global.stores); }},
    {"atomics", [](const Counters& c) { return a_block(c, c.global.atomics.lanes); }},
};

// --- tables

using Cells = std::vector<std::string>;

std::string aligned(const std::vector<Cells>& rows, std::size_t left_columns, const Paint& paint) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Cells& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], columns_of(row[c]));
  std::string text;
  for (const Cells& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c)
      line += c < left_columns ? fmt::format("{:<{}}  ", row[c], widths[c])
                               : fmt::format("{:>{}}{}", row[c], widths[c], c + 1 < row.size() ? "  " : "");
    text += (&row == &rows.front() ? paint(Color::dim, line) : line) + "\n";
  }
  return text;
}

template <class Row>
std::string table(const AuditReport& report, Cells titles, const Paint& paint, Row row) {
  titles.insert(titles.begin(), {"id", "instance"});
  std::vector<Cells> rows{titles};
  for (const KernelReport& kernel : report.kernels) {
    if (!kernel.counters) continue;
    Cells cells = row(kernel.counters->counters);
    cells.insert(cells.begin(), {cut(printable(kernel.id), 9), cut(printable(kernel.label), 16)});
    rows.push_back(std::move(cells));
  }
  return "\n" + aligned(rows, 2, paint);
}

std::string table(const AuditReport& report, std::span<const Column> columns, const Paint& paint) {
  Cells titles;
  for (const Column& column : columns) titles.push_back(column.title);
  return table(report, titles, paint, [&](const Counters& c) {
    Cells cells;
    for (const Column& column : columns) cells.push_back(column.cell(c));
    return cells;
  });
}

/// Only the classes that occur.
std::string class_table(const AuditReport& report, const Paint& paint) {
  std::vector<std::size_t> present;
  for (std::size_t k = 0; k < instruction_class_names.size(); ++k)
    if (std::ranges::any_of(report.kernels, [&](const KernelReport& kernel) {
          return kernel.counters && kernel.counters->counters.classes[k] != 0;
        }))
      present.push_back(k);
  Cells titles;
  for (const std::size_t k : present) titles.emplace_back(instruction_class_titles[k]);
  return table(report, titles, paint, [&](const Counters& c) {
    Cells cells;
    for (const std::size_t k : present) cells.push_back(percent(ratio(c.classes[k], c.warp_instructions)));
    return cells;
  });
}

// --- list

std::string line(std::string_view name, const std::string& value) {
  return fmt::format("  {:<24}{}\n", name, value);
}

std::string shared_text(const SharedTraffic& t) {
  return fmt::format("{} requests by {} lanes, {} passes, {} of them due to bank conflicts", t.requests,
                     t.lanes, t.passes, t.conflicts);
}

std::string global_text(const GlobalTraffic& t) {
  return fmt::format("{} requests by {} lanes, {} sectors, {} per request", t.requests, t.lanes, t.sectors,
                     sectors_each(t));
}

template <class Traffic, class Text>
std::string lines(std::string_view space, const ByAccess<Traffic>& by, Text text) {
  std::string all;
  const auto add = [&](std::string_view what, const Traffic& t) {
    if (t.requests != 0) all += line(fmt::format("{} {}", space, what), text(t));
  };
  add("loads", by.loads);
  add("stores", by.stores);
  add("atomics", by.atomics);
  return all;
}

}  // namespace

std::string counters_tables(const AuditReport& report, bool color) {
  if (std::ranges::none_of(report.kernels, [](const KernelReport& k) { return k.counters.has_value(); }))
    return {};
  const Paint paint(color);
  return "\n"
         "Counters per block, from one case per instance; active: share of live lanes; sectors: per request "
         "to global\n"
         "memory. --format json prints the cases and all numbers.\n" +
         table(report, work, paint) + table(report, memory, paint) + "\nInstructions by class:\n" +
         class_table(report, paint) + "\n";
}

std::string counters_list(const Counters& c) {
  std::string text = "counters:\n";
  text += line("warp instructions", std::to_string(c.warp_instructions));
  for (std::size_t k = 0; k < c.classes.size(); ++k)
    if (c.classes[k] != 0)
      text += line(fmt::format("  {}", instruction_class_names[k]),
                   fmt::format("{} ({})", c.classes[k], percent(ratio(c.classes[k], c.warp_instructions))));
  text += line("active / live lanes", percent(c.warp_efficiency()));
  text += line("divergent branches",
               fmt::format("{} of {}", c.divergent_branches, c.of(InstructionClass::branch)));
  text += lines("shared", c.shared, shared_text) + lines("global", c.global, global_text);
  if (c.atomics_at_busiest_address != 0)
    text += line("busiest address", fmt::format("{} atomics", c.atomics_at_busiest_address));
  text += line("barriers", fmt::format("{} block, {} warp, {} cluster", c.block_barriers, c.warp_barriers,
                                       c.cluster_barriers));
  return text;
}

}  // namespace foldproof
