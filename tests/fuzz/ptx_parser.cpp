// libFuzzer target: for every text, the PTX parser must return a module or throw an InputError with a
// position.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.h"
#include "ptx/parse.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string name = "fuzz.ptx";
  try {
    foldproof::ptx::parse(std::string_view(reinterpret_cast<const char*>(data), size), name);
  } catch (const foldproof::InputError& error) {
    if (error.sentence().empty() || error.position().line == 0) std::abort();
  }
  return 0;
}
