// A folder for one test, files in it, and the message of an error.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.h"
#include "base/files.h"
#include "base/temporary_folders.h"
#include "contracts/contract.h"

namespace foldproof {

class Workshop {
 public:
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = path() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

  /// Loads a contract next to a source with the same name (empty by default).
  Contract load(const std::string& toml, const std::string& source = "", Trust trust = Trust::full) const {
    write("k.cu", source);
    return load_contract(write("k.toml", toml), trust);
  }

  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

/// The message of the InputError without the folder of its file; empty if none is thrown.
template <typename Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    std::string text = error.what();
    const std::size_t place_end = text.find(": ");
    const std::size_t slash = place_end == std::string::npos ? place_end : text.rfind('/', place_end);
    return slash == std::string::npos ? text : text.substr(slash + 1);
  }
  return "";
}

inline std::string load_error(const std::string& toml, const std::string& source = "") {
  const Workshop workshop;
  return error_of([&] { workshop.load(toml, source); });
}

/// A contract that is valid except for the given lines.
inline std::string with_top(const std::string& line) {
  return "format = 1\n" + line + "\n[domain]\ncount = 4\n[[launch]]\nentry = \"k\"\ngrid = 1\nblock = 1\n";
}
inline std::string with_end(const std::string& lines) { return with_top("") + lines + "\n"; }

}  // namespace foldproof
