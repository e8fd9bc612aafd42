// C++ names of mangled ones. A short name can stand for an exponentially long one, because its parts refer to
// earlier parts and to packs: the demangler then runs in a child process with limits.
#include <cxxabi.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/child.h"
#include "base/error.h"
#include "base/text.h"

namespace foldproof {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

constexpr std::size_t longest_mangled = 4096;       // the demangler recurses
constexpr std::size_t longest_demangled = 1 << 16;  // what a pipe holds, so that the child can end
constexpr Milliseconds time_for_one{500}, time_for_failures{2000};  // of this process

/// nvcc puts what only one file can name into a scope such as "_INTERNAL_0effcd78_4_k_cu_0bff465e::".
std::string without_file_scopes(const std::string& text) {
  if (text.find("_INTERNAL_") == std::string::npos) return text;
  static const std::regex scope("\\b_INTERNAL_[0-9a-f]+_[0-9]+_\\w+::");
  return std::regex_replace(text, scope, "");
}

std::string demangled_here(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : "";
}

/// How many parts may refer to earlier ones: S_, S0_, T_, T0_, …
std::size_t references_in(std::string_view name) {
  constexpr std::size_t longest_number = 6;
  std::size_t count = 0;
  for (std::size_t end = name.find('_'); end != std::string_view::npos; end = name.find('_', end + 1)) {
    const std::size_t begin = end - std::min(end, longest_number + 1);
    if (name.substr(begin, end - begin).find_last_of("ST") != std::string_view::npos) ++count;
  }
  return count;
}

/// Whether the name is at most a few thousand times as long as the mangled one. J begins a pack.
bool grows_little(std::string_view name) {
  constexpr std::size_t few = 20;
  return references_in(name) <= few && name.find('J') == std::string_view::npos;
}

std::string demangled_apart(const std::string& name, Clock::time_point deadline) try {
  Pipe pipe;
  Child child(
      [&] {
        constexpr rlimit one_second{1, 1};  // of processor time, if it outlives this process
        setrlimit(RLIMIT_CPU, &one_second);
        const std::string text = demangled_here(name);
        if (text.size() <= longest_demangled) write_all(pipe.to.number(), text.data(), text.size());
      },
      ProcessGroup::parent);
  pipe.to.reset();
  return child.wait(deadline) ? read_to_end(pipe.from.number(), longest_demangled) : "";
} catch (const Unsupported&) {  // no more processes
  return "";
}

/// The same name is asked for often.
std::string demangled_within_limits(const std::string& name) {
  static std::map<std::string, std::string> known;
  static Milliseconds left = time_for_failures;
  const auto [entry, is_new] = known.try_emplace(name);
  if (!is_new || left.count() <= 0) return entry->second;
  const Clock::time_point begin = Clock::now();
  entry->second = demangled_apart(name, begin + std::min(left, time_for_one));
  if (entry->second.empty()) left -= std::chrono::duration_cast<Milliseconds>(Clock::now() - begin);
  return entry->second;
}

}  // namespace

std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z") || name.size() > longest_mangled) return name;
  const std::string text = grows_little(name) ? demangled_here(name) : demangled_within_limits(name);
  return text.empty() ? name : without_file_scopes(text);
}

std::string demangled_variable(const std::string& name) {
  const std::string text = demangled(name);
  const bool is_local = name.starts_with("_ZZ") && text != name;
  return is_local ? text.substr(text.rfind("::") + 2) : text;
}

}  // namespace foldproof
