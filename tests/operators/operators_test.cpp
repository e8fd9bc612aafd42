// Every operator, result and claim, as the result and as an additional output: a kernel that is right has no
// findings, and one with a fault has some.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/temporary_folders.h"
#include "catch.h"
#include "contracts/compile.h"
#include "contracts/contract.h"
#include "contracts/names.h"
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

#define SAME_SHAPE(id) static_cast<int>(Shape::id) == static_cast<int>(ResultShape::id)
static_assert(SAME_SHAPE(value) && SAME_SHAPE(partials) && SAME_SHAPE(rows) && SAME_SHAPE(columns) &&
              SAME_SHAPE(segments) && SAME_SHAPE(scan) && SAME_SHAPE(bins) && SAME_SHAPE(array) &&
              SAME_SHAPE(row_scans));
#undef SAME_SHAPE

/// What is under test: an operator with a result, in a contract whose result or additional output it is.
struct Subject {
  Operator op;
  ResultShape shape;
  Element input;
  bool is_additional;
};

std::string output_type(Operator op, Element input) {
  switch (info(op).gives) {
    case OperatorInfo::Gives::index: return "i32";
    case OperatorInfo::Gives::tally:
    case OperatorInfo::Gives::counts: return "u32";
    case OperatorInfo::Gives::ranked: return op == Operator::top_k ? "i32" : "f32";
    default: return takes_magnitudes(op) && input == Element::i32 ? "u32" : std::string(name(input));
  }
}

bool takes(Operator op, Element input) {
  const bool only_integers = is_bitwise(op) || op == Operator::custom || op == Operator::histogram;
  if (input == Element::i32) {
    using Gives = OperatorInfo::Gives;
    const Gives gives = info(op).gives;
    return op != Operator::top_p &&
           (gives == Gives::fold || gives == Gives::index || gives == Gives::tally || gives == Gives::counts);
  }
  return !only_integers;
}

std::vector<Subject> subjects() {
  std::vector<Subject> all;
  for (const OperatorInfo& row : operators())
    for (const ResultShape shape : {ResultShape::value, ResultShape::partials, ResultShape::rows,
                                    ResultShape::columns, ResultShape::segments, ResultShape::scan,
                                    ResultShape::row_scans, ResultShape::bins, ResultShape::array})
      for (const Element input : {Element::f32, Element::i32})
        for (const bool is_additional : {false, true})
          if (has_shape(row.op, shape) && takes(row.op, input))
            all.push_back({row.op, shape, input, is_additional});
  return all;
}

/// The keys of [reduction] or [[additional_output]] that the operator requires.
std::string keys_of(Operator op, Element input) {
  std::string keys;
  if (takes_magnitudes(op) && input == Element::i32) keys += "accumulator = \"u32\"\n";
  if (info(op).takes("k")) keys += "k = 2\n";
  if (info(op).takes("p")) keys += "p = \"1\"\n";
  if (info(op).takes("epsilon")) keys += "epsilon = \"0x1p-10\"\n";
  if (op == Operator::formula) keys += "formula = \"sum(x * x - x)\"\n";
  if (op == Operator::element_formula) keys += "formula = \"x * sum(x)\"\n";
  if (op == Operator::custom) keys += "combine = \"a + b + a * b\"\nidentity = \"0\"\n";
  return keys;
}

bool has_operand(Operator op) {
  return std::ranges::any_of(roles(), [&](const RoleInfo& role) { return role.is_needed_by(op); });
}

/// The operator of the result if the subject is an additional output: a sum, unless that does not have the
/// shape, or the operands are those of another operator.
Operator main_operator(const Subject& subject) {
  const bool is_sum =
      subject.is_additional && has_shape(Operator::sum, subject.shape) && !has_operand(subject.op);
  return is_sum ? Operator::sum : subject.op;
}

/// Ranges of the domain.
struct Sizes {
  const char *columns, *rows, *segments, *count;
};
constexpr Sizes usual_sizes{"2 .. 9", "0 .. 9", "1 .. 5", "0 .. 30"};
constexpr Sizes least_sizes{"0 .. 1", "0 .. 1", "0 .. 1", "0 .. 1"};

