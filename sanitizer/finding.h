// What every check, oracle and device reports: one finding, in one vocabulary.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace foldproof {

enum class Kind : std::uint8_t {
#define FOLDPROOF_KIND(id, name, family, traits, help) id,
#include "sanitizer/kinds.def"
#undef FOLDPROOF_KIND
};

/// A fault that a device sees as one kind may be another kind of the same family on a device that sees less:
/// a deadlock is a timeout on a GPU.
enum class Family : std::uint8_t {
  race,
  undefined_value,
  synchronization,
  memory,
  progress,
  result,
  contract,
  crash,
  unsupported
};

/// The kind's name in reports and contracts, such as "shared-race".
std::string_view name(Kind kind);
Family family_of(Kind kind);
/// What usually help a finding of this kind, as one sentence.
std::string_view help_of(Kind kind);
/// Whether it leaves open what the kernel returns, if anything.
bool is_undefined_behaviour(Kind kind);
/// Whether what a launch with such a finding left in memory is no result.
bool is_fatal(Kind kind);
/// Whether it is about values that nobody determined, which are no fault where it is no matter what they are.
bool is_about_undefined_values(Kind kind);
/// Whether it comes from checking values, so that its place says nothing.
bool is_about_values(Kind kind);
/// The kind of that name, or nothing.
std::optional<Kind> kind_named(std::string_view name);

enum class Severity : std::uint8_t { warning, error };
std::string_view name(Severity severity);
/// The severity of that name, or nothing.
std::optional<Severity> severity_named(std::string_view text);

/// Extents or an index in x, y, z.
struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  bool operator==(const Dim3&) const = default;
  std::uint64_t volume() const { return std::uint64_t{x} * y * z; }
};
/// "(1, 2, 3)"
std::string to_string(const Dim3& d);

struct ThreadId {
  Dim3 block{0, 0, 0};
  Dim3 thread{0, 0, 0};
  bool operator==(const ThreadId&) const = default;
};
/// "thread (1, 0, 0) of block (2, 0, 0)"
std::string to_string(const ThreadId& id);

/// One thing that is wrong with a kernel, with the evidence for it.
struct Finding {
  Kind kind{};
  Severity severity = Severity::error;
  std::string message;            ///< one sentence: what happened
  Position at;                    ///< innermost frame in the user's source
  std::optional<Position> other;  ///< the second access, where two clash; where an undefined value arises
  std::vector<ThreadId> threads;  ///< who did it: the first acts at `at`, the second at `other`
  std::string case_text;          ///< the smallest case that shows it; empty until known
  std::string replay;             ///< a command that shows it again; empty until known
  bool expected = false;          ///< the contract of a defect announces it
};

}  // namespace foldproof
