// PTX text on its way from the compiler to a device.
#pragma once

#include <string>

namespace foldproof {

/// PTX text together with the name that errors give it.
struct Image {
  std::string name;
  std::string ptx;
};

}  // namespace foldproof
