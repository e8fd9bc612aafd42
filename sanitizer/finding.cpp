#include "sanitizer/finding.h"

#include <fmt/format.h>

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

}  // namespace

std::string_view name(Kind kind) { return row(kind).name; }

Family family_of(Kind kind) { return row(kind).family; }

std::string_view help_of(const Finding& finding) {
  const bool is_on_one_line = finding.other && finding.other->file == finding.at.file &&
                              finding.other->line == finding.at.line && finding.at.line != 0;
  if (finding.kind == Kind::shared_race && is_on_one_line)
    return "Put a barrier (__syncthreads or __syncwarp) between the two accesses: in a loop, after each "
           "step, "
           "and also between a read and a write of the same step if threads read what others write.";
  return row(finding.kind).help;
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
