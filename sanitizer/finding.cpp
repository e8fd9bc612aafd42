#include "sanitizer/finding.h"

#include <fmt/format.h>

#include <iterator>

namespace foldproof {
namespace {

struct KindRow {
  std::string_view name;
  std::string_view mends;
};

constexpr KindRow kinds[] = {
#define FOLDPROOF_KIND(id, name, mends) {name, mends},
#include "sanitizer/kinds.def"
#undef FOLDPROOF_KIND
};

}  // namespace

std::string_view name(Kind kind) { return kinds[static_cast<std::size_t>(kind)].name; }

std::string_view usual_mend(Kind kind) { return kinds[static_cast<std::size_t>(kind)].mends; }

std::optional<Kind> kind_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kinds); ++i)
    if (kinds[i].name == name) return static_cast<Kind>(i);
  return std::nullopt;
}

std::string_view name(Severity severity) { return severity == Severity::error ? "error" : "warning"; }

std::string to_string(const Dim3& d) { return fmt::format("({}, {}, {})", d.x, d.y, d.z); }

std::string to_string(const ThreadId& id) {
  return fmt::format("thread {} of block {}", to_string(id.thread), to_string(id.block));
}

std::optional<Severity> severity_named(std::string_view text) {
  for (const Severity severity : {Severity::warning, Severity::error})
    if (name(severity) == text) return severity;
  return std::nullopt;
}

}  // namespace foldproof
