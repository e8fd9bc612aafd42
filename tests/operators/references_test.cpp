// Every reference contract, with every shape that it supports: a kernel that is right has no findings, and
// one that loses the last element has some.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/temporary_folders.h"
#include "catch.h"
#include "contracts/compile.h"
#include "contracts/guessed.h"
#include "contracts/names.h"
#include "contracts/reference.h"
#include "contracts/signature.h"
#include "devices/emulated/runner.h"
#include "nvcc.h"
#include "operators/data/faults.h"
#include "oracles/layout.h"
#include "oracles/operands.h"
#include "oracles/operator.h"
#include "properties/audit.h"
#include "sanitizer/checks.h"

using namespace foldproof;

namespace {

/// A reference contract and kernels for it.
struct Entry {
  Problem problem;
  std::string shape;

  bool is_of_integers() const { return is_bitwise(problem.op) || problem.op == Operator::histogram; }
  std::string element() const { return is_of_integers() ? "int" : "float"; }

  std::string output() const {
    switch (info(problem.op).gives) {
      case OperatorInfo::Gives::index: return "int";
      case OperatorInfo::Gives::tally: return "unsigned int";
      case OperatorInfo::Gives::ranked: return problem.op == Operator::top_k ? "int" : "float";
      default: return element();
    }
  }

  std::string operand() const {
    if (problem.op == Operator::cross_entropy) return "int";
    return info(Role::second).is_needed_by(problem.op) ? "float" : "";
  }

  /// A fold of the whole input by several blocks leaves one result per block.
  ResultShape result() const {
    const ResultShape result = reference_named(as(), "").result;
    return has_shape(problem.op, ResultShape::partials) && result == ResultShape::value
               ? ResultShape::partials
               : result;
  }

  /// The values are those of parts.cu.
  std::string as() const {
    std::string text = fmt::format("{}:{}", problem.name, shape);
    if (problem.op == Operator::histogram) text += ",bins=8";
    if (info(problem.op).takes("k")) text += ",k=2";
    if (info(problem.op).takes("p")) text += ",p=1";
    if (info(problem.op).takes("epsilon")) text += ",epsilon=0x1p-10";
    if (problem.op == Operator::formula) text += ",formula=sum(x * x - x)";
    if (problem.op == Operator::element_formula) text += ",formula=x * sum(x)";
    if (info(problem.op).takes("ties")) text += ",ties=first";
    return text;
  }

  /// "matrix_with<float, float, 18, 2, 0, float>"
  std::string kernel(Fault fault) const {
    const Reference reference = reference_named(as(), "");
    const bool scans = is_scan(reference.result);
    const char* const form = shape == "whole" || shape == "partials" ? "whole"
                             : shape == "segments"                   ? "segmented"
                                                                     : "matrix";
    const std::string* kind = reference.value_of("scan");
    const std::string last =
        scans ? std::to_string(static_cast<int>(value_named(scan_names, *kind).value())) : operand();
    return fmt::format("{}{}{}<{}, {}, {}, {}, {}{}{}>", scans ? "scanned_" : "", form,
                       operand().empty() ? "" : "_with", element(), output(), static_cast<int>(problem.op),
                       static_cast<int>(result()), static_cast<int>(fault), last.empty() ? "" : ", ", last);
  }

  /// The explicit instantiation of that kernel.
  std::string instantiation(Fault fault) const {
    const std::string second = operand().empty() ? "" : fmt::format("const {}*, ", operand());
    const std::string offsets = shape == "segments" ? "const unsigned long long*, " : "";
    const std::string sizes = shape == "rows" || shape == "columns" ? "int, int" : "int";
    return fmt::format("template __global__ void {}(const {}*, {}{}{}*, {});\n", kernel(fault), element(),
                       second, offsets, output(), sizes);
  }
};

/// Those of gradients are in tests/cli/formula_test.cpp.
std::vector<Entry> entries() {
  std::vector<Entry> all;
  for (const Problem& problem : problems())
    if (!is_formula(problem.op) || problem.keys.empty())
      for (const std::string_view shape : shapes_of(problem)) all.push_back({problem, std::string(shape)});
  return all;
}

/// The PTX of all kernels, without the names of their parameters.
std::filesystem::path compiled(const TemporaryFolder& folder) {
  std::set<std::string> lines;  // several names may mean one operator
  for (const Entry& entry : entries())
    for (const Fault fault : {Fault::none, Fault::drops_last}) lines.insert(entry.instantiation(fault));
  const std::string text =
      fmt::format("#include \"tests/operators/data/references.cu\"\n{}", fmt::join(lines, ""));
  const std::filesystem::path source = folder.path() / "all.cu", ptx = folder.path() / "all.ptx";
  write_file(source, text);
  CompileOptions options;
  options.flags = {"-I" FOLDPROOF_SOURCE_DIR};
  write_file(ptx, std::string(compile_source(source, {}, options)->ptx.text()));
  return ptx;
}

/// The contract that `foldproof init` would write, as a user reads it again.
Contract written(const std::filesystem::path& ptx, const Entry& entry, Fault fault) {
  const Contract guess =
      likeliest_contracts(ptx, entry.kernel(fault), {}, reference_named(entry.as(), "")).at(0);
  const std::filesystem::path file = std::filesystem::path(ptx).replace_extension(".toml");
  write_file(file, starter_contract(guess));
  return load_contract(file, Trust::limited);
}

/// Audits kernels of one image, which is parsed and lowered once.
class Auditor {
 public:
  explicit Auditor(const std::filesystem::path& ptx) : image_(compile_source(ptx, {}, {})) {}

  Verdict verdict_of(Contract contract) {
    for (LaunchContract& launch : contract.instances.front().launches)
      launch.lowered = find_entry(entries_, launch.entry)->lowered;
    const KernelReport report =
        audit_instance(contract, contract.instances.front(), image_, *runner_, options());
    for (const Finding& finding : report.findings)
      UNSCOPED_INFO(finding.message << " | " << finding.case_text);
    return report.verdict;
  }

 private:
  static AuditOptions options() {
    AuditOptions options;
    options.cases = 12;
    options.largest_count = 300;
    options.shrinks = options.tries_stored = options.notes_missed = false;
    return options;
  }

  std::shared_ptr<const Image> image_;
  std::vector<EntrySignature> entries_ = entries_of(image_->ptx.module());
  std::unique_ptr<Runner> runner_ = emulated::make_runner(all_checks(), true);
};

}  // namespace

TEST_CASE("a right kernel is clean as every reference contract, and one that loses an element is not",
          "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const TemporaryFolder folder;
  const std::filesystem::path ptx = compiled(folder);
  Auditor auditor(ptx);
  for (const Entry& entry : entries()) {
    INFO(entry.as() << " " << entry.kernel(Fault::none));
    CHECK(name(auditor.verdict_of(written(ptx, entry, Fault::none))) == "clean");
    CHECK(name(auditor.verdict_of(written(ptx, entry, Fault::drops_last))) == "findings");
  }
}
