#include "properties/laws/laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "properties/laws/law.h"

namespace foldproof {
namespace {

using laws::Derived;
using laws::LawCase;
using laws::LawSubject;
using laws::Results;

/// The third column of laws.def.
enum class Of : std::uint8_t { folds, places, scans, counts, shifts };

struct Functions {
  Of of;
  std::vector<Derived> (*derive)(const LawCase& c);
  bool (*holds)(const LawCase& c, const Results& results);
};

constexpr Functions functions[] = {
#define FOLDPROOF_LAW(id, name, of, claim) {Of::of, laws::derive_##id, laws::holds_##id},
#include "properties/laws/laws.def"
#undef FOLDPROOF_LAW
};

constexpr LawInfo infos[] = {
#define FOLDPROOF_LAW(id, name, of, claim) {name, claim},
#include "properties/laws/laws.def"
#undef FOLDPROOF_LAW
};

const Functions& functions_of(const std::string& name) {
  check_law(name);
  return functions[std::ranges::find(infos, name, &LawInfo::name) - std::begin(infos)];
}

/// Folds of the elements themselves, as numbers: the laws say what becomes of their values.
bool is_plain_fold(Operator op) {
  return folds(op) && !takes_magnitudes(op) && !is_bitwise(op) && op != Operator::custom;
}

bool is_of(Of of, const Reduction& reduction) {
  const ResultShape shape = reduction.result;
  const bool whole = shape == ResultShape::value;
  switch (of) {
    case Of::folds: return is_plain_fold(reduction.op) && (whole || shape == ResultShape::partials);
    case Of::places: return whole && info(reduction.op).gives == OperatorInfo::Gives::place;
    case Of::scans: return shape == ResultShape::scan && is_plain_fold(reduction.op);
    case Of::counts: return shape == ResultShape::bins;
    case Of::shifts: break;
  }
  return reduction.op == Operator::softmax || reduction.op == Operator::log_sum_exp ||
         reduction.op == Operator::variance;
}

/// Two elements on which every law that the instance can have says something: all are ones.
bool says_something(const Functions& law, const Instance& instance) {
  const Element element = instance.reduction->input;
  std::vector<std::byte> ones(2 * size_of(element));
  for (const std::size_t i : {0, 1}) store(element, ones, i, encode(element, number_of(1)));
  Instance any_count = instance;
  any_count.domain = {{"count", Range::parse("1 .. 2^20", {})}};
  Case c;
  c.variables = {{"count", 2}};
  const LawSubject subject{any_count, instance.claims.deterministic, false};
  return !law.derive(LawCase(subject, c, ones)).empty();
}

}  // namespace

std::span<const LawInfo> law_rows() { return infos; }

std::string law_names() {
  std::string names;
  for (const LawInfo& law : infos) names += fmt::format("{}{}", names.empty() ? "" : ", ", law.name);
  return names;
}

std::vector<std::string> laws_of(const Instance& instance) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::size(infos) && instance.reduction; ++i)
    if (instance.operands.empty() && is_of(functions[i].of, *instance.reduction) &&
        says_something(functions[i], instance))
      names.emplace_back(infos[i].name);
  return names;
}

void check_law(const std::string& name) {
  if (std::ranges::find(infos, name, &LawInfo::name) == std::end(infos))
    throw InputError(fmt::format("there is no law \"{}\"; choose one of {}", name, law_names()));
}

namespace laws {

std::vector<Derived> derive(const LawSubject& subject, const Case& c, std::span<const std::byte> input) {
  if (c.law.empty()) return {};
  const Functions& law = functions_of(c.law);
  if (input.empty() || !subject.instance.operands.empty() || !is_of(law.of, *subject.instance.reduction))
    return {};
  return law.derive(LawCase(subject, c, input));
}

bool holds(const LawSubject& subject, const Case& c, std::span<const std::byte> input,
           const std::vector<std::vector<std::uint64_t>>& outputs, bool forced) {
  return functions_of(c.law).holds(LawCase(subject, c, input), {outputs, forced});
}

}  // namespace laws
}  // namespace foldproof
