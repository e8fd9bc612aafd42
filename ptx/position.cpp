// Source positions in the user's own code.

#include <algorithm>
#include <string_view>

#include "ptx/query.h"

namespace foldproof::ptx {
namespace {

bool is_toolkit_file(std::string_view path) {
  constexpr std::string_view roots[] = {"/usr/include/", "/usr/lib/gcc/", "/usr/local/cuda", "/opt/cuda"};
  constexpr std::string_view parts[] = {"/targets/x86_64-linux/include/", "/cuda/include/", "/include/cccl/",
                                        "/include/cooperative_groups/"};
  return std::ranges::any_of(roots, [&](std::string_view root) { return path.starts_with(root); }) ||
         std::ranges::any_of(parts, [&](std::string_view part) { return path.find(part) != path.npos; });
}

}  // namespace

std::optional<Position> position(const std::vector<Loc>& locs,
                                 const std::map<std::uint32_t, std::string>& files, std::uint32_t loc) {
  std::optional<Position> innermost;
  for (; loc != 0 && loc < locs.size(); loc = locs[loc].inlined_at) {
    const auto file = files.find(locs[loc].file);
    if (file == files.end() || locs[loc].line == 0) continue;
    const Position here{file->second, locs[loc].line, locs[loc].column};
    if (!is_toolkit_file(file->second)) return here;
    if (!innermost) innermost = here;
  }
  return innermost;
}

Position position(const Source& source, Location at) {
  const Module& module = source.module();
  return position(module.locs, module.files, at.loc).value_or(Position{source.name(), at.ptx_line, 0});
}

}  // namespace foldproof::ptx
