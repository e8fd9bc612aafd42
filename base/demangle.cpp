// C++ names of mangled ones. A short name can stand for an exponentially long one, because its parts refer to
// earlier parts: the demangler then runs in a child process with limits.
#include <cxxabi.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <regex>

#include "base/bytes.h"
#include "base/text.h"

namespace foldproof {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

constexpr std::size_t longest_mangled = 4096;  // the demangler recurses
constexpr std::size_t longest_demangled = 1 << 16;
/// With so many references, the name is at most a few thousand times as long as the mangled one.
constexpr std::ptrdiff_t harmless_references = 20;
constexpr Milliseconds time_for_all{2000};  // of all names of this process that need a child

/// nvcc puts what only one file can name into a scope such as "_INTERNAL_0effcd78_4_k_cu_0bff465e::".
std::string without_file_scopes(const std::string& text) {
  if (text.find("_INTERNAL_") == std::string::npos) return text;
  static const std::regex scope("\\b_INTERNAL_[0-9a-f]+_[0-9]+_\\w+::");
  return std::regex_replace(text, scope, "");
}

std::optional<std::string> demangled_here(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::optional<std::string>(text.get()) : std::nullopt;
}

/// The parts that may be references: S_, S0_, T_, T0_, …
std::ptrdiff_t references_in(const std::string& name) {
  static const std::regex reference("[ST][0-9A-Z]*_");
  return std::distance(std::sregex_iterator(name.begin(), name.end(), reference), std::sregex_iterator());
}

[[noreturn]] void demangle_in_child(const std::string& name, int output) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  constexpr rlim_t seconds = 1;  // which also limits its memory
  const rlimit time{seconds, seconds};
  setrlimit(RLIMIT_CPU, &time);
  const std::string text = demangled_here(name).value_or("");
  if (text.size() <= longest_demangled) write_all(output, text.data(), text.size());
  _exit(0);
}

/// What the child writes until `end`.
std::string read_until(Clock::time_point end, int input) {
  std::string text;
  for (;;) {
    const auto left = std::chrono::duration_cast<Milliseconds>(end - Clock::now()).count();
    pollfd readable{input, POLLIN, 0};
    if (left <= 0 || poll(&readable, 1, static_cast<int>(left)) <= 0) return "";
    char part[4096];
    const ssize_t size = read(input, part, sizeof part);
    if (size < 0) return "";
    if (size == 0) return text;
    text.append(part, static_cast<std::size_t>(size));
  }
}

std::string demangled_apart(const std::string& name, Clock::time_point end) {
  Pipe pipe;
  const pid_t child = fork();
  if (child == 0) demangle_in_child(name, pipe.to.number());
  pipe.to.reset();
  if (child < 0) return "";
  std::string text = read_until(end, pipe.from.number());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return text;
}

/// The same name is asked for often.
std::string demangled_within_limits(const std::string& name) {
  static std::map<std::string, std::string> known;
  static Milliseconds left = time_for_all;
  const auto [entry, is_new] = known.try_emplace(name);
  if (is_new && left.count() > 0) {
    const Clock::time_point begin = Clock::now();
    entry->second = demangled_apart(name, begin + left);
    left -= std::chrono::duration_cast<Milliseconds>(Clock::now() - begin);
  }
  return entry->second;
}

}  // namespace

std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z") || name.size() > longest_mangled) return name;
  const std::string text = references_in(name) <= harmless_references ? demangled_here(name).value_or("")
                                                                      : demangled_within_limits(name);
  return text.empty() ? name : without_file_scopes(text);
}

std::string demangled_variable(const std::string& name) {
  const std::string text = demangled(name);
  const bool is_local = name.starts_with("_ZZ") && text != name;
  return is_local ? text.substr(text.rfind("::") + 2) : text;
}

}  // namespace foldproof
