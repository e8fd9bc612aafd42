// Which parameters of a kernel are sizes of its input.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "contracts/guessing/guesses.h"
#include "oracles/layout.h"

namespace foldproof {
namespace {

using NameWords = std::initializer_list<std::string_view>;

/// Whether the name says what to do, instead of how many rows or columns there are.
bool is_name_of_option(const std::string& name) {
  return mentions(in_words(name), {"ignore", "causal", "_mask_", "_flag", "_mode_", "_seed_"});
}

/// `lanes`: elements per group.
bool is_name_of_groups(const std::string& name, std::uint32_t lanes) {
  return lanes > 1 &&
         (name.ends_with(std::to_string(lanes)) || mentions(name, {"group", "vec", "pair", "quad", "pack"}));
}

class SizesGuess {
 public:
  SizesGuess(const KernelRoles& roles, Operator op) : roles_(roles), kernel_(roles.kernel()), op_(op) {
    for (std::size_t i = 0; i < kernel_.parameters.size(); ++i)
      if (!kernel_.parameters[i].is_pointer && !is_float(*kernel_.parameters[i].element) &&
          !kernel_.parameters[i].is_placeholder && !roles_.is_named(i))
        integers_.push_back(i);
  }

  Sizes sizes() {
    sizes_.by_columns = is_by_columns();
    if (roles_.has_result(ResultShape::bins) && roles_.bins().empty()) find_bins();
    if (may_be_matrix() && !find_tensor()) find_matrix();
    if (!sizes_.matrix) {
      sizes_.steps.reset();
      find_count();
    }
    return sizes_;
  }

 private:
  bool is_named(std::size_t index, std::string_view letters, NameWords words) const {
    return has_name(kernel_.parameters[index].name, letters, words);
  }

  /// The parameter that the user named for the part, or the first number with such a name, which it removes
  /// from the numbers.
  std::optional<std::size_t> take(std::string_view part, std::string_view letters, NameWords words,
                                  std::vector<std::size_t>& numbers) const {
    if (const auto wanted = roles_.named(part)) return wanted;
    const auto found = std::ranges::find_if(numbers, [&](std::size_t i) {
      return !roles_.supposed().orders_sizes && is_named(i, letters, words);
    });
    if (found == numbers.end()) return std::nullopt;
    const std::size_t index = *found;
    numbers.erase(found);
    return index;
  }

  std::optional<std::size_t> take_rows(std::vector<std::size_t>& numbers) const {
    return take("rows", "MmHhR", {"row", "height", "batch", "token"}, numbers);
  }
  /// The number of examples in a batch, if there is also one of the rows of each.
  std::optional<std::size_t> take_batch(std::vector<std::size_t>& numbers) {
    if (roles_.named("rows") || roles_.supposed().orders_sizes) return std::nullopt;
    std::vector<std::size_t> left = numbers;
    const auto batch = take("", "B", {"batch"}, left), steps = take("", "T", {"seq", "time", "step"}, left);
    if (!batch || !steps) return std::nullopt;
    numbers = left;
    sizes_.steps = steps;
    return batch;
  }
  std::optional<std::size_t> take_columns(std::vector<std::size_t>& numbers) const {
    return take("columns", "NnWwCV", {"col", "width", "hidden", "dim", "feature", "vocab"}, numbers);
  }

  /// Whether the reference contract is about rows or columns or, without one, blocks work on their own.
  bool may_be_matrix() const {
    if (roles_.reference() != nullptr) return needs_columns(roles_.reference()->result);
    const EntryFacts& facts = kernel_.facts;
    return facts.uses_block_index && facts.atomics.empty() && !facts.uses_grid_sync &&
           facts.cluster[0] <= 1 && roles_.lanes() == 1 && !roles_.in_place() &&
           has_shape(op_, ResultShape::rows);
  }

  /// Whether there are the sizes of a tensor (batch, channel, spatial) whose channels are reduced.
  bool find_tensor() {
    if (!sizes_.by_columns) return false;
    if (roles_.supposed().is_tensor) return is_three_numbers();
    std::vector<std::size_t> left = integers_;
    const auto spatial = take("spatial", "Ss", {"spatial", "hw", "pixel", "plane", "inner"}, left);
    if (!spatial) return false;
    const auto channels = take("columns", "Cc", {"channel", "feature", "filter"}, left);
    const auto batch = take("rows", "NBnb", {"batch", "sample", "outer"}, left);
    if (!channels || !batch) return false;
    set_tensor(*batch, *channels, *spatial);
    return true;
  }

  bool is_three_numbers() {
    if (integers_.size() != 3) return false;
    set_tensor(integers_[0], integers_[1], integers_[2]);
    return true;
  }

  void set_tensor(std::size_t batch, std::size_t channels, std::size_t spatial) {
    sizes_.matrix = {batch, channels};
    sizes_.spatial = spatial;
    roles_.assume(fmt::format("a tensor with {} examples, {} channels and {} elements of each channel",
                              roles_.described(batch), roles_.described(channels),
                              roles_.described(spatial)));
  }

