#include "contracts/reference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <ranges>

#include "base/text.h"
#include "contracts/document.h"
#include "contracts/keys.h"
#include "contracts/loading/tables.h"
#include "contracts/names.h"
#include "oracles/layout.h"

namespace foldproof {
namespace {

using Pair = std::pair<std::string, std::string>;

constexpr Problem named_problems[] = {
#define FOLDPROOF_PROBLEM(name, op, shape, keys, synopsis) \
  {name, Operator::op, ResultShape::shape, keys, synopsis},
#include "contracts/problems.def"
#undef FOLDPROOF_PROBLEM
};

constexpr Named<ResultShape> shape_words[] = {{"rows", ResultShape::rows},
                                              {"columns", ResultShape::columns},
                                              {"segments", ResultShape::segments},
                                              {"partials", ResultShape::partials}};

/// The result of an operator if the input is one whole.
ResultShape whole_of(Operator op) {
  for (const ResultShape shape : {ResultShape::value, ResultShape::array, ResultShape::bins})
    if (has_shape(op, shape)) return shape;
  return ResultShape::rows;
}

/// "KEY=VALUE,KEY=VALUE" in pairs. `option`: for the error.
std::vector<Pair> pairs_in(std::string_view text, std::string_view option) {
  std::vector<Pair> pairs;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string_view one = text.substr(0, end);
    const std::size_t equals = one.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == one.size())
      throw InputError(fmt::format("{}: \"{}\" must have the form NAME=VALUE", option, one));
    pairs.emplace_back(one.substr(0, equals), one.substr(equals + 1));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return pairs;
}

const Problem& problem_named(const std::vector<Problem>& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &Problem::name);
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  for (const Problem& problem : all) names.emplace_back(problem.name);
  throw InputError(
      fmt::format("--as: no reference contract is called \"{}\"{}; `foldproof audit --as list` lists "
                  "all of them",
                  name, suggestion(name, names)));
}

ResultShape shape_named(const Problem& problem, std::string_view word) {
  const std::vector<std::string_view> words = shapes_of(problem);
  if (std::ranges::find(words, word) == words.end())
    throw InputError(fmt::format("--as: {} does not support \"{}\"; choose one of {}", problem.name, word,
                                 fmt::join(words, ", ")));
  if (word == "whole") return problem.whole;
  return problem.whole == ResultShape::scan ? ResultShape::row_scans
                                            : value_named(shape_words, std::string(word)).value();
}

/// Not a key of contracts, which specify the number of bins in [output].
constexpr std::string_view bins_key = "bins";

/// Throws InputError unless it is a key of [reduction] or [claims], or that for bins.
void check_name_of_key(const Problem& problem, std::string_view key) {
  constexpr std::string_view given[] = {"operator", "input", "output", "result"};
  std::vector<std::string> known;
  if (problem.op == Operator::histogram) {
    if (key == bins_key) return;
    known.emplace_back(bins_key);
  }
  for (const KeyRow& row : contract_keys()) {
    if ((row.table != "reduction" && row.table != "claims") ||
        std::ranges::find(given, row.key) != std::end(given))
      continue;
    if (row.key == key) return;
    known.emplace_back(row.key);
  }
  throw InputError(fmt::format("--as: {} has no key \"{}\"{}", problem.name, key, suggestion(key, known)));
}

void check_key(const Reference& reference, const Problem& problem, const Pair& pair) {
  const auto& [key, value] = pair;
  check_name_of_key(problem, key);
  if (reference.value_of(key) != nullptr)
    throw InputError(problem.keys.starts_with(key + "=")
                         ? fmt::format("--as: {} has {} already", problem.name, problem.keys)
                         : fmt::format("--as: \"{}\" is given twice", key));
  if ((key == "k" || key == bins_key) && integer_in<std::uint32_t>(value).value_or(0) == 0)
    throw InputError(
        fmt::format("--as: \"{}\" must be an integer from 1 to 2^32 - 1, not \"{}\"", key, value));
}

std::shared_ptr<const Formula> formula_of(const Reference& reference) {
  const std::string* text = reference.value_of("formula");
  if (text == nullptr)
    throw InputError(fmt::format("--as: {} requires a formula, as in --as \"{},formula=sum(x * dy)\"",
                                 name(reference.op), reference.as));
  try {
    auto formula = std::make_shared<const Formula>(Formula::parse(*text, {}));
    constexpr std::string_view parts[] = {"y",    "count", "rows",    "columns", "spatial", "segments",
                                          "bins", "k",     "epsilon", "delta",   "p"};
    for (const FormulaOperand& read : formula->operands())
      if (std::ranges::find(parts, read.name) != std::end(parts))
        throw InputError(
            fmt::format("the formula cannot call an operand \"{0}\", since --map {0}=… names "
                        "another part; use another name, and map that",
                        read.name));
    return formula;
  } catch (const InputError& error) {
    throw InputError(fmt::format("--as: {}", error.sentence()));
  }
}

