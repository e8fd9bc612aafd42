#include "contracts/guessing/guesses.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "base/text.h"
#include "contracts/loading/tables.h"

namespace foldproof {
namespace {

// What a part must be, as the end of a sentence.
constexpr std::string_view read_elements = "a pointer", written_elements = "a pointer to non-const elements",
                           whole_number = "an integer", real_number = "a floating-point number";

std::string_view kind_of_part(std::string_view part) {
  constexpr std::string_view numbers[] = {"count", "rows", "columns", "spatial", "segments", "bins", "k"};
  if (part == "y") return written_elements;
  if (part == "epsilon" || part == "delta" || part == "p") return real_number;
  return std::ranges::find(numbers, part) != std::end(numbers) ? whole_number : read_elements;
}

/// "d.rows" for a member of a struct.
std::string qualified_name(const Parameter& parameter) {
  const std::string whole = declared_name(parameter.whole);
  return whole.empty() || parameter.name.empty() ? parameter.name : whole + "." + parameter.name;
}

}  // namespace

bool works_on(std::string_view type, Element element) {
  if (is_float(element)) return type == name(element);
  return (type.starts_with('s') || type.starts_with('u') || type.starts_with('b')) &&
         type.substr(1) == name(element).substr(1);
}

KernelRoles::KernelRoles(const Kernel& kernel, const Supposition& supposed,
                         std::vector<std::string>& assumptions)
    : kernel_(kernel), supposed_(supposed), assumptions_(assumptions) {
  if (reference() != nullptr) find_named_parts();
  const auto x = named("x"), y = named("y");
  std::vector<std::size_t> read, written;
  for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
    const Parameter& parameter = kernel_.parameters[i];
    if (!parameter.element)
      give_up(fmt::format("the type of {} is a struct or another type that no guess covers", described(i)));
    if (parameter.is_pointer && i != x && i != y) (parameter.is_only_read() ? read : written).push_back(i);
  }
  if (x) read.insert(read.begin(), *x);
  if (y) written.push_back(*y);
  if (kernel_.parameters.empty()) give_up("its parameters are unknown");
  // What is read may also be written, as by a kernel that overwrites its input.
  while (read.size() < least_inputs() && written.size() > 1) {
    const auto may_be_input = [&](std::size_t i) { return !kernel_.parameters[i].is_only_written(); };
    const auto first = std::ranges::find_if(written, may_be_input);
    if (first == written.end()) break;
    read.push_back(*first);
    written.erase(first);
  }
  if (read.empty() && !written.empty()) read.push_back(written.front());
  const bool overwrites = supposed_.is_in_place && !x && written.size() == 1 &&
                          !kernel_.parameters[written.front()].is_only_written();
  if (overwrites && read.front() != written.front()) read.insert(read.begin(), written.front());
  if (reference() != nullptr && !x) put_elements_first(read);
  if (reference() != nullptr) find_operands(read);
  if (reference() != nullptr && reference()->formula) find_variables(read);
  if (read.size() > 1) give_up("it reads more than one input");
  if (read.empty() || written.empty()) give_up("it lacks a pointer for the input or the output");
  input_ = read.front();
  output_ = y.value_or(output_among(written));
  assume(in_place() ? fmt::format("input and output {}", described(input_))
                    : fmt::format("input {}, output {}", described(input_), described(output_)));
  for (const OperandRole& operand : operands_)
    assume(fmt::format("{} {}", operand.variable.empty() ? info(operand.role).name : operand.variable,
                       described(operand.index)));
  if (lanes() > 1) assume(fmt::format("whole, aligned groups of {} elements", lanes()));
  for (const std::size_t index : written)
    if (index != output_ && index != input_) scratch_.push_back(index);
}

std::uint32_t KernelRoles::lanes() const {
  const auto read_together = static_cast<std::uint32_t>(kernel_.facts.widest_read / size_of(input_type()));
  return supposed_.reads_whole_groups ? std::max(read_together, 1U) : kernel_.parameters[input_].lanes;
}

std::optional<std::size_t> KernelRoles::named(std::string_view part) const {
  const auto found = named_.find(part);
  return found == named_.end() ? std::nullopt : std::optional(found->second);
}

bool KernelRoles::is_named(std::size_t index) const {
  return std::ranges::any_of(named_, [&](const auto& one) { return one.second == index; });
}

// Throws InputError if a parameter that the user named does not exist, cannot be that part, or is two parts.
void KernelRoles::find_named_parts() {
  for (const auto& [part, wanted] : reference()->parameters) {
    const std::size_t index = parameter_named(part, wanted);
    if (const std::string_view kind = kind_of_part(part); !is_of_kind(index, kind))
      throw InputError(fmt::format("--map: \"{}\" must be {}, but {} of {} is not", part, kind,
                                   described(index), kernel_.entry));
    // A kernel may overwrite its input.
    const bool is_both = (part == "x" && named("y") == index) || (part == "y" && named("x") == index);
    if (is_named(index) && !is_both)
      throw InputError(
          fmt::format("--map: {} of {} is mapped to two parts", described(index), kernel_.entry));
    named_.emplace(part, index);
  }
}

