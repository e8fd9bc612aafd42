// Runs the built programs as a user would.
#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace foldproof::test {

struct AfterInterrupt {
  std::chrono::duration<double> time{0};  ///< from the signal until the program ended
  std::size_t processes = 0;              ///< started by the program and still running when it ended
};

struct Ran {
  int status = 0;  ///< exit status; 128 + N if signal N ended the program
  std::string out, err;
  AfterInterrupt after_interrupt = {};
};

struct How {
  std::chrono::milliseconds interrupt_after{0};  ///< when to send SIGINT; 0: never
  std::filesystem::path folder = {};             ///< working directory; empty: the current one
  std::string out = {};                          ///< file for standard output; empty: Ran::out
  std::string err = {};                          ///< the same for standard error
  std::vector<std::string> environment = {};     ///< "NAME=VALUE", for this run
  std::string program = FOLDPROOF_PROGRAM;
  std::string interrupt_once = {};  ///< sends SIGINT as soon as this file exists; empty: never
};

/// Runs foldproof without colours.
Ran run(const std::vector<std::string>& arguments, const How& how = {});

/// Runs with --format json and reads standard output, which must be one object and a newline.
struct RanJson {
  int status = 0;
  nlohmann::json json;
  std::string err;
  AfterInterrupt after_interrupt = {};
};
RanJson run_json(std::vector<std::string> arguments, const How& how = {});

/// The same for foldproof-lab.
Ran run_laboratory(const std::vector<std::string>& arguments, How how = {});
RanJson run_laboratory_json(std::vector<std::string> arguments, How how = {});
/// The same, run once for all tests that read the output of these arguments.
const RanJson& laboratory_output(const std::vector<std::string>& arguments);

/// A folder that is removed with this object.
class Folder {
 public:
  Folder();
  /// A folder with the same name in every run, so that PTX compiled there is found in the cache.
  explicit Folder(const std::string& name);
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  /// Writes a file into the folder and returns its path.
  std::string file(const std::string& name, const std::string& content) const;
  std::string path(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A file of the source tree.
inline std::string source_file(const std::string& name) {
  return std::string(FOLDPROOF_SOURCE_DIR "/") + name;
}

}  // namespace foldproof::test
