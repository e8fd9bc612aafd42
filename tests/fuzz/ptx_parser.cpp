// libFuzzer target: no text makes the PTX parser do anything but return a module or throw InputError with a
// place.
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
