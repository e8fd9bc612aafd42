#include "contracts/guessing/guesses.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace foldproof {

bool mentions(const std::string& name, std::initializer_list<std::string_view> words) {
  std::string lower = name;
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return std::ranges::any_of(words,
                             [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

bool works_on(std::string_view type, Element element) {
  if (is_float(element)) return type == name(element);
  return (type.starts_with('s') || type.starts_with('u')) && type.substr(1) == name(element).substr(1);
}

KernelRoles::KernelRoles(const Kernel& kernel, const Reference* reference,
                         std::vector<std::string>& assumptions)
    : kernel_(kernel), reference_(reference), assumptions_(assumptions) {
  std::vector<std::size_t> read, written;
  const auto x = named("x"), y = named("y");
  for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
    const Parameter& parameter = kernel_.parameters[i];
    if (!parameter.element) give_up(fmt::format("the type of {} is unknown", described(i)));
    if (parameter.is_pointer && i != x && i != y) (parameter.is_const ? read : written).push_back(i);
  }
  if (x) read.insert(read.begin(), *x);
  if (y) written.insert(written.begin(), *y);
  if (kernel_.parameters.empty()) give_up("its parameters are unknown");
  if (read.empty() && !written.empty()) {
    read.push_back(written.front());
    if (written.size() > 1) written.erase(written.begin());
  }
  find_operands(read);
  if (read.size() > 1) give_up("it reads more than one input");
  if (read.empty() || written.empty()) give_up("it has no pointer for the input or none for the output");
  input_ = read.front();
  output_ = y.value_or(output_among(written));
  assume(in_place() ? fmt::format("input and output {}", described(input_))
                    : fmt::format("input {}, output {}", described(input_), described(output_)));
  for (const auto& [role, index] : operands_) assume(fmt::format("{} {}", info(role).name, described(index)));
  if (lanes() > 1) assume(fmt::format("whole, aligned groups of {} elements", lanes()));
  for (const std::size_t index : written)
    if (index != output_ && index != input_) scratch_.push_back(index);
}

std::optional<std::size_t> KernelRoles::named(std::string_view part) const {
  if (reference_ == nullptr) return std::nullopt;
  const auto found = reference_->parameters.find(part);
  if (found == reference_->parameters.end()) return std::nullopt;
  const std::string& wanted = found->second;
  if (const auto index = integer_in<std::size_t>(wanted); index && *index < kernel_.parameters.size())
    return index;
  const auto parameter = std::ranges::find(kernel_.parameters, wanted, &Parameter::name);
  if (parameter == kernel_.parameters.end())
    throw InputError(fmt::format("--map: {} has no parameter \"{}\" for \"{}\"; it has {}, counted from 0",
                                 kernel_.entry, wanted, part, kernel_.parameters.size()));
  return static_cast<std::size_t>(parameter - kernel_.parameters.begin());
}

/// Takes the operands of the reference contract's operator from the pointers that the kernel reads: those
/// that the user named, then the next ones of a fitting type.
void KernelRoles::find_operands(std::vector<std::size_t>& read) {
  if (reference_ == nullptr) return;
  for (const RoleInfo& role : roles()) {
    const bool is_used = role.role == Role::offsets
                             ? reference_->result == ResultShape::segments
                             : role.role != Role::scales && role.is_for(reference_->op);
    const bool is_index = role.role == Role::offsets || role.role == Role::targets;
    const auto fits = [&](std::size_t i) { return is_float(*kernel_.parameters[i].element) != is_index; };
    const auto wanted = named(role.name);
    const auto place = wanted                       ? std::ranges::find(read, *wanted)
                       : is_used && read.size() > 1 ? std::find_if(read.begin() + 1, read.end(), fits)
                                                    : read.end();
    if (wanted && place == read.end())
      give_up(fmt::format("{} for \"{}\" is not a pointer to const elements", described(*wanted), role.name));
    if (place == read.end()) continue;
    operands_.push_back({role.role, *place});
    read.erase(place);
  }
}

std::size_t KernelRoles::output_among(const std::vector<std::size_t>& written) const {
  const auto named = std::ranges::find_if(written, [&](std::size_t index) {
    return mentions(kernel_.parameters[index].name, {"out", "result", "dst", "total", "answer"});
  });
  return named == written.end() ? written.back() : *named;
}

std::string KernelRoles::described(std::size_t index) const {
  const Parameter& parameter = kernel_.parameters[index];
  return parameter.name.empty() ? fmt::format("parameter {} ({})", index + 1, parameter.type)
                                : fmt::format("\"{}\"", parameter.name);
}

void KernelRoles::assume(const std::string& phrase) const { assumptions_.push_back(phrase); }

void KernelRoles::give_up(const std::string& why, const std::string& with) const {
  throw InputError(
      fmt::format("no contract can be guessed for \"{}\", since {}; write one (docs/contracts.md){}",
                  kernel_.entry, why, with));
}

}  // namespace foldproof
