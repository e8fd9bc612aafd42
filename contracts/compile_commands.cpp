#include "contracts/compile_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "contracts/nvcc/flags.h"

namespace foldproof {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t largest_database = std::size_t{256} << 20;
constexpr std::size_t largest_option_files = std::size_t{1} << 20;  // of one command, together

json parsed_database(const fs::path& file) {
  const std::string text = read_text_file(file, largest_database);
  // The parser does not limit nesting, but it keeps its state on the heap: deep nesting does not overflow the
  // stack.
  json database = json::parse(text, nullptr, false);
  if (!database.is_array())
    throw InputError("this is not a compilation database, which is a JSON array of commands",
                     {file.string()});
  return database;
}

std::string text_of(const json& command, const char* key) {
  const auto found = command.find(key);
  return found != command.end() && found->is_string() ? found->get<std::string>() : "";
}

std::vector<std::string> words_of(const json& command) {
  const auto arguments = command.find("arguments");
  if (arguments == command.end() || !arguments->is_array()) return split_command(text_of(command, "command"));
  std::vector<std::string> words;
  for (const json& argument : *arguments)
    if (argument.is_string()) words.push_back(argument.get<std::string>());
  return words;
}

/// CMake puts the include folders of CUDA sources into files named by --options-file; each such option is
/// replaced by the words of its file.
std::vector<std::string> with_option_files(const std::vector<std::string>& words, const fs::path& directory) {
  std::vector<std::string> expanded;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool names_file = (words[i] == "--options-file" || words[i] == "-optf") && i + 1 < words.size();
    if (!names_file) {
      expanded.push_back(words[i]);
      continue;
    }
    const fs::path file = directory / words[++i];
    const std::string text = read_text_file(file, largest_option_files);
    bytes += text.size();
    if (bytes > largest_option_files)
      throw InputError(fmt::format("the option files of this command have more than {} bytes together",
                                   largest_option_files),
                       {file.string()});
    const auto more = split_command(text);
    expanded.insert(expanded.end(), more.begin(), more.end());
  }
  return expanded;
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::weakly_canonical(a, error) == fs::weakly_canonical(b, error) && !error;
}

}  // namespace

std::vector<std::string> flags_from_database(const fs::path& folder, const fs::path& source) {
  const fs::path file = folder / "compile_commands.json";
  for (const json& command : parsed_database(file)) {
    if (!command.is_object()) continue;
    const fs::path directory = text_of(command, "directory");
    const std::string named = text_of(command, "file");
    if (named.empty() || !is_same_file(directory / named, source)) continue;
    std::vector<FlagWord> words;
    for (const std::string& word : with_option_files(words_of(command), directory))
      words.push_back({word, {file.string()}});
    return harmless_flags_among(words, directory);
  }
  throw InputError(
      fmt::format("the database has no command for {}; give its flags with -I, -D and -std", source.string()),
      {file.string()});
}

}  // namespace foldproof
