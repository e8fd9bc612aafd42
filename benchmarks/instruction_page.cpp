#include "benchmarks/instruction_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/printable.h"
#include "benchmarks/instruction_forms.h"
#include "devices/emulated/isa/every_form.h"
#include "devices/emulated/isa/instruction_set.h"

namespace foldproof {
namespace {

std::string types_of(const TypedRowName& typed) {
  return typed.type2.empty() ? typed.type : typed.type + "." + typed.type2;
}

/// "1,234,567"
std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string listed(const std::vector<std::string>& texts, const char* separator) {
  return fmt::format("{}", fmt::join(texts, separator));
}

/// All combinations of T and U that a row has forms for.
std::vector<TypedRowName> typed_rows(const isa::Row& row) {
  std::vector<TypedRowName> all;
  if (row.types2.empty()) {
    // Not from the forms: those of ld and st are too many. Every type of such a row has one.
    for (std::string_view left = row.types; !left.empty();) {
      const std::string_view type = left.substr(0, left.find(' '));
      all.push_back({std::string(row.id), std::string(type), {}});
      left.remove_prefix(std::min(type.size() + 1, left.size()));
    }
    return all;
  }
  for (const isa::NamedForm& named : isa::every_form_of(row)) {
    TypedRowName typed = named_row(row, named.form.type, named.form.type2);
    if (std::ranges::find(all, typed) == all.end()) all.push_back(std::move(typed));
  }
  return all;
}

/// What is known about one row.
struct RowEvidence {
  const isa::Row* row = nullptr;
  std::vector<TypedRowName> typed = {};
  bool compared = false;                      ///< by unit tests
  std::uint64_t compared_sets = 0;            ///< by unit tests, set by set
  std::set<std::string> compared_types = {};  ///< the same
  GpuEvidence defined = {}, open = {};        ///< of types whose results PTX defines, and of the others
  std::vector<std::string> differences = {};  ///< of `defined`, one per combination of types

  bool is_equal_on_gpu() const { return defined.operand_sets > 0 && differences.empty(); }
};

class Page {
 public:
  Page(const TestEvidence& tests, const std::optional<GpuRecord>& gpu) : has_gpu_(gpu.has_value()) {
    for (const isa::Row& row : isa::rows()) rows_.push_back({.row = &row, .typed = typed_rows(row)});
    for (const auto& [typed, sets] : tests) add_tests(typed, sets);
    if (!gpu) return;
    device_ = gpu->device;
    for (const GpuEvidence& evidence : gpu->rows) add_gpu(evidence);
  }

  std::string text() const {
    std::string text = introduction();
    for (const isa::IsaSection& section : isa::isa_sections()) text += section_text(section);
    return text;
  }

 private:
  RowEvidence& row_of(const TypedRowName& typed) {
    const auto found = std::ranges::find(rows_, typed.row, [](const RowEvidence& e) { return e.row->id; });
    // A test that does not know the types records the row without them.
    const bool known = found != rows_.end() &&
                       (typed.type.empty() || std::ranges::find(found->typed, typed) != found->typed.end());
    if (!known)
      throw InputError(
          fmt::format("a record names the row {} with types \"{}\", which ptx.def does not have; "
                      "record it again",
                      typed.row, types_of(typed)));
    return *found;
  }

  void add_tests(const TypedRowName& typed, std::uint64_t sets) {
    RowEvidence& evidence = row_of(typed);
    evidence.compared = true;
    evidence.compared_sets += sets;
    if (sets > 0) evidence.compared_types.insert(types_of(typed));
  }

  void add_gpu(const GpuEvidence& more) {
    RowEvidence& evidence = row_of(more.row);
    (more.why_open.empty() ? evidence.defined : evidence.open).add(more);
    if (more.is_difference()) evidence.differences.push_back(more.difference);
  }

  const RowEvidence& evidence_of(const isa::Row* row) const {
    return *std::ranges::find(rows_, row, &RowEvidence::row);
  }

  std::string introduction() const;
  std::string gpu_summary() const;
  std::string test_summary() const;
  std::string section_text(const isa::IsaSection& section) const;
  std::string row_text(const isa::IsaInstruction& instruction, const RowEvidence& evidence) const;
  std::string gpu_text(const RowEvidence& evidence) const;

