#include <fmt/format.h>

#include "devices/host_program.h"

namespace foldproof {
namespace {

constexpr const char* server =
#include "devices/host/server.inc"
    ;

}  // namespace

std::string host_program_code(const std::vector<std::string>& entries, const std::string& place) {
  // A compiler that lists what it read lists the files of these lines, which are none: the cache of compiled
  // programs leaves out those that are named so.
  std::string code = fmt::format(
      "#line 1 \"{}server\"\n{}\nint main() {{\n  return foldproof_host::serve({{\n", place, server);
  for (std::size_t i = 0; i < entries.size(); ++i)
    code += fmt::format("#line 1 \"{}{}\"\n::foldproof_host::entry(R\"({})\", &{}),\n", place, i, entries[i],
                        entries[i]);
  return code + "  });\n}\n";
}

}  // namespace foldproof
