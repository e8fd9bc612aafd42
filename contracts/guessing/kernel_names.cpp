#include "contracts/guessing/kernel_names.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"

namespace foldproof {
namespace {

constexpr NameRow name_rows[] = {
#define FOLDPROOF_KERNEL_NAME(word, place, op, unknown) {word, NameRow::Place::place, Operator::op, unknown},
#include "contracts/guessing/names.def"
#undef FOLDPROOF_KERNEL_NAME
};

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

/// The words of names that are made of "sum", "max", "min" or "prod", and those that say how a kernel works
/// rather than what it computes.
constexpr std::string_view plain_words[] = {
    "acc",      "accum",     "accumulate", "add",         "addressing", "all",         "array",
    "atom",     "atomic",    "atomics",    "axis",        "baseline",   "basic",       "batch",
    "batched",  "block",     "blocked",    "blocks",      "butterfly",  "byte",        "bytes",
    "calc",     "calculate", "cas",        "channel",     "cluster",    "coalesced",   "col",
    "cols",     "column",    "columns",    "compute",     "coop",       "cooperative", "cta",
    "cuda",     "device",    "dim",        "double",      "down",       "dynamic",     "fast",
    "final",    "finalize",  "finish",     "float",       "fold",       "fp",          "generic",
    "get",      "global",    "gpu",        "grid",        "group",      "half",        "improved",
    "in",       "int",       "integer",    "interleaved", "kernel",     "lane",        "last",
    "level",    "long",      "loop",       "mat",         "matrix",     "max",         "maxima",
    "maximum",  "mem",       "memory",     "min",         "minima",     "minimum",     "multi",
    "multiple", "my",        "naive",      "new",         "of",         "old",         "one",
    "opt",      "optimized", "over",       "part",        "partial",    "partials",    "parts",
    "pass",     "per",       "persistent", "phase",       "place",      "prod",        "product",
    "red",      "reduce",    "reduced",    "reduction",   "ref",        "reference",   "reg",
    "register", "row",       "rows",       "safe",        "sequential", "serial",      "shared",
    "shfl",     "shm",       "shmem",      "short",       "shuffle",    "simple",      "single",
    "size",     "smem",      "stable",     "stage",       "static",     "step",        "stride",
    "strided",  "sum",       "summation",  "sums",        "template",   "templated",   "tensor",
    "test",     "thread",    "threads",    "ticket",      "tile",       "tiled",       "tmpl",
    "to",       "total",     "totals",     "tree",        "two",        "uint",        "unroll",
    "unrolled", "up",        "value",      "values",      "vec",        "vector",      "vectorized",
    "ver",      "version",   "warp",       "warps",       "wide",       "xor"};

/// A letter is plain, too, like that of a type.
bool is_plain_word(std::string_view word) {
  return word.size() <= 1 || std::ranges::all_of(word, is_digit) ||
         std::ranges::find(plain_words, word) != std::end(plain_words);
}

/// The word as the row matches it in the words of a name.
std::string sought(const NameRow& row) {
  const std::string word(row.word);
  return row.place == NameRow::Place::word ? "_" + word + "_" : word;
}

/// A name with one of these parts says one of these operators. "_arg" matches at the beginning of a word,
/// "_lo_" a whole word.
struct SaidByName {
  std::initializer_list<std::string_view> parts;
  std::initializer_list<Operator> ops;
};

bool says(std::string_view words, const SaidByName& row) { return mentions(words, row.parts); }
bool has(const SaidByName& row, Operator op) { return std::ranges::find(row.ops, op) != row.ops.end(); }

}  // namespace

bool mentions(std::string_view name, std::initializer_list<std::string_view> words) {
  std::string lower(name);
  for (char& c : lower)
    if (is_upper(c)) c = static_cast<char>(c - 'A' + 'a');
  return std::ranges::any_of(words,
                             [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

std::string in_words(std::string_view name) {
  std::string words = "_";
  char before = '_';
  for (const char c : name) {
    const bool begins = is_upper(c)   ? is_lower(before) || is_digit(before)
                        : is_digit(c) ? !is_digit(before)
                                      : is_lower(c) && is_digit(before);
    if (begins && words.back() != '_') words += '_';
    if (is_upper(c))
      words += static_cast<char>(c - 'A' + 'a');
    else
      words += is_lower(c) || is_digit(c) ? c : '_';
    before = c;
  }
  return words + "_";
}

const NameRow* row_of_name(std::string_view name) {
  const std::string words = in_words(name);
  const auto* found = std::ranges::find_if(
      name_rows, [&](const NameRow& row) { return words.find(sought(row)) != std::string::npos; });
  if (found == std::end(name_rows)) return nullptr;
  // A "softmax_grad" is something else than a softmax, but a "grad_norm" is a norm.
  const bool is_gradient = mentions(words, {"backward", "_bwd_", "_bw_"}) ||
                           words.find("grad", words.find(sought(*found))) != std::string::npos;
  return is_gradient ? nullptr : found;
}

std::optional<Operator> fold_in_name(std::string_view name) {
  if (mentions(name, {"max"})) return Operator::max;
  if (mentions(name, {"min"})) return Operator::min;
  if (mentions(name, {"prod"}) || in_words(name).find("_mul_") != std::string::npos) return Operator::prod;
  if (mentions(name, {"sum", "add"})) return Operator::sum;
  return std::nullopt;
}

std::optional<Operator> operator_in_name(std::string_view name) {
  // A word that says whose sum it is, or of what is made from the elements.
  if (mentions(name, {"finite", "valid", "clip",  "clamp",  "satur",  "skip",   "mask",
                      "even",   "odd",   "label", "ignore", "filter", "select", "cond",
                      "diff",   "delta", "upper", "lower",  "trace",  "diag",   "nan"}))
    return std::nullopt;
  if (const NameRow* row = row_of_name(name)) return row->op;
  constexpr std::pair<std::string_view, Operator> words[] = {
      {"_dot_", Operator::dot},     {"_dotprod", Operator::dot},   {"_max_", Operator::max},
      {"_maximum_", Operator::max}, {"_min_", Operator::min},      {"_minimum_", Operator::min},
      {"_prod_", Operator::prod},   {"_product_", Operator::prod}, {"_sum_", Operator::sum}};
  const std::string all = in_words(name);
  for (const auto& [word, op] : words)
    if (all.find(word) != std::string::npos) return op;
  return std::nullopt;
}

bool is_plain_name(std::string_view name) {
  if (!operator_in_name(name)) return false;
  std::string words = in_words(name);
  if (const NameRow* row = row_of_name(name)) {
    const std::string word = sought(*row);
    words.replace(words.find(word), word.size(), "_");
  }
  for (std::size_t begin = 0, end = 0; begin < words.size(); begin = end + 1) {
    end = std::min(words.find('_', begin), words.size());
    const std::string_view word = std::string_view(words).substr(begin, end - begin);
    if (!is_plain_word(word)) return false;
  }
  return true;
}

namespace {

/// Whether the name says another bitwise or logical operator, such as "reduce_and". The lanes of a shuffle
/// are often those of an "xor".
bool says_other_bits(const std::string& words, Operator op) {
  using enum Operator;
  static const SaidByName rows[] = {{{"_xor_"}, {bit_xor}},
                                    {{"_and_"}, {bit_and, all}},
                                    {{"_or_"}, {bit_or, any}},
                                    {{"_all_true_", "_every"}, {all, bit_and, min}},
                                    {{"_any_"}, {any, bit_or, max}}};
  constexpr Operator bitwise[] = {bit_and, bit_or, bit_xor, all, any};
  if (std::ranges::find(bitwise, op) == std::end(bitwise) && !is_extremum(op)) return false;
  if (fold_in_name(words) || row_of_name(words) != nullptr || mentions(words, {"shuf", "shfl", "butterfly"}))
    return false;
  const auto is_said = [&](const SaidByName& row) { return says(words, row); };
  return std::ranges::any_of(rows, is_said) &&
         std::ranges::none_of(rows, [&](const SaidByName& row) { return is_said(row) && has(row, op); });
}

bool ignores_nan(const std::string& words) {
  static const SaidByName ignored{
      {"_nansum_", "_nanprod_", "_nanmax_", "_nanmin_", "_nanmean_", "_nanstd_", "_nanvar_", "_nan_sum_",
       "_nan_prod_", "_nan_max_", "_nan_min_", "_nan_mean_", "_nan_std_", "_nan_var_"},
      {}};
  return says(words, ignored) || (mentions(words, {"nan"}) && mentions(words, {"ignor", "skip", "omit"}));
}

bool can_ignore_nan(Operator op) {
  return op == Operator::sum || op == Operator::prod || is_extremum(underlying(op));
}

}  // namespace

bool has_unknown_nans(std::string_view name, Operator op) {
  return ignores_nan(in_words(name)) && !can_ignore_nan(op);
}

void apply_name(std::string_view name, Operator op, Claims& claims) {
  const std::string words = in_words(name);
  if (ignores_nan(words) && can_ignore_nan(op)) claims.nan = NanPolicy::ignore;
  const bool is_of_steps = mentions(words, {"pass", "stage", "phase", "level", "step", "kernel"});
  if (info(op).takes("ties") && mentions(words, {"_first_"}) && !is_of_steps) claims.ties = Ties::first;
}

bool says_norm(std::string_view name) {
  const std::string words = in_words(name);
  return mentions(words, {"norm", "nrm_2_", "_l_2_", "euclid"}) && !mentions(words, {"sq", "part", "stage"});
}

bool says_other_result(std::string_view name, Operator op) {
  static const SaidByName rows[] = {
      {{"sq"}, {Operator::sum, Operator::asum}},
      {{"norm", "nrm"}, {Operator::sum}},
      {{"_prod_", "_product_"}, {Operator::max, Operator::min}},
      {{"cumprod", "prefix_prod"}, {Operator::sum, Operator::max, Operator::min}},
      {{"logcumsumexp", "_log_sum_"}, {Operator::sum}},
      {{"cummax", "prefix_max"}, {Operator::sum, Operator::prod, Operator::min}},
      {{"cummin", "prefix_min"}, {Operator::sum, Operator::prod, Operator::max}},
      {{"largest"}, {Operator::sum, Operator::min}},
      {{"smallest"}, {Operator::sum, Operator::max}},
      {{"num_nonzero", "count_nonzero", "nnz"}, {Operator::sum, Operator::max, Operator::min}},
      {{"median"}, {Operator::sum, Operator::prod, Operator::max, Operator::min}},
      {{"peak"}, {Operator::sum, Operator::prod, Operator::min}},
      {{"_rms_"}, {Operator::norm, Operator::sum, Operator::sum_of_squares}},
      {{"norm_2_", "nrm_2_", "_l_2_"}, {Operator::sum, Operator::asum}}};
  const std::string words = in_words(name);
  return std::ranges::any_of(rows, [&](const SaidByName& row) { return says(words, row) && has(row, op); });
}

bool contradicts_name(std::string_view name, const Reference& reference) {
  const std::string* scan = reference.value_of("scan");
  if (scan != nullptr && mentions(name, {"exclusive", "prescan"}) && *scan != "exclusive") return true;
  if (scan != nullptr && mentions(name, {"inclusive", "cumsum", "cumprod", "cummax", "cummin", "running"}) &&
      !mentions(name, {"exclusive"}) && scan->ends_with("exclusive"))
    return true;
  if (scan != nullptr && mentions(name, {"reverse", "suffix"}) && !scan->starts_with("reverse")) return true;
  const bool is_wanted_shape =
      reference.result != ResultShape::rows || !mentions(name, {"col"}) || mentions(name, {"row"});
  if (!is_wanted_shape) return true;
  if (has_unknown_nans(name, reference.op)) return true;
  const std::string words = in_words(name);
  if (says_other_bits(words, reference.op)) return true;
  if (info(reference.op).takes("correction")) {
    const bool is_of_sample = reference.value_of("correction") != nullptr;
    if (is_of_sample ? mentions(words, {"_pop", "_biased_"})
                     : mentions(words, {"_sample_", "unbiased", "bessel"}))
      return true;
  }
  const bool computes_root = mentions(words, {"nrm_2_", "_l_2_"}) && says_norm(name);
  if (computes_root && reference.op == Operator::sum_of_squares) return true;
  return says_other_result(name, reference.op);
}

bool says_other(std::string_view output, Operator op) {
  using enum Operator;
  static const SaidByName rows[] = {
      {{"argmax", "arg_max"}, {argmax}},
      {{"argmin", "arg_min"}, {argmin}},
      {{"idx", "index", "_arg", "_pos_", "_loc_", "where"}, {argmin, argmax}},
      {{"logsumexp", "log_sum_exp", "_lse_"}, {log_sum_exp}},
      {{"softmax"}, {softmax, log_softmax}},
      {{"_amax_"}, {absmax, max}},
      {{"absmax", "abs_max", "max_abs", "maxabs", "_linf_", "_l_inf_"}, {absmax}},
      {{"max", "_mx_", "_high", "_hi_"}, {max, max_ratio}},
      {{"min", "_mn_", "_low", "_lo_"}, {min}},
      {{"asum", "abs_sum", "abssum", "sum_abs", "sumabs", "_l_1_"}, {asum}},
      {{"_mse_"}, {mse, squared_error}},
      {{"_mae_"}, {mae, absolute_error}},
      {{"sq"}, {sum_of_squares, squared_error}},
      {{"count", "cnt"}, {count, histogram, top_p}},
      {{"huber"}, {huber, mean_huber}},
      {{"mean", "avg", "average"}, {mean, mse, mae, mean_huber}},
      {{"_rms"}, {rms_norm}},
      {{"rstd", "inv_std", "invstd"}, {reciprocal_deviation}},
      {{"std"}, {deviation}},
      {{"var"}, {variance}},
      {{"norm", "nrm_2", "_l_2_"}, {norm, layer_norm, rms_norm, l2_normalize}},
      {{"prod"}, {prod, dot}},
      {{"sum"}, {sum, dot, squared_error, absolute_error, huber}}};
  const std::string words = in_words(output);
  const auto* row = std::ranges::find_if(rows, [&](const SaidByName& one) { return says(words, one); });
  return row != std::end(rows) && !has(*row, op);
}

}  // namespace foldproof