  std::vector<RowEvidence> rows_;
  bool has_gpu_;
  std::string device_;
};

std::uint64_t sum_of(const std::map<std::string, std::uint64_t>& forms_by_reason) {
  std::uint64_t sum = 0;
  for (const auto& [reason, forms] : forms_by_reason) sum += forms;
  return sum;
}

std::string Page::gpu_summary() const {
  if (!has_gpu_) return "No instruction was compared with a GPU yet.";
  GpuEvidence defined, open;
  for (const RowEvidence& evidence : rows_) defined.add(evidence.defined), open.add(evidence.open);
  GpuEvidence all = defined;
  all.add(open);
  return fmt::format(
      "On {}, {} forms ran with {} operand sets each; its driver refused {} others{}. {} rows have the same "
      "bits there wherever PTX defines them: of {} such operand sets, {} had the same bits, {} differed "
      "only in the sign or payload of an f64 NaN, which PTX leaves open, and {} differed. Of {} operand "
      "sets whose results PTX leaves open, {} had the same bits.",
      markdown_text(device_), grouped(all.forms), operand_sets, grouped(sum_of(all.refused)),
      all.failed.empty() ? "" : fmt::format(", and {} failed", grouped(sum_of(all.failed))),
      std::ranges::count_if(rows_, &RowEvidence::is_equal_on_gpu), grouped(defined.operand_sets),
      grouped(defined.equal), grouped(defined.other_nan), grouped(defined.different()),
      grouped(open.operand_sets), grouped(open.equal));
}

std::string Page::test_summary() const {
  std::size_t by_set = 0, combinations = 0, compared = 0;
  std::uint64_t sets = 0;
  for (const RowEvidence& evidence : rows_) {
    by_set += evidence.compared_sets > 0;
    if (evidence.compared_sets > 0) combinations += evidence.typed.size();
    compared += evidence.compared_types.size();
    sets += evidence.compared_sets;
  }
  return fmt::format(
      "Unit tests executed {} of the {} rows. They compared {} rows with independently computed results, "
      "operand set by operand set ({} sets), and the others, such as branches and barriers, by their "
      "effects.\n"
      "Of the {} combinations of these rows with their types, {} were compared set by set; the tables name "
      "the others.\n",
      std::ranges::count_if(rows_, &RowEvidence::compared), rows_.size(), by_set, grouped(sets), combinations,
      compared);
}

std::string Page::introduction() const {
  const auto implemented =
      std::ranges::count_if(isa::isa_instructions(),
                            [](const isa::IsaInstruction& instruction) { return !instruction.rows.empty(); });
  const auto neither = std::ranges::count_if(
      rows_, [](const RowEvidence& evidence) { return !evidence.compared && !evidence.is_equal_on_gpu(); });
  return fmt::format(
      "# PTX instructions and the evidence for them\n"
      "\n"
      "This page lists the instructions of PTX ISA 9.0, chapter 9.7: whether the emulated device "
      "implements them, and how that is known.\n"
      "{} instructions are implemented, by {} rows of [`ptx.def`](../devices/emulated/isa/ptx.def); {} "
      "instructions or forms are not, each with the reason. Executing one of those is *unsupported*: never "
      "a pass.\n"
      "{}{}\n"
      "{}\n"
      "An operand set is the operands of one lane. Loads, stores and barriers run on a GPU in the kernels "
      "of [`emulation.md`](emulation.md).\n"
      "`ptx.def` explains the notation of the syntax. A form that a GPU's driver refuses needs another "
      "architecture, or is one that the emulated device accepts although PTX does not.\n"
      "`foldproof-lab instructions --page` generates the page from records of the tests and of the GPU "
      "([`laboratory.md`](laboratory.md)); a test compares it with fresh records.\n",
      implemented, rows_.size(), static_cast<std::ptrdiff_t>(isa::isa_instructions().size()) - implemented,
      test_summary(), gpu_summary(),
      neither == 0 ? "Every row has at least one kind of evidence."
                   : fmt::format("{} rows lack both kinds of evidence.", neither));
}

/// "16,384", or "16,380 of 16,384".
std::string equal_sets(const GpuEvidence& evidence) {
  if (evidence.equal == evidence.operand_sets) return grouped(evidence.equal);
  return fmt::format("{} of {}", grouped(evidence.equal), grouped(evidence.operand_sets));
}

std::string Page::gpu_text(const RowEvidence& evidence) const {
  const std::string why = why_not_measured(*evidence.row);
  if (!why.empty()) return "not compared: " + why;
  const GpuEvidence &defined = evidence.defined, &open = evidence.open;
  std::vector<std::string> parts;
  if (defined.operand_sets > 0) parts.push_back(equal_sets(defined));
  if (defined.other_nan > 0)
    parts.push_back(fmt::format("{} differ in f64 NaNs only", grouped(defined.other_nan)));
  for (const std::string& difference : evidence.differences) parts.push_back("different: " + difference);
  if (open.operand_sets > 0) parts.push_back(fmt::format("open ({}): {}", open.why_open, equal_sets(open)));
  GpuEvidence all = defined;
  all.add(open);
  const auto add_forms = [&](std::string_view what, const std::map<std::string, std::uint64_t>& by_reason) {
    for (const auto& [reason, forms] : by_reason)
      parts.push_back(fmt::format("{} form{} {}: {}", forms, forms == 1 ? "" : "s", what, reason));
  };
  add_forms("refused", all.refused);
  add_forms("failed", all.failed);
  return parts.empty() ? "not measured" : markdown_text(listed(parts, "; "));
}

/// The number of operand sets, and the types that were not compared set by set.
std::string tests_text(const RowEvidence& evidence) {
  if (!evidence.compared) return "none";
  if (evidence.compared_sets == 0) return "by its effects";
  std::vector<std::string> others;
  for (const TypedRowName& typed : evidence.typed)
    if (!evidence.compared_types.contains(types_of(typed))) others.push_back(types_of(typed));
  return grouped(evidence.compared_sets) + (others.empty() ? "" : "; not compared: " + listed(others, ", "));
}

std::string Page::row_text(const isa::IsaInstruction& instruction, const RowEvidence& evidence) const {
  const isa::Row& row = *evidence.row;
  std::string types(row.types);
  if (!row.types2.empty()) types += fmt::format("; U: {}", row.types2);
  return fmt::format("| {} | {} | {} | {} | {} |\n", markdown_text(instruction.name),
                     markdown_code(row.syntax), markdown_text(types), markdown_text(tests_text(evidence)),
                     gpu_text(evidence));
}

/// One line per reason; the instructions that share it are neighbours.
std::string missing_text(const isa::IsaSection& section) {
  std::string text, names;
  std::string_view reason;
  const auto end_line = [&] {
    if (!names.empty()) text += fmt::format("| {} | {} |\n", names, markdown_text(reason));
    names.clear();
  };
  for (const isa::IsaInstruction& instruction : isa::isa_instructions()) {
    if (instruction.section != section.number || !instruction.rows.empty()) continue;
    if (instruction.reason != reason) end_line();
    reason = instruction.reason;
    names += (names.empty() ? "" : ", ") + markdown_code(instruction.name);
  }
  end_line();
  return text;
}

std::string Page::section_text(const isa::IsaSection& section) const {
  std::string implemented;
  for (const isa::IsaInstruction& instruction : isa::isa_instructions())
    if (instruction.section == section.number)
      for (const isa::Row* row : isa::rows_of(instruction))
        implemented += row_text(instruction, evidence_of(row));
  const std::string missing = missing_text(section);
  std::string text = fmt::format("\n## {} {}\n", section.number, section.title);
  if (!implemented.empty())
    text +=
        "\n"
        "| instruction | syntax | types | unit tests (operand sets) | bit-equal with a GPU (operand sets) "
        "|\n"
        "|---|---|---|---|---|\n" +
        implemented;
  if (!missing.empty()) text += "\n| not implemented | reason |\n|---|---|\n" + missing;
  return text;
}

}  // namespace

std::string instruction_page(const TestEvidence& tests, const std::optional<GpuRecord>& gpu) {
  return Page(tests, gpu).text();
}

}  // namespace foldproof