  /// The parameters that the user named, or those with usual names. A reference contract needs no names: the
  /// first two numbers are rows and columns, and a single one is the number of columns.
  void find_matrix() {
    const bool is_mapped = roles_.named("rows") || roles_.named("columns");
    if (roles_.supposed().columns_per_thread != 0 && integers_.size() <= 1 && !is_mapped) {
      sizes_.matrix = Sizes::Matrix{};
      find_count();
      return;
    }
    if (roles_.supposed().is_square && integers_.size() == 1 && !is_mapped) {
      sizes_.matrix = {integers_.front(), integers_.front()};
      return roles_.assume(fmt::format("a square matrix of {} rows", roles_.described(integers_.front())));
    }
    std::vector<std::size_t> left = integers_;
    if (roles_.supposed().has_total) sizes_.total = take("", "", {"elem", "total", "numel"}, left);
    auto rows = take_batch(left);
    if (!rows) rows = take_rows(left);
    auto columns = take_columns(left);
    if (roles_.reference() == nullptr && (!rows || !columns)) return;
    std::erase_if(left, [&](std::size_t i) {
      const std::string& name = kernel_.parameters[i].name;
      return (info(op_).takes("k") && is_name_of_k(name)) || is_name_of_stride(name) ||
             is_name_of_option(name);
    });
    if (!rows && left.size() > (columns ? 0U : 1U)) rows = *left.begin(), left.erase(left.begin());
    if (!columns && !left.empty()) columns = left.front();
    if (!columns) roles_.give_up("no parameter is the number of columns; name one with --map columns=INDEX");
    sizes_.matrix = {rows, *columns};
    if (sizes_.total) roles_.assume(fmt::format("{} elements in all", roles_.described(*sizes_.total)));
    if (sizes_.steps)
      return roles_.assume(fmt::format("a matrix of {} x {} rows and {} columns", roles_.described(*rows),
                                       roles_.described(*sizes_.steps), roles_.described(*columns)));
    roles_.assume(
        rows ? fmt::format("a matrix of {} rows and {} columns", roles_.described(*rows),
                           roles_.described(*columns))
             : fmt::format("a matrix with one row per block and {} columns", roles_.described(*columns)));
  }

  /// Whether the reference contract or the kernel's name says that columns are reduced.
  bool is_by_columns() const {
    if (roles_.reference() != nullptr) return roles_.reference()->result == ResultShape::columns;
    const std::string name = plain_name(kernel_.signature.spelled);
    return mentions(name, {"col", "channel"}) && !mentions(name, {"row"}) &&
           has_shape(op_, ResultShape::columns);
  }

  void find_bins() {
    sizes_.bins = take("bins", "", {"bin", "bucket", "level", "class", "categor"}, integers_);
    if (!sizes_.bins)
      roles_.give_up(
          "no parameter is the number of bins; name one with --map bins=INDEX, or add bins=NUMBER to "
          "--as");
    roles_.assume(
        fmt::format("number of bins {}, at most one per thread of a block", roles_.described(*sizes_.bins)));
  }

  void find_count() {
    const auto named = std::ranges::find_if(integers_, [&](std::size_t index) {
      return is_named(index, "nN", {"count", "size", "len", "num", "elem"}) ||
             is_name_of_groups(kernel_.parameters[index].name, roles_.lanes());
    });
    if (!integers_.empty()) sizes_.count = named == integers_.end() ? integers_.front() : *named;
    if (const auto chosen = roles_.named("count")) sizes_.count = chosen;
    if (roles_.has_result(ResultShape::segments)) find_segments();
    if (sizes_.count)
      roles_.assume(fmt::format("number of {} {}",
                                counts_groups(roles_, *sizes_.count) ? "groups" : "elements",
                                roles_.described(*sizes_.count)));
  }

  /// The parameter that the user named, or else the guessed count.
  void find_segments() {
    sizes_.segments = roles_.named("segments");
    if (!sizes_.segments) sizes_.segments = std::exchange(sizes_.count, std::nullopt);
    if (sizes_.segments)
      roles_.assume(fmt::format("number of segments {}", roles_.described(*sizes_.segments)));
  }

  const KernelRoles& roles_;
  const Kernel& kernel_;
  Operator op_;
  std::vector<std::size_t> integers_;
  Sizes sizes_;
};

}  // namespace

bool has_name(const std::string& name, std::string_view letters, NameWords words) {
  return (name.size() == 1 && letters.find(name) != std::string_view::npos) || mentions(name, words);
}

bool is_name_of_k(const std::string& name) { return has_name(name, "kK", {"top_k", "topk"}); }

bool is_name_of_stride(const std::string& name) {
  return name.starts_with("ld") || name.starts_with("inc") || mentions(name, {"stride", "pitch"});
}

bool is_free_name(const std::string& name) {
  constexpr std::string_view taken[] = {"input",  "output",  "count",   "block",  "grid",
                                        "groups", "rows",    "columns", "offset", "segments",
                                        "bins",   "spatial", "batch",   "steps"};
  return is_identifier(name) && std::ranges::find(taken, name) == std::end(taken);
}

bool counts_groups(const KernelRoles& roles, std::size_t index) {
  return roles.lanes() > 1 && (roles.supposed().counts_groups ||
                               is_name_of_groups(roles.kernel().parameters[index].name, roles.lanes()));
}

Sizes guess_sizes(const KernelRoles& roles, Operator op) { return SizesGuess(roles, op).sizes(); }

}  // namespace foldproof