std::string domain_of(ResultShape shape, const Sizes& sizes) {
  const std::string launch = "block = \"1 .. 5\"\ngrid = \"1 .. 3\"\n";
  switch (shape) {
    case ResultShape::rows:
    case ResultShape::row_scans:
    case ResultShape::columns:
      return fmt::format("{}columns = \"{}\"\nrows = \"{}\"\ncount = \"rows * columns\"\n", launch,
                         sizes.columns, sizes.rows);
    case ResultShape::segments:
      return fmt::format("{}segments = \"{}\"\ncount = \"0 .. min(segments, 1) * 30\"\n", launch,
                         sizes.segments);
    default: return fmt::format("{}count = \"{}\"\n", launch, sizes.count);
  }
}

std::string outputs_of(const Subject& subject) {
  switch (subject.shape) {
    case ResultShape::partials: return "\"grid\"";
    case ResultShape::rows:
      return info(subject.op).takes("k")                               ? "\"rows * 2\""
             : info(subject.op).gives == OperatorInfo::Gives::elements ? "\"count\""
                                                                       : "\"rows\"";
    case ResultShape::columns:
      return info(subject.op).gives == OperatorInfo::Gives::elements ? "\"count\"" : "\"columns\"";
    case ResultShape::segments: return "\"segments\"";
    case ResultShape::scan:
    case ResultShape::row_scans:
    case ResultShape::array: return "\"count\"";
    case ResultShape::bins: return "8";
    default: return "1";
  }
}

std::string operands_of(const Subject& subject) {
  std::string text;
  const auto operand = [&](std::string_view role, std::string_view type) {
    text += fmt::format("[[operand]]\nname = \"{0}\"\nrole = \"{0}\"\ntype = \"{1}\"\n", role, type);
  };
  if (info(Role::second).is_needed_by(subject.op)) operand("second", name(subject.input));
  if (subject.op == Operator::cross_entropy) operand("targets", "i32");
  if (subject.shape == ResultShape::segments) operand("offsets", "u64");
  return text;
}

std::string contract_of(const Subject& subject, const std::string& claims, Fault fault, const Sizes& sizes) {
  const Operator main = main_operator(subject);
  const std::string operands = operands_of(subject);
  const auto address = [&](const std::string& role) {
    return operands.find('"' + role + '"') == std::string::npos ? "i64:0" : role;
  };
  const auto variable = [&](const std::string& name) {
    return domain_of(subject.shape, sizes).find(name + " =") == std::string::npos ? "0" : name;
  };
  const std::string_view result = name_of(result_names, subject.shape);
  std::string text = fmt::format(
      "format = 1\n[source]\npath = \"parts.cu\"\n[reduction]\noperator = \"{}\"\ninput = \"{}\"\n"
      "output = \"{}\"\nresult = \"{}\"\n{}[domain]\n{}[output]\ncount = {}\n",
      name(main), name(subject.input), output_type(main, subject.input), result, keys_of(main, subject.input),
      domain_of(subject.shape, sizes), outputs_of({main, subject.shape, subject.input, false}));
  text += "[claims]\n" + claims + operands;
  if (subject.is_additional)
    text += fmt::format(
        "[[buffer]]\nname = \"more\"\ntype = \"{}\"\ncount = {}\n[[additional_output]]\nbuffer = \"more\"\n"
        "operator = \"{}\"\n{}",
        output_type(subject.op, subject.input), outputs_of(subject), name(subject.op),
        keys_of(subject.op, subject.input));
  text += fmt::format(
      "[[launch]]\nentry = \"parts_{}\"\ngrid = \"grid\"\nblock = \"block\"\narguments = [\"input\", "
      "\"{{{}, {}, {}}}\", \"output\", \"{}\", \"{}\", \"{}\", \"{}\", \"{}\", \"count\", \"{}\", \"{}\", "
      "\"{}\"]\n",
      name(subject.input), address("second"), address("targets"), address("offsets"),
      subject.is_additional ? "more" : "0", static_cast<int>(main), static_cast<int>(subject.op),
      static_cast<int>(subject.shape), static_cast<int>(fault), variable("rows"), variable("columns"),
      variable("segments"));
  return text;
}

/// The kernel of data/parts.cu, compiled once.
class Parts {
 public:
  Parts() {
    const std::string folder = FOLDPROOF_TEST_DATA;
    CompileOptions options;
    options.flags = {"-I" FOLDPROOF_SOURCE_DIR};
    image_ = compile_source(folder + "/parts.cu", {}, options);
    write_file(folder_.path() / "parts.cu", "");  // the kernel is in the image
  }

