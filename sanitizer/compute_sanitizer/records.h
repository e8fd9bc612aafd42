// Parses the output of compute-sanitizer's --xml --save into records, without interpreting them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sanitizer/finding.h"

namespace foldproof::compute_sanitizer {

/// A position in a kernel. Without line information the file is empty and the line is 0.
struct Place {
  std::string function;  ///< mangled
  std::string file;
  unsigned line = 0;
  std::uint64_t pc = 0;  ///< byte offset in the function's machine code
  auto operator<=>(const Place&) const = default;
};

/// A frame of the host call stack at a launch.
struct Frame {
  std::string function;
  std::string module;    ///< file that contains the code
  std::uint64_t pc = 0;  ///< return address of the call, as an offset in that file
  bool operator==(const Frame&) const = default;
};

struct Access {
  std::string what;  ///< "Read", "Write"; empty if the record does not say
  Place place;
  std::optional<ThreadId> thread;
};

enum class RecordKind : std::uint8_t {
  hazard,     ///< racecheck: two accesses to one byte, the earlier first
  analysis,   ///< racecheck: summary of hazards: one access, then those that conflict with it
  precise,    ///< memcheck: an error attributed to one thread
  imprecise,  ///< memcheck: an error reported by the hardware, often without text or position
  barrier,    ///< synccheck: an error attributed to one thread
  api,        ///< a failed host API call
  unknown,    ///< any other; fields that it shares with the kinds above are read
};

/// One record, or several that differ only in threads and addresses.
struct Record {
  RecordKind kind{};
  std::string name;   ///< the kind's name as the tool writes it
  std::string level;  ///< "Error", "Warning"; empty if the record has none
  std::string text;   ///< what happened, in the tool's words
  std::string type;   ///< further tool text: "WAR", "Divergent thread(s) in warp", "out of bounds"
  std::optional<std::uint64_t> launch;  ///< number of the launch in the process, from 1; hazards only
  std::vector<Access> accesses;
  std::vector<Frame> host_stack;  ///< innermost first
  std::uint64_t count = 1;        ///< number of records merged; threads are those of the first
  bool in_one_warp = false;       ///< hazards: in all records, both threads are in the same 32 along x
};

/// The records in `xml`, in order. Throws InputError if it is not compute-sanitizer's output, is truncated,
/// or if a record of a known kind lacks a required field.
std::vector<Record> read_records(std::string_view xml);

}  // namespace foldproof::compute_sanitizer
