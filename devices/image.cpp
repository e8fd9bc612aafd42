#include "devices/image.h"

#include "base/error.h"
#include "ptx/query.h"

namespace foldproof {

void require_ptx(const Image& image) {
  if (!image.program.empty())
    throw Unsupported("host functions require a GPU: there is no PTX to run", {image.name()});
}

std::vector<EntryInfo> entries_in(const Image& image) {
  require_ptx(image);
  std::vector<EntryInfo> kernels;
  for (const ptx::Function* entry : ptx::entries(image.ptx.module())) {
    if (!entry->body) continue;
    EntryInfo& kernel = kernels.emplace_back(EntryInfo{entry->name, {}});
    for (const ptx::Parameter& parameter : ptx::parameters(*entry))
      kernel.parameter_bytes.push_back(parameter.bytes);
  }
  return kernels;
}

}  // namespace foldproof