  KernelReport audited(const std::string& contract_text, std::uint64_t cases) const {
    const std::filesystem::path file = folder_.path() / "parts.toml";
    write_file(file, contract_text);
    Contract contract = load_contract(file, Trust::limited);
    for (Instance& instance : contract.instances)
      for (LaunchContract& launch : instance.launches) launch.lowered = launch.entry;
    AuditOptions options;
    options.cases = cases;
    options.shrinks = options.tries_stored = options.notes_missed = false;
    options.store = folder_.path() / "cases";
    const auto runner = emulated::make_runner(all_checks(), true);
    return audit_instance(contract, contract.instances.front(), image_, *runner, options);
  }

 private:
  TemporaryFolder folder_;
  std::shared_ptr<const Image> image_;
};

/// Which subjects a claim is about.
using Concerns = bool (*)(const Subject&);

/// The permitted kinds of findings; none: the kernel is right.
using Expected = std::initializer_list<Kind>;

bool is_as_expected(const KernelReport& report, Expected expected) {
  if (expected.size() == 0) return report.verdict == Verdict::clean;
  return report.verdict == Verdict::findings && std::ranges::all_of(report.findings, [&](const Finding& one) {
           return std::ranges::find(expected, one.kind) != expected.end();
         });
}

/// Audits each subject with the claim and the fault, and returns those with another result than expected.
std::vector<std::string> surprises(const std::string& claims, Fault fault, Expected expected,
                                   Concerns concerns, std::uint64_t cases = 24,
                                   const Sizes& sizes = usual_sizes) {
  static const Parts parts;
  std::vector<std::string> all;
  for (const Subject& subject : subjects()) {
    if (!concerns(subject)) continue;
    std::string what =
        fmt::format("{} of {}, {}{}: ", name(subject.op), name(subject.input),
                    name_of(result_names, subject.shape), subject.is_additional ? ", additional" : "");
    try {
      const KernelReport report = parts.audited(contract_of(subject, claims, fault, sizes), cases);
      if (is_as_expected(report, expected)) continue;
      what += fmt::format("{} {}", name(report.verdict), report.reason);
      for (const Finding& finding : report.findings)
        what += fmt::format("\n    {}: {} | {}", name(finding.kind), finding.message, finding.case_text);
    } catch (const std::exception& error) {
      what += error.what();
    }
    all.push_back(what);
  }
  return all;
}

constexpr Expected right = {};

std::string listed(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

bool any_subject(const Subject&) { return true; }

}  // namespace

TEST_CASE("a right kernel of every operator and result is clean", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  CHECK(listed(surprises("", Fault::none, right, any_subject)) == "");
}

TEST_CASE("a right kernel of every operator and result is clean for sizes of 0 and 1", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const Concerns has_no_k = [](const Subject& subject) { return !info(subject.op).takes("k"); };  // k is 2
  CHECK(listed(surprises("empty = \"unspecified\"\n", Fault::none, right, has_no_k, 24, least_sizes)) == "");
}

TEST_CASE("an element that is not used is found for every operator and result", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  CHECK(listed(surprises("", Fault::drops_last,
                         {Kind::wrong_value, Kind::outside_bound, Kind::input_not_used}, any_subject)) == "");
}

TEST_CASE("an element that is used twice is found, unless the result stays the same", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const Concerns depends_on_repetition = [](const Subject& subject) {
    const Operator op = subject.op;
    const auto gives = info(op).gives;
    const bool can_count = gives == OperatorInfo::Gives::tally && op != Operator::any && op != Operator::all;
    return op == Operator::sum || op == Operator::prod || op == Operator::bit_xor || op == Operator::asum ||
           op == Operator::sum_of_squares || op == Operator::custom || can_count ||
           gives == OperatorInfo::Gives::counts ||
           (gives == OperatorInfo::Gives::number && op != Operator::max_ratio) ||
           gives == OperatorInfo::Gives::elements;
  };
  CHECK(listed(surprises("", Fault::repeats_first,
                         {Kind::wrong_value, Kind::outside_bound, Kind::input_used_twice},
                         depends_on_repetition)) == "");
}

