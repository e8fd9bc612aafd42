#include "contracts/guessing/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace foldproof {
namespace {

/// The methods that make a difference for a few elements.
std::vector<std::string_view> methods_of(Operator op) {
  if (op == Operator::sum) return {"kahan", "neumaier"};
  if (op == Operator::mean) return {"shares"};
  return {};
}

/// What follows the name and the shape of a reference contract, in all usual ways: methods, the divisor of a
/// variance, and epsilons, unless the kernel gets one as an argument.
std::vector<std::string> variants_of(const Problem& problem, const Kernel& kernel) {
  std::vector<std::string> variants{""};
  if (problem.keys.empty())
    for (const std::string_view method : methods_of(problem.op))
      variants.push_back(fmt::format(",method={}", method));
  if (info(problem.op).takes("correction")) variants.emplace_back(",correction=1");
  const auto is_epsilon = [](const Parameter& parameter) { return has_name(parameter.name, "", {"eps"}); };
  if (!info(problem.op).takes("epsilon") || std::ranges::any_of(kernel.parameters, is_epsilon))
    return variants;
  for (const std::string& variant : std::vector(variants))
    for (const char* epsilon : {"1e-5", "1e-6", "1e-8", "1e-12"})
      variants.push_back(fmt::format("{},epsilon={}", variant, epsilon));
  return variants;
}

/// How many bins the kernel may have, if no parameter says it: as its arrays in shared memory, its template
/// arguments or the type of its elements suggest, or any number.
std::set<std::uint64_t> numbers_of_bins(const Kernel& kernel) {
  constexpr std::uint64_t most = 65536, any = 64;
  std::set<std::uint64_t> numbers{any, 256};
  for (const std::uint32_t integer : template_integers(kernel)) numbers.insert(integer);
  for (const std::uint64_t bytes : kernel.facts.shared_arrays) numbers.insert(bytes / sizeof(std::uint32_t));
  std::erase_if(numbers, [](std::uint64_t number) { return number < 2 || number > most; });
  return numbers;
}

/// The same for histograms: of the elements, or of their upper bits.
std::vector<std::string> variants_of_histogram(const Kernel& kernel) {
  std::vector<std::string> variants{""};
  for (const std::uint64_t bins : numbers_of_bins(kernel)) {
    variants.push_back(fmt::format(",bins={}", bins));
    for (const std::uint64_t width : {4, 16, 256})
      variants.push_back(fmt::format(",bins={},bin=x / {},values=0 .. {}", bins, width, bins * width - 1));
  }
  return variants;
}

std::vector<Reference> all_references(const Kernel& kernel) {
  std::vector<Reference> references;
  for (const Problem& problem : problems()) {
    if (is_formula(problem.op) && problem.keys.empty()) continue;  // only the user knows which
    for (const std::string_view shape : shapes_of(problem))
      for (const std::string& variant :
           problem.op == Operator::histogram ? variants_of_histogram(kernel) : variants_of(problem, kernel))
        references.push_back(reference_named(fmt::format("{}:{}{}", problem.name, shape, variant), ""));
  }
  return references;
}

/// The kernel under that supposition; nothing if it lacks an operand or a size.
std::optional<Candidate> candidate_for(const Kernel& kernel, const Supposition& supposed) {
  Candidate candidate;
  try {
    static_cast<InstanceGuess&>(candidate) = guess_instance(kernel, supposed);
  } catch (const Unfit&) {
    return std::nullopt;
  } catch (const InputError&) {
    return std::nullopt;
  }
  candidate.instance.launches[0].lowered = kernel.signature.lowered;
  candidate.is_narrow = supposed.elements_per_thread > 1 || supposed.columns_per_thread != 0 ||
                        supposed.count || supposed.reads_whole_groups;
  candidate.doubles_shared = supposed.shared_per_thread > 1;
  candidate.is_unusual = supposed.output_is_scratch || supposed.is_in_place || supposed.holds_identity ||
                         supposed.has_one_result || supposed.threads_y != 0 || supposed.grid ||
                         candidate.instance.in_place;
  if (supposed.reference == nullptr) return candidate;
  candidate.as = supposed.reference->as;
  candidate.assumptions.push_back(fmt::format("operator {}", supposed.reference->as));
  return candidate;
}

std::ptrdiff_t sizes_of(const Kernel& kernel) {
  return std::ranges::count_if(kernel.parameters, [](const Parameter& parameter) {
    return !parameter.is_pointer && parameter.element && !is_float(*parameter.element) &&
           !parameter.is_placeholder;
  });
}

/// Whether the kernel may read as many elements as it has threads, or a multiple: a single block with
/// the number of elements covers them all.
bool may_ignore_count(const Kernel& kernel) { return kernel.facts.uses_block_index || sizes_of(kernel) == 0; }

bool reads_groups(const Kernel& kernel) {
  return std::ranges::any_of(kernel.parameters, [&](const Parameter& parameter) {
    return parameter.is_pointer && parameter.element && parameter.lanes == 1 &&
           size_of(*parameter.element) < kernel.facts.widest_read;
  });
}

std::vector<bool> either(bool both) { return both ? std::vector{false, true} : std::vector{false}; }

/// Those with as many blocks as the source launches.
void add_fixed_grid(std::uint32_t blocks, std::vector<Supposition>& all) {
  std::vector<Supposition> fixed;
  for (Supposition supposed : all)
    if (!supposed.block) fixed.push_back(supposed), fixed.back().grid = blocks;
  all.insert(all.end(), fixed.begin(), fixed.end());
}

/// Those in which a row has one column per thread of its block, or a small multiple.
void add_filled_rows(const Kernel& kernel, const std::vector<std::optional<std::uint32_t>>& blocks,
                     std::vector<Supposition>& all) {
  const bool groups = reads_groups(kernel);
  for (const std::uint32_t columns : groups ? std::vector{1U, 2U, 4U, 8U} : std::vector{1U})
    for (const auto block : blocks)
      for (const bool orders : either(sizes_of(kernel) > 1))
        all.push_back({.block = block,
                       .columns_per_thread = columns,
                       .reads_whole_groups = groups && columns > 1,
                       .orders_sizes = orders});
}

/// A fold of rows as long as blocks is one that leaves partial results, and such a scan may be one that loses
/// the results of earlier blocks.
bool may_fill_rows(const Reference& reference, const Supposition& supposed) {
  return supposed.columns_per_thread == 0 || info(reference.op).gives == OperatorInfo::Gives::elements;
}

/// Those with a number of elements with which the kernel compares an index.
void add_constant_counts(const Kernel& kernel, std::vector<Supposition>& all) {
  constexpr std::uint64_t least = 128, most = 1 << 16;  // more than a trial run has
  std::set<std::uint64_t> counts;
  for (const std::uint64_t constant : kernel.facts.compared_integers)
    if (constant >= least && constant <= most) counts.insert({constant, constant + 1});
  for (const std::uint64_t count : counts) all.push_back({.count = count});
}

/// Everything that can be supposed about the launch and the sizes of the kernel, the likelier first.
std::vector<Supposition> suppositions(const Kernel& kernel) {
  const std::vector<std::uint32_t> integers = template_integers(kernel);
  std::vector<std::optional<std::uint32_t>> blocks{std::nullopt};
  blocks.insert(blocks.end(), integers.begin(), integers.end());
  std::set<std::uint32_t> elements{1, 2, 4, 8};
  elements.insert(integers.begin(), integers.end());
  if (!may_ignore_count(kernel)) elements = {1};
  std::vector<Supposition> all;
  for (const bool orders : either(sizes_of(kernel) > 1))
    for (const bool groups : either(reads_groups(kernel)))
      for (const auto block : blocks)
        for (const std::uint32_t per_thread : elements) {
          const Supposition one{.block = block,
                                .elements_per_thread = per_thread,
                                .reads_whole_groups = groups,
                                .orders_sizes = orders};
          all.push_back(one);
          if (!kernel.facts.uses_dynamic_shared) continue;
          all.push_back(one);
          all.back().shared_per_thread = 2;
        }
  if (!kernel.facts.reads_in_loop) add_filled_rows(kernel, blocks, all);
  if (sizes_of(kernel) == 0) add_constant_counts(kernel, all);
  all.push_back({.is_square = true});
  if (sizes_of(kernel) == 3) all.push_back({.is_tensor = true});
  if (sizes_of(kernel) > 1) all.push_back({.has_total = true});
  all.push_back({.has_one_result = true});
  all.push_back({.output_is_scratch = true});
  all.push_back({.is_in_place = true});
  all.push_back({.has_wide_scratch = true});
  all.push_back({.has_common_factors = true});
  if (adds_in(kernel.facts, Element::f16) || adds_in(kernel.facts, Element::bf16))
    all.push_back({.rounds_early = true});
  const auto adds_to_it = [](const Parameter& parameter) {
    return parameter.accesses.is_read && parameter.accesses.is_output();
  };
  if (std::ranges::any_of(kernel.parameters, adds_to_it)) {
    all.push_back({.holds_identity = true});
    if (sizes_of(kernel) == 3) all.push_back({.is_tensor = true, .holds_identity = true});
  }
  if (const auto grid = kernel.launched_grid(kernel.grid_axis()); grid && kernel.facts.uses_block_index)
    add_fixed_grid(*grid, all);
  const auto is_group = [](const Parameter& parameter) { return parameter.lanes > 1; };
  if (std::ranges::any_of(kernel.parameters, is_group)) all.push_back({.counts_groups = true});
  if (reads_groups(kernel)) all.push_back({.reads_whole_groups = true, .counts_groups = true});
  if (kernel.facts.has_two_dimensions && !kernel.launched_shape())
    for (const auto& [block, y] :
         {std::pair(256U, 8U), {256U, 16U}, {256U, 32U}, {1024U, 32U}, {128U, 4U}, {64U, 8U}, {512U, 16U}})
      all.push_back({.block = block, .threads_y = y});
  // A kernel of shuffles alone is for a warp, or for blocks of whole warps.
  if (kernel.facts.uses_shuffle && !kernel.facts.uses_shared)
    for (const std::uint32_t block : {128U, 256U}) all.push_back({.block = block});
  return all;
}

/// Candidates without repetitions: many suppositions make no difference to a kernel.
class Candidates {
 public:
  explicit Candidates(const Kernel& kernel) : kernel_(kernel) {}

