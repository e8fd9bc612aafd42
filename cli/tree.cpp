// foldproof tree: the order in which a kernel combines its input, from one run on the emulated device.
#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <sstream>

#include "base/files.h"
#include "base/printable.h"
#include "cli/audit_arguments.h"
#include "cli/case_text.h"
#include "cli/verbs.h"
#include "command/compilation.h"
#include "devices/emulated/runner.h"
#include "oracles/number.h"
#include "oracles/replay.h"
#include "oracles/rounding_path.h"
#include "oracles/summation_tree.h"
#include "properties/instance_job.h"
#include "properties/representative.h"
#include "reports/tree.h"

namespace foldproof {

namespace {

/// Elements of the case that is shown by default, and the number of leaves that text can show.
constexpr std::uint64_t shown_elements = 256, most_lines = 64;

struct TreeCommandLine {
  std::string path, contract, entry, only, only_case, svg;
  std::uint64_t result = 0;
  SourceOptions source;
};

/// One of the results of one run.
struct Shown {
  std::string kernel, instance, case_text;
  std::uint64_t elements = 0, results = 0;
  Operator op = Operator::sum;
  Replay replayed;
  std::optional<Dyadic> bound;  ///< for a floating-point sum
  std::uint64_t most_additions = 0;
  std::variant<SummationTree, std::string> tree;

  const SummationTree* known() const { return std::get_if<SummationTree>(&tree); }
};

/// The instance to show. Throws InputError if none has a reduction that folds.
Assignment chosen(const std::vector<Subject>& subjects, const TreeCommandLine& a) {
  AuditArguments selection;
  selection.only = a.only;
  selection.entry = a.entry;
  for (const Assignment& one : selection.selected(subjects))
    if (one.instance->reduction && folds(one.instance->reduction->op)) return one;
  if (const auto& no_fit = subjects.front().contract.no_fit)
    throw InputError(no_fit->reason, {subjects.front().contract.source.string()});
  throw InputError(
      "no kernel has a [reduction] that combines elements pairwise, such as sum, max or xor; other "
      "operators have no tree to show",
      {subjects.front().contract.source.string()});
}

Shown show(const Assignment& assignment, const TreeCommandLine& a) {
  const Instance& instance = *assignment.instance;
  const Case c =
      a.only_case.empty() ? representative_case(instance, shown_elements) : parse_case(a.only_case);
  const auto runner = emulated::make_runner();
  const Job job = traced_job(instance, assignment.subject->image, *runner, c);
  const JobResult ran = std::move(runner->run({job}).front());
  if (ran.unsupported) throw Unsupported(*ran.unsupported);
  if (!ran.trace) throw Unsupported("a finding ended the run; use `foldproof audit` to see it");
  const ProvenanceTrace& trace = *ran.trace;
  if (const auto incomplete = trace.expressions.incomplete())
    throw Unsupported("incomplete provenance: " + *incomplete);
  const std::vector<NodeId>& results = trace.results.front();
  if (a.result >= results.size())
    throw InputError(
        fmt::format("--result: there is no result {}; the kernel returns {} results in this case", a.result,
                    results.size()));
  Shown shown;
  shown.kernel = empty_report(assignment.subject->contract, instance).kernel;
  shown.instance = instance.label;
  shown.case_text = describe(c);
  shown.elements = trace.expressions.inputs();
  shown.results = results.size();
  shown.op = instance.reduction->op;
  shown.replayed = replay(trace.expressions);
  const NodeId result = results[a.result];
  if (shown.op == Operator::sum && is_float(instance.reduction->output))
    shown.bound = running_bound(trace.expressions, std::vector{result});
  const auto depths = combinations(trace.expressions, std::vector{result}, shown.op).by_element;
  shown.most_additions = depths.empty() ? 0 : *std::ranges::max_element(depths);
  shown.tree = SummationTree::of(trace.expressions, result, shown.op);
  return shown;
}

/// "+", "max", …
std::string_view combination(Operator op) {
  switch (op) {
    case Operator::sum: return "+";
    case Operator::prod: return "×";
    case Operator::min: return "min";
    default: return "max";
  }
}

std::string replay_text(const Replay& replayed) {
  if (replayed.differs) return fmt::format("value {}: the device and the host disagree", *replayed.differs);
  return fmt::format("{} operations replayed on the host give the same bits", replayed.operations);
}

/// The number of elements that are a leaf.
std::size_t elements_in(const SummationTree& tree) {
  std::set<std::uint32_t> found;
  for (const auto& vertex : tree.vertices())
    if (vertex.is_leaf() && vertex.element != SummationTree::none) found.insert(vertex.element);
  return found.size();
}

std::string to_text(const Shown& shown, std::uint64_t result) {
  std::string text = printable(shown.kernel + (shown.instance.empty() ? "" : " " + shown.instance)) + "\n";
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<15} {}\n", name, printable(value));
  };
  line("case", shown.case_text);
  line("result", fmt::format("{} (of {})", result, shown.results));
  if (const SummationTree* tree = shown.known()) {
    line("elements", fmt::format("{} of {}", elements_in(*tree), shown.elements));
    line("height", std::to_string(tree->root().height));
    line("order", shape_of(*tree));
  } else {
    line("order", std::get<std::string>(shown.tree));
  }
  line(combinations_of(shown.op),
       fmt::format("at most {} between an element and the result", shown.most_additions));
  if (shown.bound)
    line("bound", fmt::format("{:.6g}, from the intermediate values", upper_double(*shown.bound)));
  line("replay", replay_text(shown.replayed));
  if (const SummationTree* tree = shown.known(); tree && tree->root().leaves <= most_lines)
    text += "\n" + tree_text(*tree, combination(shown.op));
  return text;
}

