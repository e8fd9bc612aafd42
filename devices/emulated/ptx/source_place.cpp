#include "devices/emulated/ptx/source_place.h"

#include <string_view>

namespace foldproof::ptx {
namespace {

bool is_toolkit_file(std::string_view path) {
  return path.find("/targets/x86_64-linux/include/") != std::string_view::npos ||
         path.find("/cuda/include/") != std::string_view::npos || path.find("/usr/include/") == 0 ||
         path.find("/usr/lib/gcc/") == 0;
}

}  // namespace

std::optional<Position> source_place(const std::vector<Loc>& locs,
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

}  // namespace foldproof::ptx
