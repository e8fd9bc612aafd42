#include "sanitizer/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace foldproof {
namespace {

enum Traits : unsigned { none = 0, undefined = 1, fatal = 2, value = 4, unset = 8 };

struct KindRow {
  std::string_view name;
  Family family;
  unsigned traits;
  std::string_view help;
};

constexpr KindRow kinds[] = {
#define FOLDPROOF_KIND(id, name, family, traits, help) {name, Family::family, traits, help},
#include "sanitizer/kinds.def"
#undef FOLDPROOF_KIND
};

const KindRow& row(Kind kind) { return kinds[static_cast<std::size_t>(kind)]; }

/// Whether the threads are known to be in different warps of one block: in a block with several dimensions,
/// that depends on its size.
bool are_in_different_warps(const std::vector<ThreadId>& threads) {
  constexpr std::uint32_t lanes = 32;
  if (threads.size() != 2) return false;
  const Dim3 &one = threads[0].thread, &other = threads[1].thread;
  return threads[0].block == threads[1].block && one.y == 0 && one.z == 0 && other.y == 0 && other.z == 0 &&
         one.x / lanes != other.x / lanes;
}

/// Which two places of the source the barrier that a race lacks belongs between.
std::string place_of_barrier(const Position& at, const std::optional<Position>& other) {
  if (at.line == 0 || !other || other->line == 0) return "between the two accesses";
  const auto named = [](const Position& place) {
    return fmt::format("{}:{}", place.file.substr(place.file.rfind('/') + 1), place.line);
  };
  if (at.file != other->file) return fmt::format("between {} and {}", named(at), named(*other));
  if (at.line == other->line)
    return "between the two accesses: in a loop, after each step, and also between a read and a write of the "
           "same step if threads read what others write";
  // The later line may act first because its thread is ahead, or because a loop returns to the other line.
  const auto [first, last] = std::minmax(at.line, other->line);
  return fmt::format("between lines {} and {}{}", first, last,
                     at.line > other->line ? " or, if a loop repeats them, after each step" : "");
}

std::string help_with_race(const Finding& race) {
  const bool spans_warps = are_in_different_warps(race.threads);
  return fmt::format(
      "Put {} {}.{}", spans_warps ? "__syncthreads()" : "a barrier (__syncthreads or __syncwarp)",
      place_of_barrier(race.at, race.other), spans_warps ? " The two threads are in different warps." : "");
}

}  // namespace

std::string_view name(Kind kind) { return row(kind).name; }

Family family_of(Kind kind) { return row(kind).family; }

std::string help_of(const Finding& finding) {
  return finding.kind == Kind::shared_race ? help_with_race(finding) : std::string(row(finding.kind).help);
}

bool is_undefined_behaviour(Kind kind) { return (row(kind).traits & undefined) != 0; }

bool is_fatal(Kind kind) { return (row(kind).traits & fatal) != 0; }

bool is_about_undefined_values(Kind kind) { return (row(kind).traits & unset) != 0; }

bool is_about_values(Kind kind) { return (row(kind).traits & value) != 0; }

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const KindRow& kind : kinds) names.emplace_back(kind.name);
  return names;
}

std::optional<Kind> kind_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kinds); ++i)
    if (kinds[i].name == name) return static_cast<Kind>(i);
  return std::nullopt;
}

std::string_view name(Severity severity) { return severity == Severity::error ? "error" : "warning"; }

std::string to_string(const Dim3& d) { return fmt::format("({}, {}, {})", d.x, d.y, d.z); }

std::string index_text(const Dim3& index) {
  return index.y == 0 && index.z == 0 ? std::to_string(index.x) : to_string(index);
}

std::string to_string(const ThreadId& id) {
  return fmt::format("thread {} of block {}", index_text(id.thread), index_text(id.block));
}

std::optional<Severity> severity_named(std::string_view text) {
  for (const Severity severity : {Severity::warning, Severity::error})
    if (name(severity) == text) return severity;
  return std::nullopt;
}

}  // namespace foldproof
