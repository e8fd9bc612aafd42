// What a compiler makes of a source, on its way to a device.
#pragma once

#include <filesystem>
#include <string>

namespace foldproof {

/// PTX text together with the name that errors give it; or a program that calls host functions.
struct Image {
  std::string name;
  std::string ptx;
  std::filesystem::path program = {};  ///< empty for PTX
  std::string machine_code = {};       ///< what ptxas makes of the PTX for a GPU; empty: its driver compiles
};

}  // namespace foldproof