Json nested(const SummationTree& tree) {
  std::vector<Json> made;
  for (const auto& vertex : tree.vertices()) {
    if (vertex.is_leaf())
      made.push_back(vertex.element == SummationTree::none ? Json(nullptr) : Json(vertex.element));
    else
      made.push_back(Json::array({std::move(made[vertex.left]), std::move(made[vertex.right])}));
  }
  return made.back();
}

Json to_json(const Shown& shown, std::uint64_t result) {
  const SummationTree* tree = shown.known();
  // A sequential tree is as deep as it has leaves, which is more than JSON readers accept.
  constexpr std::uint32_t deepest = 256;
  return {{"kernel", shown.kernel},
          {"instance", shown.instance},
          {"case", shown.case_text},
          {"result", result},
          {"results", shown.results},
          {"elements", shown.elements},
          {"height", tree ? Json(tree->root().height) : Json(nullptr)},
          {"order", tree ? shape_of(*tree) : std::get<std::string>(shown.tree)},
          {"additions", shown.most_additions},
          {"bound", shown.bound ? Json(fmt::format("{:a}", upper_double(*shown.bound))) : Json(nullptr)},
          {"replayed", shown.replayed.operations},
          {"replay_agrees", !shown.replayed.differs},
          {"tree", tree && tree->root().height <= deepest ? nested(*tree) : Json(nullptr)}};
}

void refuse_to_replace_inputs(const std::string& svg, const std::vector<Subject>& subjects) {
  std::error_code error;
  for (const Subject& subject : subjects)
    for (const std::filesystem::path* input : {&subject.contract.file, &subject.contract.source})
      if (std::filesystem::equivalent(svg, *input, error))
        throw InputError("--svg: the drawing would overwrite this file; name another one", {input->string()});
}

int tree(const TreeCommandLine& a, const Console& console) {
  ProgressLine line;
  const CompileOptions compile_options = a.source.compile_options();
  auto subjects =
      load_subjects({a.path, a.contract, entry_name(a.entry), a.source.trust()}, compile_options, console);
  refuse_to_replace_inputs(a.svg, subjects);
  refuse_links(std::filesystem::path(a.svg).parent_path());
  say_that_it_is_guessed(subjects, console);
  compile_subjects(subjects, compile_options, default_jobs(), console, line);
  const Shown shown = show(chosen(subjects, a), a);
  if (!a.svg.empty()) {
    const SummationTree* known = shown.known();
    if (!known) throw Unsupported("there is no tree to draw: " + std::get<std::string>(shown.tree));
    write_output(a.svg, tree_svg(*known, shown.kernel + " " + shown.case_text));
  }
  line.clear();
  console.print_as_asked([&] { return to_json(shown, a.result); }, [&] { return to_text(shown, a.result); });
  return shown.replayed.differs ? exit_findings : exit_ok;
}

}  // namespace

Run attach_tree(CLI::App& app, Console& console) {
  auto a = std::make_shared<TreeCommandLine>();
  app.add_option("FILE", a->path, "Source file or contract")->required();
  app.add_option("--contract", a->contract, "Contract of the source (default: next to the source)")
      ->type_name("FILE");
  app.add_option("--entry", a->entry, about_entry)->type_name("NAME");
  app.add_option("--only", a->only, "Instance (default: the first one)")->type_name("TEXT");
  app.add_option(
         "--case", a->only_case,
         "Case, in the notation of reports (default: 256 elements, or the maximum that the kernel supports)")
      ->type_name("TEXT");
  app.add_option("--result", a->result, "Index of the result, if there are several (default: 0)")
      ->check(quietly(CLI::NonNegativeNumber))
      ->type_name("N");
  app.add_option("--svg", a->svg, "Draw the tree to this SVG file")->type_name("FILE");
  a->source.attach(app);
  return [a, &console] { return tree(*a, console); };
}

}  // namespace foldproof
