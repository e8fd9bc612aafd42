#include "contracts/compile_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "contracts/nvcc/build_command.h"

namespace foldproof {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t largest_database = std::size_t{256} << 20;
constexpr std::size_t largest_option_files = std::size_t{1} << 20;  // of one command, together

/// System calls would see a path only up to it.
bool contains_nul(const json& value) {
  if (value.is_string()) return value.get_ref<const std::string&>().find('\0') != std::string::npos;
  return value.is_array() && std::ranges::any_of(value, [](const json& part) {
           return part.is_string() && part.get_ref<const std::string&>().find('\0') != std::string::npos;
         });
}

/// The array of commands. Throws InputError if it is none, or if a command contains a NUL character.
json parsed_database(const fs::path& file) {
  const std::string text = read_text_file(file, largest_database);
  // The parser does not limit nesting, but it keeps its state on the heap: deep nesting does not overflow the
  // stack.
  json database = json::parse(text, nullptr, false);
  if (!database.is_array())
    throw InputError("this is not a compilation database, which is a JSON array of commands",
                     {file.string()});
  for (const json& command : database)
    if (std::ranges::any_of(command, contains_nul))
      throw InputError("a command of the database contains a NUL character; remove it", {file.string()});
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

using Words = std::deque<std::string>;

/// The text of the file. `left`: how many bytes the option files of this command may still have.
std::string text_of_option_file(const fs::path& file, std::size_t& left) {
  std::string text = read_text_file(file, largest_option_files);
  if (text.size() > left)
    throw InputError(fmt::format("the option files of this command have more than {} bytes together",
                                 largest_option_files),
                     {file.string()});
  left -= text.size();
  return text;
}

/// Removes --options-file (-optf) with its value from the front and returns the value: files, separated by
/// commas. Nothing if another word is there.
std::optional<std::string> take_option_files(Words& words) {
  const std::string word = words.front();
  const std::size_t end = std::min(word.find('='), word.size());
  const std::string_view name = std::string_view(word).substr(0, end);
  const bool is_separate = end == word.size();
  if ((name != "--options-file" && name != "-optf") || (is_separate && words.size() == 1))
    return std::nullopt;
  words.pop_front();
  if (!is_separate) return word.substr(end + 1);
  std::string value = words.front();
  words.pop_front();
  return value;
}

/// CMake puts the include folders of CUDA sources into option files. Each option that names such files is
/// replaced by their words, which may name further ones.
std::vector<std::string> with_option_files(const std::vector<std::string>& words, const fs::path& directory) {
  std::vector<std::string> expanded;
  std::size_t left = largest_option_files;
  for (Words rest(words.begin(), words.end()); !rest.empty();) {
    const auto files = take_option_files(rest);
    if (!files) {
      expanded.push_back(std::move(rest.front()));
      rest.pop_front();
      continue;
    }
    std::vector<std::string> more;
    std::istringstream names(*files);
    for (std::string name; std::getline(names, name, ',');)
      std::ranges::move(split_command(text_of_option_file(directory / name, left)), std::back_inserter(more));
    rest.insert(rest.begin(), more.begin(), more.end());
  }
  return expanded;
}

std::vector<std::string> flags_of(const json& command, const fs::path& directory, const fs::path& database) {
  std::vector<FlagWord> words;
  for (const std::string& word : with_option_files(words_of(command), directory))
    words.push_back({word, {database.string()}});
  return flags_of_command(words, directory);
}

/// The flags of a command, if it compiles `source`, which is without links.
std::optional<std::vector<std::string>> flags_for(const fs::path& source, const json& command,
                                                  const fs::path& database) {
  const std::string named = command.is_object() ? text_of(command, "file") : "";
  if (named.empty()) return std::nullopt;
  const fs::path directory = text_of(command, "directory");
  if (without_links(directory / named) != source) return std::nullopt;
  return flags_of(command, directory, database);
}

}  // namespace

std::vector<std::string> flags_from_database(const fs::path& folder, const fs::path& source) {
  const fs::path file = folder / "compile_commands.json", wanted = without_links(source);
  std::optional<std::vector<std::string>> flags;
  for (const json& command : parsed_database(file)) {
    auto own = flags_for(wanted, command, file);
    if (own && flags && *own != *flags)
      throw InputError(fmt::format("the database has several commands for {} with different flags; omit "
                                   "--compile-commands and give the flags with -I, -D and -std",
                                   source.string()),
                       {file.string()});
    if (own) flags = std::move(own);
  }
  if (flags) return *flags;
  throw InputError(
      fmt::format("the database has no command for {}; give its flags with -I, -D and -std", source.string()),
      {file.string()});
}

std::vector<std::string> all_flags_of_database(const fs::path& folder) {
  const fs::path file = folder / "compile_commands.json";
  std::set<std::string> flags;
  for (const json& command : parsed_database(file))
    if (command.is_object()) try {
        std::ranges::move(flags_of(command, text_of(command, "directory"), file),
                          std::inserter(flags, flags.end()));
      } catch (const InputError&) {  // of a source that may be none of nvcc's
      }
  return {flags.begin(), flags.end()};
}

}  // namespace foldproof