std::size_t KernelRoles::parameter_named(const std::string& part, const std::string& wanted) const {
  const auto index = integer_in<std::size_t>(wanted);
  const auto is_wanted = [&](const Parameter& parameter) {
    return parameter.whole.empty() ? parameter.argument == index || parameter.name == wanted
                                   : qualified_name(parameter) == wanted;
  };
  const auto parameter = std::ranges::find_if(kernel_.parameters, is_wanted);
  const std::size_t count = kernel_.parameters.empty() ? 0 : kernel_.parameters.back().argument + 1;
  const auto is_struct = [&](const Parameter& one) { return !one.whole.empty() && one.argument == index; };
  if (const auto found = std::ranges::find_if(kernel_.parameters, is_struct);
      index && found != kernel_.parameters.end())
    throw InputError(fmt::format("--map: parameter {} of {} is a struct; name one of its members, such as {}",
                                 *index, kernel_.entry, qualified_name(*found)));
  if (parameter == kernel_.parameters.end())
    throw InputError(
        fmt::format("--map: {} has no parameter \"{}\" for \"{}\"; it has {} parameters, counted from 0",
                    kernel_.entry, wanted, part, count));
  return static_cast<std::size_t>(parameter - kernel_.parameters.begin());
}

bool KernelRoles::is_of_kind(std::size_t index, std::string_view kind) const {
  const Parameter& parameter = kernel_.parameters[index];
  if (kind == written_elements) return parameter.is_pointer && !parameter.is_const;
  if (kind == read_elements) return parameter.is_pointer;
  return !parameter.is_pointer && parameter.element && is_float(*parameter.element) == (kind == real_number);
}

std::string KernelRoles::key_of_reference(std::string_view key, const std::string& fallback) const {
  const std::string* value = reference() == nullptr ? nullptr : reference()->value_of(key);
  return value == nullptr ? fallback : *value;
}

bool KernelRoles::has_result(ResultShape result) const {
  return reference() != nullptr && reference()->result == result;
}

// Whether the reference contract cannot do without the operand.
bool KernelRoles::needs(const RoleInfo& role) const {
  return requires_operand(role, reference()->op, reference()->result);
}

std::size_t KernelRoles::least_inputs() const {
  std::size_t inputs = 1;
  if (reference() != nullptr)
    for (const RoleInfo& role : roles()) inputs += needs(role) ? 1 : 0;
  if (reference() != nullptr && reference()->formula) inputs += reference()->formula->operands().size();
  return inputs;
}

// Offsets are integers, and may come before the elements.
void KernelRoles::put_elements_first(std::vector<std::size_t>& read) const {
  const auto may_be_elements = [&](std::size_t i) {
    return !is_named(i) && (!has_result(ResultShape::segments) || is_float(*kernel_.parameters[i].element));
  };
  const auto first = std::ranges::find_if(read, may_be_elements);
  if (first != read.end()) std::rotate(read.begin(), first, first + 1);
}

// Takes the operands of the reference contract's operator from the pointers that the kernel reads: those that
// the user named, then the next ones of a fitting type.
void KernelRoles::find_operands(std::vector<std::size_t>& read) {
  if (read.empty()) return;
  const Element elements = *kernel_.parameters[read.front()].element;
  for (const RoleInfo& role : roles()) {
    const bool is_accepted = role.role != Role::offsets && role.role != Role::scales &&
                             role.role != Role::variable && role.is_for(reference()->op);
    if (!needs(role) && !is_accepted) continue;
    const auto fits = [&](std::size_t i) {
      return why_not_of_type(role.role, *kernel_.parameters[i].element, elements).empty();
    };
    const auto wanted = named(role.name);
    const auto place = std::find_if(read.begin() + 1, read.end(), [&](std::size_t i) {
      return wanted ? i == *wanted && fits(i) : fits(i) && !is_named(i);
    });
    if (place != read.end()) {
      operands_.push_back({role.role, *place});
      read.erase(place);
    } else if (wanted || needs(role)) {
      give_up(
          fmt::format("it has no pointer of a suitable type for the operand \"{}\", {}; name one with --map",
                      role.name, role.synopsis));
    }
  }
}

