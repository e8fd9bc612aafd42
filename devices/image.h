// What a compiler makes of a source, on its way to a device.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "ptx/source.h"

namespace foldproof {

/// PTX together with the name that errors give it; or a program that calls host functions.
struct Image {
  Image() = default;
  Image(std::string name, std::string text, std::filesystem::path of_host = {})
      : ptx(std::move(name), std::move(text)), program(std::move(of_host)) {}

  const std::string& name() const { return ptx.name(); }

  ptx::Source ptx;
  std::filesystem::path program;  ///< empty for PTX
  std::string machine_code;       ///< what ptxas makes of the PTX for a GPU; empty: its driver compiles
};

/// Where a module keeps a kernel, and what it expects.
struct EntryInfo {
  std::string name;                            ///< as PTX spells it (mangled)
  std::vector<std::uint32_t> parameter_bytes;  ///< size of each parameter
};

/// Throws Unsupported for a program that calls host functions: there is no PTX of it to run.
void require_ptx(const Image& image);

/// The kernels that the image's PTX defines, in the order of the text. Throws InputError for text that is no
/// PTX, Unsupported like require_ptx.
std::vector<EntryInfo> entries_in(const Image& image);

}  // namespace foldproof