TEST_CASE("a claimed single use is checked for extrema as well", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const Concerns is_about_extrema = [](const Subject& subject) {
    const Operator op = subject.op;
    return is_extremum(op) || op == Operator::absmax || op == Operator::max_ratio;
  };
  const std::string claim = "uses_every_input_once = true\n";
  CHECK(listed(surprises(claim, Fault::none, right, is_about_extrema)) == "");
  CHECK(listed(surprises(claim, Fault::repeats_first, {Kind::input_used_twice}, is_about_extrema)) == "");
  CHECK(listed(surprises("", Fault::repeats_first, right, is_about_extrema)) == "");
}

TEST_CASE("a claimed height is checked for every operator that accepts the claim", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const Concerns takes_height = [](const Subject& subject) {
    return info(subject.op).takes("height") && info(main_operator(subject)).takes("height");
  };
  // A variance is computed from two sums.
  CHECK(listed(surprises("height = \"2 * count + 2\"\n", Fault::none, right, takes_height)) == "");
  CHECK(listed(surprises("height = \"2\"\n", Fault::none, {Kind::contract_violation, Kind::outside_bound},
                         takes_height)) == "");
}

namespace {

/// Whether a case can have a part without elements.
bool has_empty_parts(const Subject& subject) {
  return !is_scan(subject.shape) && subject.shape != ResultShape::rows &&
         info(subject.op).gives != OperatorInfo::Gives::elements;
}

/// A partial result without elements must not change the others.
bool may_be_anything(const Subject& subject) {
  return has_empty_parts(subject) && subject.shape != ResultShape::partials;
}

}  // namespace

TEST_CASE("what a kernel leaves for no elements is checked for every operator and result", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const Concerns has_identity = [](const Subject& subject) {
    return has_empty_parts(subject) && info(subject.op).gives != OperatorInfo::Gives::index &&
           subject.op != Operator::cross_entropy;
  };
  CHECK(listed(surprises("empty = \"identity\"\n", Fault::answers_empty,
                         {Kind::wrong_value, Kind::outside_bound}, has_identity)) == "");
  CHECK(listed(surprises("empty = \"identity\"\n", Fault::leaves_empty,
                         {Kind::wrong_value, Kind::outside_bound}, has_identity)) == "");
  CHECK(listed(surprises("empty = \"unspecified\"\n", Fault::answers_empty, right, may_be_anything)) == "");
}

TEST_CASE("outputs that a contract claims to be untouched are checked", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  // The result of another operator does not follow the claim.
  const Concerns is_alone = [](const Subject& subject) {
    return may_be_anything(subject) && !subject.is_additional;
  };
  CHECK(listed(surprises("empty = \"untouched\"\n", Fault::leaves_empty, right, is_alone)) == "");
  CHECK(listed(surprises("empty = \"untouched\"\n", Fault::none, {Kind::contract_violation},
                         has_empty_parts)) == "");
}

TEST_CASE("a claim that every launch gives the same bits is checked", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const Concerns rounds = [](const Subject& subject) {
    const Operator op = subject.op;
    const bool adds = op == Operator::sum || op == Operator::asum || op == Operator::sum_of_squares ||
                      op == Operator::mean || op == Operator::norm || op == Operator::variance ||
                      adds_pairs(op) || is_mean_of_pairs(op) || op == Operator::prod;
    return adds && subject.input == Element::f32 && subject.shape != ResultShape::partials;
  };
  const Concerns is_not_partial = [](const Subject& subject) {
    return subject.shape != ResultShape::partials;
  };
  const std::string claim = "deterministic = true\nsame_for_every_launch = true\n";
  CHECK(listed(surprises(claim, Fault::none, right, is_not_partial)) == "");
  // A few elements in another order often have the same sum.
  CHECK(listed(surprises(claim, Fault::starts_at_block, {Kind::not_reproducible, Kind::schedule_dependent},
                         rounds, 60)) == "");
}

TEST_CASE("claimed ties are checked", "[nvcc]") {
  if (tests::lacks_nvcc()) return;
  const Concerns gives_index = [](const Subject& subject) {
    return info(subject.op).gives == OperatorInfo::Gives::index;
  };
  CHECK(listed(surprises("ties = \"first\"\n", Fault::none, right, gives_index)) == "");
  CHECK(listed(surprises("ties = \"first\"\n", Fault::takes_last_tie, {Kind::wrong_value}, gives_index)) ==
        "");
  CHECK(listed(surprises("ties = \"any\"\n", Fault::takes_last_tie, right, gives_index)) == "");
}
