#include "properties/store/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/file_name.h"
#include "base/files.h"
#include "base/printable.h"
#include "base/temporary_folders.h"
#include "base/text.h"
#include "properties/random.h"

namespace foldproof {
namespace {

namespace fs = std::filesystem;

bool is_link(const fs::path& path) {
  std::error_code error;
  return fs::is_symlink(path, error);
}

/// The file's path, in which only the file itself may be a link. All paths to a file through its folder have
/// one place.
fs::path place_of(const fs::path& file) { return folder_of(file) / file.filename(); }

/// The place of the file that a replay must read: the contract, or the source from which one is guessed.
fs::path subject_of(const Contract& contract) {
  return place_of(contract.file.empty() ? contract.source : contract.file);
}

/// StoredCase::entry for an instance of the contract.
std::string entry_of(const Contract& contract, const Instance& instance) {
  return contract.file.empty() ? instance.launches.at(0).entry : "";
}

/// A file of a store.
struct KnownFile {
  fs::file_time_type changed;
  std::uintmax_t bytes = 0;
  std::optional<StoredCase> stored;  ///< nothing if it is not a stored case
  fs::path named;                    ///< the place of the case's contract
};

/// Reads the file, unless this thread read it before and it has not changed: a process audits many instances,
/// and every audit asks for all cases. Throws InputError for a damaged case.
const KnownFile& known(const fs::path& file) {
  thread_local std::map<fs::path, KnownFile> files;
  std::error_code error;
  const fs::file_time_type changed = fs::last_write_time(file, error);
  const std::uintmax_t bytes = fs::file_size(file, error);
  KnownFile& one = files[file];
  if (!error && one.changed == changed && one.bytes == bytes) return one;
  one = {};
  if (is_kept_case(file)) {
    one.stored = load_case(file);
    one.named = place_of(one.stored->contract);
  }
  one.changed = changed;
  one.bytes = bytes;
  return one;
}

/// Which stored cases belong to an instance.
struct Owner {
  const Instance& instance;
  fs::path subject, source;  ///< places
  std::string entry, as, map;

  Owner(const Contract& contract, const Instance& of)
      : instance(of),
        subject(subject_of(contract)),
        source(place_of(contract.source)),
        entry(entry_of(contract, of)),
        as(contract.as),
        map(contract.map) {}

  /// A case of another reference contract has other variables. A contract in a file may have been made of
  /// any.
  bool is_of_reference(const StoredCase& stored) const {
    return entry.empty() || (stored.as == as && stored.map == map);
  }

  /// Whether the case was stored for this instance: under its contract, under a contract of the same file
  /// name that no longer exists there (the store or the contract was moved), or before the source had a
  /// contract.
  bool owns(const KnownFile& file) const {
    if (!file.stored->entry.empty() && file.named == source)
      return is_of_reference(*file.stored) &&
             std::ranges::any_of(instance.launches, [&](const LaunchContract& launch) {
               return launch.entry == file.stored->entry;
             });
    std::error_code error;
    const bool is_moved = file.named.filename() == subject.filename() && !fs::exists(file.named, error);
    return (file.named == subject || is_moved) && file.stored->entry == entry &&
           is_of_reference(*file.stored);
  }
};

/// The stored cases of a folder, in the order of their names.
struct TomlFiles {
  std::vector<std::pair<fs::path, const KnownFile*>> cases;
  std::vector<std::string> not_read;

  /// A folder that does not exist has no cases.
  explicit TomlFiles(const fs::path& folder) {
    std::error_code error;
    std::vector<fs::path> files, others;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
      if (it->path().extension() == ".toml") files.push_back(it->path());
    std::ranges::sort(files);
    for (const fs::path& file : files)
      if (const KnownFile& one = known(file); one.stored)
        cases.emplace_back(file, &one);
      else
        others.push_back(file);
    if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory)
      not_read.push_back(
          fmt::format("the stored cases in {} were not read: {}", folder.string(), error.message()));
    if (others.size() == 1)
      not_read.push_back(fmt::format("{} is not a stored case or cannot be read", others.front().string()));
    if (others.size() > 1)
      not_read.push_back(fmt::format("{} .toml files in {} are not stored cases or cannot be read: {}, …",
                                     others.size(), folder.string(), others.front().filename().string()));
  }
};

}  // namespace

CaseStore::CaseStore(const std::optional<fs::path>& folder)
    : folder_(without_slash(folder ? *folder : settled_path(user_cache() / "cases"))), is_cache_(!folder) {}

CaseStore::Loaded CaseStore::load(const Contract& contract, const Instance& instance) const {
  Loaded loaded;
  if (is_cache_) return loaded;
  const TomlFiles files(folder_);
  loaded.not_read = files.not_read;
  std::size_t outdated = 0, orphans = 0;
  const Owner owner(contract, instance);
  for (const auto& [file, known] : files.cases) {
    const StoredCase& stored = *known->stored;
    if (!owner.owns(*known)) {
      std::error_code error;
      if (!fs::exists(contract_beside(folder_, stored.contract), error) && ++orphans == 1)
        loaded.not_read.push_back(fmt::format("a stored case was skipped, since {} does not exist: {}",
                                              stored.contract.lexically_normal().string(), file.string()));
      continue;
    }
    if (std::ranges::find(contract.instances, stored.instance, &Instance::label) ==
            contract.instances.end() &&
        ++outdated == 1)
      loaded.not_read.push_back(
          fmt::format("stored cases were skipped, since the contract has no instance \"{}\": {}",
                      stored.instance, file.string()));
    if (stored.instance == instance.label) loaded.cases.push_back(stored);
  }
  return loaded;
}

std::string CaseStore::write(const std::string& file, const std::string& text) const try {
  if (!is_utf8(text)) return "the path of the contract is not UTF-8";
  for (const fs::path& path : {folder_, folder_ / file})
    if (is_link(path)) return fmt::format("{} is a symbolic link", path.filename().string());
  return OutputFolder(folder_).replace_file(file, text) ? "" : std::strerror(errno);
} catch (const InputError& error) {
  const std::string& where = error.position().file;
  return where == folder_ ? error.sentence() : fmt::format("{}: {}", where, error.sentence());
} catch (const Unsupported& error) {
  return error.sentence();
}

CaseStore::Saved CaseStore::save(const Contract& contract, const Instance& instance, const Case& c,
                                 const Finding& finding) const {
  const fs::path subject = subject_of(contract);
  StoredCase stored{is_cache_ ? subject : subject.lexically_relative(without_links(folder_)),
                    instance.label,
                    std::string(name(finding.kind)),
                    c,
                    entry_of(contract, instance),
                    contract.as,
                    contract.map};
  if (stored.contract.empty()) stored.contract = subject;
  // Its paths are relative to the store, so that a case has the same name on every machine.
  const std::string text = to_toml(stored);
  const std::string file =
      fmt::format("{}-{}{}{}-{:08x}.toml", file_name_part(subject.stem().string(), '.', '-'),
                  file_name_part(instance.label, '.', '-'), instance.label.empty() ? "" : "-",
                  name(finding.kind), hash_of(text) >> 32);
  const std::string why_not = write(file, text);
  if (why_not.empty() && is_cache_ && !lasting_user_cache())
    return {
        "",
        "the failing case will be lost when the program ends, because no writable folder was found; name one "
        "with --store"};
  if (why_not.empty())
    return {"foldproof replay " + shell_word((resolved_path(folder_) / file).string()), ""};
  return {"",
          fmt::format("the failing case could not be stored in {} ({}); choose another folder with --store",
                      folder_.string(), why_not)};
}

}  // namespace foldproof
