// Findings: the common vocabulary of every check, oracle and device.
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

/// Kinds of one family may be reports of the same defect by different devices: a deadlock on the emulated
/// device is a timeout on a GPU.
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
/// Whether it is undefined behaviour: what the kernel returns, if anything, is unspecified.
bool is_undefined_behaviour(Kind kind);
/// Whether the memory contents after a launch with such a finding are not a valid result.
bool is_fatal(Kind kind);
/// Whether it concerns undefined values, which are not a defect if their value does not matter.
bool is_about_undefined_values(Kind kind);
/// Whether it comes from checking the returned values, so that its position carries no information.
bool is_about_values(Kind kind);
/// The kind of that name, or std::nullopt.
std::optional<Kind> kind_named(std::string_view name);
/// The names of all kinds.
std::vector<std::string> kind_names();

enum class Severity : std::uint8_t { warning, error };
std::string_view name(Severity severity);
/// The severity of that name, or std::nullopt.
std::optional<Severity> severity_named(std::string_view text);

/// Extents or an index in x, y, z.
struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  bool operator==(const Dim3&) const = default;
  std::uint64_t volume() const { return std::uint64_t{x} * y * z; }
};
/// "(1, 2, 3)"
std::string to_string(const Dim3& d);
/// "1" for (1, 0, 0), "(1, 2, 3)"
std::string index_text(const Dim3& index);

struct ThreadId {
  Dim3 block{0, 0, 0};
  Dim3 thread{0, 0, 0};
  bool operator==(const ThreadId&) const = default;
};
/// "thread 1 of block 2"
std::string to_string(const ThreadId& id);

/// A finding that may explain another one.
struct Cause {
  Kind kind{};
  Position at = {};
  bool operator==(const Cause&) const = default;
};

/// One defect of a kernel, with the evidence for it.
struct Finding {
  Kind kind{};
  Severity severity = Severity::error;
  std::string message = {};            ///< one sentence: what happened
  Position at = {};                    ///< innermost frame in the user's source
  std::optional<Position> other = {};  ///< the second access of a conflict; the origin of an undefined value
  std::string memory = {};             ///< of a race: "the shared variable tile"
  std::vector<ThreadId> threads =
      {};                      ///< the threads involved: the first acts at `at`, the second at `other`
  std::string case_text = {};  ///< the smallest case that reproduces it; empty until known
  std::string replay = {};     ///< a command that reproduces it; empty until known
  bool expected = false;       ///< a contract with a known defect announces it
  /// Another finding of the same run, or of the same results; absent: none is known.
  std::optional<Cause> cause = {};
  /// Of a wrong value: it is NaN or infinite and must not be, or the reverse.
  bool is_about_category = false;
};

/// How the message of a `timeout` begins if the launch ended at a limit. Otherwise it is proven not to end.
inline constexpr std::string_view end_was_not_reached = "the launch did not end within";
inline bool may_only_be_slow(const Finding& finding) {
  return finding.kind == Kind::timeout && finding.message.starts_with(end_was_not_reached);
}

/// The usual fix for such a finding, as one or two sentences; for a race in shared memory, with the lines
/// between which a barrier is missing.
std::string help_of(const Finding& finding);

}  // namespace foldproof
