#include "contracts/guessing/guesses.h"

#include <fmt/format.h>

#include <algorithm>

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

KernelRoles::KernelRoles(const Kernel& kernel, std::vector<std::string>& assumptions)
    : kernel_(kernel), assumptions_(assumptions) {
  std::vector<std::size_t> read, written;
  for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
    const Parameter& parameter = kernel_.parameters[i];
    if (!parameter.element) give_up(fmt::format("the type of {} is unknown", described(i)));
    if (parameter.is_pointer) (parameter.is_const ? read : written).push_back(i);
  }
  if (kernel_.parameters.empty()) give_up("its parameters are unknown");
  if (read.size() > 1) give_up("it reads more than one input");
  if (read.empty() && !written.empty()) {
    read.push_back(written.front());
    if (written.size() > 1) written.erase(written.begin());
  }
  if (read.empty() || written.empty()) give_up("it has no pointer for the input or none for the output");
  input_ = read.front();
  output_ = output_among(written);
  assume(in_place() ? fmt::format("input and output {}", described(input_))
                    : fmt::format("input {}, output {}", described(input_), described(output_)));
  if (lanes() > 1) assume(fmt::format("whole, aligned groups of {} elements", lanes()));
  for (const std::size_t index : written)
    if (index != output_ && index != input_) scratch_.push_back(index);
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
