// The result of compiling a source, as loaded by a device.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ptx/source.h"

namespace foldproof {

/// PTX together with its name in errors; or a program that calls host functions.
struct Image {
  Image() = default;
  Image(std::string name, std::string text, std::string of_host = {})
      : ptx(std::move(name), std::move(text)), program(std::move(of_host)) {}

  const std::string& name() const { return ptx.name(); }

  ptx::Source ptx;
  std::string program;       ///< the content of an executable file; empty for PTX
  std::string machine_code;  ///< ptxas output for a GPU; empty: the driver compiles the PTX
};

/// The interface of a kernel in a module.
struct EntryInfo {
  std::string name;                            ///< as PTX spells it (mangled)
  std::vector<std::uint32_t> parameter_bytes;  ///< size of each parameter
};

/// Throws Unsupported for a program that calls host functions, since it has no PTX to run.
void require_ptx(const Image& image);

/// The kernels that the image's PTX defines, in the order of the text. Throws InputError for text that is not
/// PTX, Unsupported like require_ptx.
std::vector<EntryInfo> entries_in(const Image& image);

}  // namespace foldproof
