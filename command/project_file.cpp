#include "command/project_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "contracts/compile.h"
#include "contracts/document.h"

namespace foldproof {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view none = "none";

std::string text_of(const toml::node& node, const std::string& key, const std::string& file) {
  if (const auto text = node.value_exact<std::string>(); text && !text->empty()) return *text;
  throw InputError(fmt::format("\"{}\" must be a string that is not empty", key), position_of(node, file));
}

std::vector<std::string> flags_in(const toml::node& node, const fs::path& file) {
  std::vector<std::pair<std::string, Position>> words;
  const toml::array* all = node.as_array();
  if (all == nullptr || !std::ranges::all_of(*all, [](const toml::node& flag) { return flag.is_string(); }))
    throw InputError("\"flags\" must be an array of strings", position_of(node, file.string()));
  for (const toml::node& flag : *all)
    words.emplace_back(text_of(flag, "flags", file.string()), inside_of(flag, file.string()));
  return checked_flags(words, file.parent_path());
}

/// Below the file's folder: a project that was downloaded must not choose any other place.
std::string store_in(const toml::node& node, const fs::path& file) {
  const fs::path folder = file.parent_path();
  const std::string text = text_of(node, "store", file.string());
  const fs::path store = (folder / text).lexically_normal();
  if (!is_below(store, folder) || !is_below(without_links(store), without_links(folder)))
    throw InputError(fmt::format("the store \"{}\" must be in the folder of the project file", text),
                     position_of(node, file.string()));
  return store.string();
}

std::string fail_on_in(const toml::node& node, const std::string& file) {
  const std::string text = text_of(node, "fail_on", file);
  if (text == "error" || text == "warning") return text;
  throw InputError("\"fail_on\" must be \"error\" or \"warning\"", position_of(node, file));
}

std::optional<struct stat> status_of(const fs::path& file) {
  struct stat status = {};
  return stat(file.c_str(), &status) == 0 ? std::optional(status) : std::nullopt;
}

void check_owner(const fs::path& file, const fs::path& subject) {
  const auto of_file = status_of(file), of_subject = status_of(subject);
  if (!of_file || of_file->st_uid == geteuid() || of_file->st_uid == 0 ||
      (of_subject && of_subject->st_uid == of_file->st_uid))
    return;
  throw InputError(
      fmt::format("the project file {0} belongs to another user; pass --project {0} to use it, or "
                  "--project none",
                  file.string()));
}

void set_if_absent(CLI::App& verb, const char* name, const std::string& value) {
  CLI::Option* option = verb.get_option_no_throw(name);
  if (option == nullptr || !option->empty() || value.empty()) return;
  option->add_result(value);
  option->run_callback();
}

}  // namespace

ProjectDefaults read_project_file(const fs::path& given) {
  const fs::path path = resolved_path(given);
  const std::string file = path.string();
  const toml::table table = parse_toml(path);
  ProjectDefaults defaults;
  for (const auto& [name, node] : in_file_order(table, file)) {
    if (name.value == "arch") {
      defaults.arch = text_of(*node, "arch", file);
    } else if (name.value == "flags") {
      defaults.flags = flags_in(*node, path);
    } else if (name.value == "store") {
      defaults.store = store_in(*node, path);
    } else if (name.value == "fail_on") {
      defaults.fail_on = fail_on_in(*node, file);
    } else {
      throw InputError(fmt::format("a project file has no key \"{}\"{}", name.value,
                                   suggestion(name.value, {"arch", "flags", "store", "fail_on"})),
                       name.where);
    }
  }
  return defaults;
}

std::optional<fs::path> project_file_of(const fs::path& subject) {
  std::error_code error;
  const fs::path start = resolved_path(subject);
  fs::path folder = fs::is_directory(start, error) ? start : start.parent_path();
  for (;; folder = folder.parent_path()) {
    const fs::path file = folder / project_file_name;
    if (fs::exists(file, error)) {
      check_owner(file, subject);
      return file;
    }
    if (fs::exists(folder / ".git", error) || folder == folder.parent_path()) return std::nullopt;
  }
}

std::string subject_of(const CLI::App& verb) {
  for (const CLI::Option* option : verb.get_options())
    if (option->get_positional() && !option->results().empty()) return option->results().front();
  const CLI::Option* contract = verb.get_option_no_throw("--contract");
  return contract == nullptr || contract->empty() ? "" : contract->results().front();
}

std::vector<fs::path> project_files_below(const fs::path& folder) {
  constexpr std::size_t most = 8;
  std::vector<fs::path> files;
  std::error_code error;
  if (!fs::is_directory(folder, error)) return files;
  constexpr auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator entry(folder, options, error), end;
       entry != end && files.size() < most; entry.increment(error))
    if (entry.depth() > 0 && entry->path().filename() == project_file_name) files.push_back(entry->path());
  return files;
}

std::optional<fs::path> use_project_file(CLI::App& verb) {
  const CLI::Option* option = verb.get_option_no_throw("--project");
  if (option == nullptr) return std::nullopt;
  std::optional<fs::path> file;
  if (!option->empty()) {
    if (option->results().front() == none) return std::nullopt;
    file = option->results().front();
  } else if (const std::string subject = subject_of(verb); !subject.empty()) {
    file = project_file_of(subject);
  }
  if (!file) return std::nullopt;
  const ProjectDefaults defaults = read_project_file(*file);
  set_if_absent(verb, "--project", file->string());
  set_if_absent(verb, "--store", defaults.store);
  set_if_absent(verb, "--fail-on", defaults.fail_on);
  return file;
}

}  // namespace foldproof
