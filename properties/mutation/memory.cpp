// Loads, stores and atomics: their strength, scope and atomicity.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "properties/mutation/mutations.h"

namespace foldproof::mutation {
namespace {

/// The first of the words that is a suffix of the instruction, or an empty string.
std::string suffix_among(const Candidate& candidate, std::initializer_list<const char*> words) {
  const auto* const found =
      std::ranges::find_if(words, [&](const char* word) { return candidate.has(word); });
  return found == words.end() ? "" : *found;
}

std::string scope_of(const Candidate& candidate) {
  return suffix_among(candidate, {"cta", "cluster", "gpu", "sys"});
}

std::string order_of(const Candidate& candidate) {
  return suffix_among(candidate, {"acquire", "release", "acq_rel"});
}

bool is_load_or_store(const Candidate& candidate) { return candidate.is("ld") || candidate.is("st"); }
bool is_atomic(const Candidate& candidate) { return candidate.is("atom") || candidate.is("red"); }

std::string noun(const Candidate& candidate) {
  if (candidate.is("ld")) return "load";
  if (candidate.is("st")) return "store";
  return is_atomic(candidate) ? "atomic" : "cluster barrier";
}

/// barrier.cluster.arrive releases unless it is marked relaxed.
bool is_releasing_arrival(const Candidate& candidate) {
  return candidate.is("barrier") && candidate.has("cluster") && candidate.has("arrive") &&
         !candidate.has("relaxed");
}

Spelled with_cta_scope(const Candidate& candidate) {
  if (const std::string scope = scope_of(candidate); !scope.empty())
    return candidate.spelled.with(scope, "cta");
  Spelled narrowed = candidate.spelled;
  const bool has_order = !order_of(candidate).empty() || candidate.has("relaxed");
  narrowed.suffixes.insert(narrowed.suffixes.begin() + (has_order ? 1 : 0), "cta");
  return narrowed;
}

std::string operation_name(const Candidate& candidate) {
  return suffix_among(candidate, {"add", "min", "max", "and", "or", "xor", "exch", "inc", "cas"});
}

/// The untyped bits of a type: "b32" for "f32".
std::string untyped(const std::string& type) { return "b" + type.substr(1); }

/// The operation of a split atomic, from %mutated0 (the old value) to %mutated1 (the new one).
std::string operation(const Candidate& candidate, std::size_t first) {
  const std::vector<std::string>& o = candidate.spelled.operands;
  const std::string type = candidate.type(), bits = untyped(type);
  const std::string& guard = candidate.spelled.guard;
  if (candidate.has("exch")) return fmt::format("{}mov.{} %mutated1, {};", guard, bits, o.at(first));
  if (candidate.has("inc"))
    return fmt::format(
        "{0}setp.ge.u32 %mutatedp, %mutated0, {1}; {0}add.u32 %mutated1, %mutated0, 1; "
        "{0}selp.b32 %mutated1, 0, %mutated1, %mutatedp;",
        guard, o.at(first));
  if (candidate.has("cas"))
    return fmt::format(
        "{0}setp.eq.{1} %mutatedp, %mutated0, {2}; {0}selp.{1} %mutated1, {3}, %mutated0, %mutatedp;", guard,
        bits, o.at(first), o.at(first + 1));
  return fmt::format("{}{}.{} %mutated1, %mutated0, {};", guard, operation_name(candidate), type,
                     o.at(first));
}

}  // namespace

std::vector<Change> drop_volatile(const Candidate& candidate) {
  if (!is_load_or_store(candidate) || !candidate.has("volatile")) return {};
  return {{"drop volatile from the " + noun(candidate), candidate.spelled.with("volatile", "").text()}};
}

std::vector<Change> weaken_order(const Candidate& candidate) {
  if (is_releasing_arrival(candidate)) {
    Spelled weaker = candidate.spelled.with("release", "");
    const auto arrive = std::ranges::find(weaker.suffixes, "arrive");
    weaker.suffixes.insert(arrive + 1, "relaxed");
    return {{"weaken release to relaxed in the arrival at the cluster barrier", weaker.text()}};
  }
  if (!is_load_or_store(candidate) && !is_atomic(candidate)) return {};
  if (const std::string order = order_of(candidate); !order.empty())
    return {{fmt::format("weaken {} to relaxed in the {}", order, noun(candidate)),
             candidate.spelled.with(order, "relaxed").text()}};
  if (is_atomic(candidate) || !candidate.has("relaxed")) return {};
  return {{fmt::format("turn the relaxed {0} into a plain {0}", noun(candidate)),
           candidate.spelled.with("relaxed", "").with(scope_of(candidate), "").text()}};
}

std::vector<Change> narrow_scope(const Candidate& candidate) {
  const bool is_strong =
      is_atomic(candidate) || (is_load_or_store(candidate) && !scope_of(candidate).empty());
  const bool is_own = candidate.has("shared") || candidate.has("shared::cta") || scope_of(candidate) == "cta";
  if (!is_strong || is_own) return {};
  return {{fmt::format("narrow the scope of the {} to the block", noun(candidate)),
           with_cta_scope(candidate).text()}};
}

std::vector<Change> split_atomic(const Candidate& candidate) {
  const std::string op = operation_name(candidate), type = candidate.type();
  const bool is_vector = candidate.has("v2") || candidate.has("v4") || candidate.has("v8");
  const bool has_hint = candidate.has("L2::cache_hint") || candidate.has("noftz");
  if (!is_atomic(candidate) || op.empty() || is_vector || has_hint || type.size() < 3) return {};
  std::string space;
  for (const char* name : {"global", "shared", "shared::cta", "shared::cluster"})
    if (candidate.has(name)) space = std::string(".") + name;
  const std::vector<std::string>& o = candidate.spelled.operands;
  const bool returns = candidate.is("atom");
  const std::string bits = untyped(type);
  const std::string& guard = candidate.spelled.guard;
  const std::string& address = o.at(returns ? 1 : 0);
  std::string text = fmt::format("{{ .reg .{} %mutated<2>; .reg .pred %mutatedp; ", bits);
  text += fmt::format("{}ld{}.{} %mutated0, {}; ", guard, space, bits, address);
  text += operation(candidate, returns ? 2 : 1);
  text += fmt::format(" {}st{}.{} {}, %mutated1;", guard, space, bits, address);
  if (returns && o.front() != "_") text += fmt::format(" {}mov.{} {}, %mutated0;", guard, bits, o.front());
  return {{fmt::format("turn the atomic ({}) into a load, the operation and a store", op), text + " }"}};
}

}  // namespace foldproof::mutation