void check_part(const Reference& reference, std::string_view part) {
  std::vector<std::string> known{"x", "y"};
  const ResultShape result = reference.result;
  if (needs_columns(result))
    known.insert(known.end(), {"rows", "columns"});
  else
    known.emplace_back("count");
  if (result == ResultShape::columns) known.emplace_back("spatial");
  if (result == ResultShape::segments) known.emplace_back("segments");
  if (result == ResultShape::bins) known.emplace_back(bins_key);
  for (const char* key : {"k", "epsilon", "delta", "p"})
    if (info(reference.op).takes(key)) known.emplace_back(key);
  for (const RoleInfo& role : roles())
    if (role.role == Role::offsets
            ? result == ResultShape::segments
            : role.role != Role::scales && role.role != Role::variable && role.is_for(reference.op))
      known.emplace_back(role.name);
  if (reference.formula)
    for (const FormulaOperand& read : reference.formula->operands()) known.push_back(read.name);
  if (std::ranges::find(known, part) == known.end())
    throw InputError(fmt::format("--map: the reference contract {} has no part \"{}\"{}; its parts are {}",
                                 reference.as, part, suggestion(part, known), fmt::join(known, ", ")));
}

/// The keys as the tables of a contract.
std::string text_of(const Reference& reference, const Reduction& types) {
  std::string reduction = fmt::format(
      "format = 1\n[reduction]\noperator = \"{}\"\ninput = \"{}\"\noutput = \"{}\"\nresult = \"{}\"\n",
      name(reference.op), name(types.input), name(types.output), name_of(result_names, types.result));
  if (reference.value_of("accumulator") == nullptr)
    reduction += fmt::format("accumulator = \"{}\"\n", name(types.accumulator));
  if (info(reference.op).takes("affine") && reference.value_of("affine") == nullptr)
    reduction += fmt::format("affine = \"{}\"\n", name_of(affine_names, types.affine));
  std::string claims = "[claims]\n";
  if (reference.value_of("empty") == nullptr) claims += "empty = \"unspecified\"\n";
  for (const auto& [key, value] : reference.keys) {
    if (key == bins_key) continue;
    const KeyRow* row = find_key("reduction", key);
    const bool is_claim = row == nullptr;
    if (is_claim) row = find_key("claims", key);
    const bool is_boolean = row->type == KeyType::boolean, is_integer = row->type == KeyType::integer;
    if (is_boolean && value != "true" && value != "false")
      throw InputError(fmt::format("--as: \"{}\" must be true or false, not \"{}\"", key, value));
    if (is_integer && !integer_in<std::int32_t>(value))
      throw InputError(fmt::format("--as: \"{}\" must be an integer, not \"{}\"", key, value));
    const bool is_bare = is_boolean || is_integer;
    (is_claim ? claims : reduction) += fmt::format("{} = {}\n", key, is_bare ? value : toml_string(value));
  }
  return reduction + claims;
}

}  // namespace

std::vector<Problem> problems() {
  std::vector<Problem> all;
  for (const OperatorInfo& op : operators()) {
    // It needs more than a reference contract can say: what combines elements.
    if (op.op != Operator::custom) all.push_back({op.name, op.op, whole_of(op.op), "", op.synopsis});
  }
  all.insert(all.end(), std::begin(named_problems), std::end(named_problems));
  return all;
}

std::vector<std::string_view> shapes_of(const Problem& problem) {
  std::vector<std::string_view> words;
  if (problem.whole == ResultShape::scan) return {"whole", "rows"};
  if (problem.whole == ResultShape::columns) return {"columns"};
  if (problem.whole == ResultShape::rows && is_formula(problem.op)) return {"rows"};  // it names rows
  if (problem.whole != ResultShape::rows) words.emplace_back("whole");
  for (const auto& [word, shape] : shape_words)
    if (has_shape(problem.op, shape)) words.push_back(word);
  return words;
}

const std::string* Reference::value_of(std::string_view key) const {
  const auto found = std::ranges::find(keys, key, &Pair::first);
  return found == keys.end() ? nullptr : &found->second;
}

Reference reference_named(const std::string& as, const std::string& map) {
  const std::size_t end = std::min(as.find(','), as.size());
  const std::size_t colon = std::min(as.find(':'), end);
  const std::vector<Problem> all = problems();
  const Problem& problem = problem_named(all, std::string_view(as).substr(0, colon));
  Reference reference{as, map, problem.op, problem.whole, pairs_in(problem.keys, "--as"), {}};
  if (colon < end)
    reference.result = shape_named(problem, std::string_view(as).substr(colon + 1, end - colon - 1));
  for (Pair& pair : pairs_in(std::string_view(as).substr(std::min(end + 1, as.size())), "--as")) {
    check_key(reference, problem, pair);
    reference.keys.push_back(std::move(pair));
  }
  if (is_formula(reference.op)) reference.formula = formula_of(reference);
  for (Pair& pair : pairs_in(map, "--map")) {
    check_part(reference, pair.first);
    if (!reference.parameters.insert(std::move(pair)).second)
      throw InputError(fmt::format("--map: \"{}\" has two parameters", pair.first));
  }
  return reference;
}

void apply_keys(const Reference& reference, Instance& instance) {
  const std::string name = "--as";
  toml::table parsed;
  try {
    parsed = toml::parse(text_of(reference, *instance.reduction), name);
  } catch (const toml::parse_error& error) {
    throw InputError(fmt::format("--as: {}", error.description()));
  }
  try {
    const Table top(parsed, "", name);
    Draft draft{top, false, Scope(instance.bindings), std::move(instance)};
    for (const auto& [variable, range] : draft.instance.domain) draft.scope.add_variable(variable);
    read_reduction(draft);
    read_sizes_of_reduction(draft);
    read_claims(draft);
    instance = std::move(draft.instance);
  } catch (const InputError& error) {
    throw InputError(fmt::format("--as: {}", error.sentence()));
  }
}

}  // namespace foldproof