  void add(const Reference* reference, Supposition supposed, bool keeps_operator) {
    supposed.reference = reference;
    auto candidate = candidate_for(kernel_, supposed);
    if (!candidate) return;
    const Operator op = candidate->instance.reduction->op;
    if (!supposed.is_chosen && !says_operator(kernel_) && says_other(candidate->instance.output_name, op))
      return;
    if (!supposed.is_chosen && lacks_root(candidate->instance)) return;
    Contract contract;
    contract.instances = {candidate->instance};
    if (!texts_.insert(starter_contract(contract)).second) return;
    candidate->keeps_operator = keeps_operator;
    all_.push_back(std::move(*candidate));
  }

  std::vector<Candidate> take() { return std::move(all_); }

 private:
  /// Whether the name says that it is a norm, and nothing suggests that another kernel computes the root.
  bool lacks_root(const Instance& instance) const {
    const bool may_be_part =
        instance.reduction->result == ResultShape::partials && kernel_.facts.uses_block_index;
    return instance.reduction->op == Operator::sum_of_squares && kernel_.facts.atomics.empty() &&
           !may_be_part && says_norm(last_name(kernel_));
  }

  const Kernel& kernel_;
  std::set<std::string> texts_;
  std::vector<Candidate> all_;
};

}  // namespace