// The parameter that the user named for the operand, or the one of that name, or the only one whose name
// means the same; nothing if there is none.
std::optional<std::size_t> KernelRoles::variable_named(const std::string& operand,
                                                       const std::vector<std::size_t>& read) const {
  struct Meaning {
    std::string_view operand;
    std::initializer_list<std::string_view> words;
  };
  static const Meaning meanings[] = {{"dy", {"dy", "dout", "grad", "delta", "diff"}},
                                     {"mean", {"mean", "_mu_", "avg"}},
                                     {"rstd", {"rstd", "invstd", "inv_std", "istd", "rsigma", "inv_var"}},
                                     {"gain", {"gain", "gamma", "weight", "scale"}}};
  if (const auto wanted = named(operand)) return wanted;
  std::vector<std::size_t> same, similar;
  const auto* meaning = std::ranges::find(meanings, operand, &Meaning::operand);
  for (const std::size_t i : read) {
    const std::string& name = kernel_.parameters[i].name;
    if (i == named("x")) continue;
    if (name == operand) same.push_back(i);
    if (meaning != std::end(meanings) &&
        (mentions(name, meaning->words) || mentions(in_words(name), meaning->words)))
      similar.push_back(i);
  }
  const std::vector<std::size_t>& found = same.empty() ? similar : same;
  return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

// The operands of the formula.
void KernelRoles::find_variables(std::vector<std::size_t>& read) {
  for (const FormulaOperand& operand : reference()->formula->operands()) {
    const auto place = std::ranges::find(read, variable_named(operand.name, read));
    if (place == read.end())
      give_up(fmt::format("no pointer that it reads is called \"{0}\"; name one with --map {0}=PARAMETER",
                          operand.name));
    operands_.push_back({Role::variable, *place, operand.name});
    read.erase(place);
  }
}

// What is only written, rather than memory in which blocks leave something for each other; a counter of
// blocks is neither.
std::size_t KernelRoles::output_among(std::vector<std::size_t> written) const {
  const auto prefer = [&](auto is_preferred) {
    if (std::ranges::any_of(written, is_preferred)) std::erase_if(written, std::not_fn(is_preferred));
  };
  prefer([&](std::size_t i) { return has_type_of_result(i); });
  prefer([&](std::size_t i) { return kernel_.parameters[i].is_only_written(); });
  prefer([&](std::size_t i) {
    const Parameter& parameter = kernel_.parameters[i];
    return parameter.accesses.is_written || is_float(*parameter.element);
  });
  if (reference() != nullptr && foldproof::info(reference()->op).gives != OperatorInfo::Gives::index)
    prefer([&](std::size_t i) {
      return !mentions(kernel_.parameters[i].name, {"idx", "index", "arg", "pos", "loc", "where"});
    });
  if (const auto op = reference() != nullptr ? std::optional(reference()->op)
                                             : operator_in_name(plain_name(kernel_.signature.spelled)))
    prefer([&](std::size_t i) { return !says_other(kernel_.parameters[i].name, *op); });
  const auto has_word = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::find_if(
        written, [&, words](std::size_t index) { return mentions(kernel_.parameters[index].name, words); });
  };
  auto named = reference() == nullptr ? written.end() : has_word({info(reference()->op).name});
  if (named == written.end()) named = has_word({"out", "result", "dst", "total", "answer"});
  if (named == written.end())
    named = std::ranges::find_if(written, [&](std::size_t i) { return kernel_.parameters[i].name == "y"; });
  return named == written.end() ? written.back() : *named;
}

// Indices and numbers of elements are integers; all other results of floating-point elements are not.
bool KernelRoles::has_type_of_result(std::size_t index) const {
  const auto known = reference() != nullptr ? std::optional(reference()->op)
                                            : operator_in_name(plain_name(kernel_.signature.spelled));
  if (!known || !is_float(input_type())) return true;
  const OperatorInfo& op = foldproof::info(*known);
  const bool is_integer = op.gives == OperatorInfo::Gives::index || op.gives == OperatorInfo::Gives::tally ||
                          op.op == Operator::top_k;
  return is_float(*kernel_.parameters[index].element) != is_integer;
}

std::string KernelRoles::described(std::size_t index) const {
  const Parameter& parameter = kernel_.parameters[index];
  const std::string name = qualified_name(parameter);
  return name.empty() ? fmt::format("parameter {} ({})", parameter.argument + 1, parameter.type)
                      : fmt::format("\"{}\"", name);
}

void KernelRoles::assume(const std::string& phrase) const { assumptions_.push_back(phrase); }

void KernelRoles::give_up(const std::string& why, const std::string& with) const {
  if (reference() != nullptr)
    throw Unfit(fmt::format("{} does not fit this kernel, since {}", reference()->as, why));
  throw Unfit(fmt::format(
      "no contract can be guessed for this kernel, since {}; use --as to specify what the kernel computes, "
      "or complete the contract that `foldproof init` writes{}",
      why, with));
}

}  // namespace foldproof
