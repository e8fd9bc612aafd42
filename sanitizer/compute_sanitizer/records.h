// What a tool of compute-sanitizer wrote with --xml --save, as records. Nothing is checked here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sanitizer/finding.h"

namespace foldproof::compute_sanitizer {

/// A place in a kernel. Without line information the file is empty and the line 0.
struct Place {
  std::string function;  ///< mangled
  std::string file;
  unsigned line = 0;
  std::uint64_t pc = 0;  ///< byte of the function's machine code
  auto operator<=>(const Place&) const = default;
};

/// A call on the host on the way to a launch.
struct Frame {
  std::string function;
  std::string module;    ///< file with the code
  std::uint64_t pc = 0;  ///< offset in that file to which the call returns
  bool operator==(const Frame&) const = default;
};

struct Access {
  std::string what;  ///< "Read", "Write"; empty where the record does not say
  Place place;
  std::optional<ThreadId> thread;
};

enum class RecordKind : std::uint8_t {
  hazard,     ///< racecheck: two accesses to one byte, the earlier first
  analysis,   ///< racecheck: hazards summed up: one access, then those that clash with it
  precise,    ///< memcheck: what one thread did
  imprecise,  ///< memcheck: an error that the hardware tells of, often without words or place
  barrier,    ///< synccheck: what one thread did
  api,        ///< a call of the host that failed
  unknown,    ///< another; fields that it shares with those above are read
};

/// One record, or as many as differ in nothing but threads and addresses.
struct Record {
  RecordKind kind{};
  std::string name;   ///< of the kind, as the tool writes it
  std::string level;  ///< "Error", "Warning"; empty where the record has none
  std::string text;   ///< what happened, in the tool's words
  std::string type;   ///< more of its words: "WAR", "Divergent thread(s) in warp", "out of bounds"
  std::optional<std::uint64_t> launch;  ///< counts the process's launches from 1; hazards only
  std::vector<Access> accesses;
  std::vector<Frame> host_stack;  ///< innermost first
  std::uint64_t count = 1;        ///< how many records this stands for; threads are those of the first
  bool in_one_warp = false;       ///< hazards: in all of them, threads of one row of 32 in x of one block
};

/// The records in `xml`, in its order. Throws InputError where it is not what compute-sanitizer writes, is
/// cut short, or where a record of a known kind lacks a field that its kind has.
std::vector<Record> read_records(std::string_view xml);

}  // namespace foldproof::compute_sanitizer
