// Records in compute-sanitizer's format. data/compute_sanitizer holds the output of version 2025.3.1 for
// these kernels, with most records removed; launches are counted from 1.
//
//   1  good                                4  oob, 5  oobread: line 15 reads `in[threadIdx.x + 300]`
//   2  race: lines 3 and 4, 256 threads    6  uninit
//   3  warprace: lines 9 and 11, one warp  7  diverge: line 17, `if (threadIdx.x < 16) __syncthreads();`
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "catch.h"
#include "sanitizer/compute_sanitizer/findings.h"
#include "sanitizer/compute_sanitizer/records.h"
#include "sanitizer/compute_sanitizer/tool.h"

namespace foldproof::compute_sanitizer::for_tests {

inline const Tool& tool(std::string_view name) {
  const Tool* found = tool_named(name);
  REQUIRE(found != nullptr);
  return *found;
}

inline std::string sample(const std::string& name) {
  std::ifstream stream(std::filesystem::path(FOLDPROOF_TEST_DATA) / "compute_sanitizer" / (name + ".xml"));
  REQUIRE(stream);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

inline std::string document(const std::string& records) {
  return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<ComputeSanitizerOutput>\n" + records +
         "</ComputeSanitizerOutput>\n";
}

inline std::vector<ToolFinding> found_in(const std::string& tool_name, const std::string& records) {
  return findings(tool(tool_name), read_records(document(records)));
}

inline std::string index(const std::string& name, unsigned x, unsigned y = 0) {
  return fmt::format("<{0}><x>{1}</x><y>{2}</y><z>0</z></{0}>", name, x, y);
}

inline std::string where(unsigned line, const std::string& function = "kernel") {
  const std::string source = line == 0 ? "" : fmt::format("<path>/src/k.cu</path><line>{}</line>", line);
  return fmt::format("<where><func>{}</func>{}<pc>{:#x}</pc></where>", function, source, 16 * line);
}

/// An event of one thread, in the form of memcheck's and synccheck's records.
inline std::string event(const std::string& kind, const std::string& what,
                         const std::string& place = where(7)) {
  return fmt::format("<record><kind>{}</kind><who>{}{}</who><what>{}</what>{}</record>", kind,
                     index("threadIdx", 0), index("blockIdx", 0), what, place);
}

inline std::string text(const std::string& words) { return "<text>" + words + "</text>"; }

struct Hazard {
  std::string type = "RAW";
  unsigned earlier_thread = 0, later_thread = 32;
  unsigned later_row = 0;  ///< threadIdx.y of the later access
  std::string later_block = "", text_behind = "";
  unsigned earlier_line = 3, later_line = 4;
  unsigned launch = 1;
};

inline std::string xml(const Hazard& hazard) {
  return fmt::format(
      "<record><kind>Hazard</kind><what><text>Potential {0} hazard "
      "detected{1}</text><common><gridid>{2}</gridid>"
      "<type>{0}</type><address>0x0</address>{3}</common>"
      "<thread0><access>Write</access>{4}{5}</thread0><thread1><access>Read</access>{6}{7}{8}</thread1></"
      "what></record>",
      hazard.type, hazard.text_behind, hazard.launch, index("blockIdx", 0),
      index("threadIdx", hazard.earlier_thread), where(hazard.earlier_line),
      index("threadIdx", hazard.later_thread, hazard.later_row), hazard.later_block,
      where(hazard.later_line));
}

}  // namespace foldproof::compute_sanitizer::for_tests