std::string last_name(const Kernel& kernel) { return std::string(unqualified(kernel.signature.spelled)); }

bool says_operator(const Kernel& kernel) {
  const std::string name = last_name(kernel);
  return row_of_name(name) != nullptr || fold_in_name(name).has_value();
}

std::vector<std::uint32_t> template_integers(const Kernel& kernel) {
  constexpr std::uint32_t most = 1024;
  std::vector<std::uint32_t> integers;
  const std::string_view spelled = kernel.signature.spelled;
  const std::size_t begin = spelled.find('<');
  if (begin == std::string_view::npos) return integers;
  for (const std::string_view argument :
       split_list(spelled.substr(begin + 1, spelled.size() - begin - 2), "<(", ">)")) {
    const std::size_t digits = argument.find_last_of("0123456789") + 1;  // "256u"
    const auto number = integer_in<std::uint32_t>(trimmed(argument.substr(0, digits)));
    if (number && *number > 1 && *number <= most) integers.push_back(*number);
  }
  return integers;
}

std::vector<Candidate> candidates_for(const Kernel& kernel, const Reference* chosen, bool is_settled) {
  const auto named = operator_in_name(last_name(kernel));
  std::vector<Reference> references = chosen == nullptr ? all_references(kernel) : std::vector<Reference>{};
  std::erase_if(references,
                [&](const Reference& reference) { return contradicts_name(last_name(kernel), reference); });
  Candidates candidates(kernel);
  const std::vector<Supposition> all = suppositions(kernel);
  for (const Supposition& supposed : all) {
    Supposition wanted = supposed;
    wanted.is_chosen = chosen != nullptr;
    candidates.add(chosen, wanted, true);
    for (const Reference& reference : references)
      if (reference.op == named && may_fill_rows(reference, supposed))
        candidates.add(&reference, supposed, true);
  }
  // Threads that find such an element store to an output that is 0, or 1, before.
  const auto may_store_nothing = [](Operator op) { return op == Operator::any || op == Operator::all; };
  if (chosen != nullptr && may_store_nothing(chosen->op))
    candidates.add(chosen, {.is_chosen = true, .holds_identity = true}, true);
  for (const Reference& reference : references)
    if (may_store_nothing(reference.op) && (reference.op == named || !is_settled))
      candidates.add(&reference, {.holds_identity = true}, reference.op == named);
  // A tally of the trial inputs would be a constant. Many histograms are possible, so that few are tried.
  const auto is_possible = [&](const Reference& reference, const Supposition& supposed) {
    const bool counts = reference.op == Operator::histogram;
    return !is_settled && reference.op != named && info(reference.op).gives != OperatorInfo::Gives::tally &&
           (!counts || (&supposed == &all.front() && !kernel.facts.atomics.empty()));
  };
  for (const Supposition& supposed : all)
    if (supposed.elements_per_thread == 1 && supposed.columns_per_thread == 0 &&
        supposed.shared_per_thread == 1 && !supposed.block && !supposed.count)
      for (const Reference& reference : references)
        if (is_possible(reference, supposed)) candidates.add(&reference, supposed, false);
  return candidates.take();
}

}  // namespace foldproof
