#include <fmt/format.h>

#include "devices/host_program.h"

namespace foldproof {
namespace {

constexpr const char* server =
#include "devices/host/server.inc"
    ;

}  // namespace

std::string host_program_code(const std::vector<std::string>& entries, const std::string& place) {
  // A compiler that lists the files that it reads also lists these #line names, which are not files: the
  // cache of compiled programs ignores files with this name.
  std::string code = fmt::format(
      "#line 1 \"{}server\"\n{}\nint main() {{\n  return foldproof_host::serve({{\n", place, server);
  for (std::size_t i = 0; i < entries.size(); ++i)
    code += fmt::format("#line 1 \"{}{}\"\n::foldproof_host::entry(R\"({})\", &{}),\n", place, i, entries[i],
                        entries[i]);
  return code + "  });\n}\n";
}

}  // namespace foldproof
