// The findings about undefined values of one block of one warp.
#pragma once

#include "sanitizer/fixture.h"

namespace foldproof::sanitizer_tests {

// The findings for one block of one warp; buffer0 is the output, one word per thread.
inline std::vector<Finding> undefined(const std::string& body, Setting setting = {}) {
  setting.buffers.insert(setting.buffers.begin(), zeros(4 * setting.grid.volume() * setting.block.volume()));
  return findings_of(body, setting, {}, 1, Definedness::tracked);
}

inline std::string undefined_kinds(const std::string& body, const Setting& setting = {}) {
  return kinds(undefined(body, setting));
}

inline const std::string tile = ".shared .align 16 .b8 tile[512]; ";

}  // namespace foldproof::sanitizer_tests
