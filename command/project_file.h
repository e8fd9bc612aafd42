// foldproof.toml in a folder above the kernels: defaults for the options of a project.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace foldproof {

inline constexpr const char* project_file_name = "foldproof.toml";

/// What a project file sets. Contracts and options prevail over it.
struct ProjectDefaults {
  std::string arch;                ///< empty: not set
  std::vector<std::string> flags;  ///< in the form of checked_flags()
  std::string store, fail_on;      ///< values of --store and --fail-on; empty: not set
};

/// Throws InputError, with the line, for an unknown key, a flag that a contract may not have, or a store
/// outside the file's folder.
ProjectDefaults read_project_file(const std::filesystem::path& file);

/// The project file of a kernel, a contract, a case or a folder: the one in its folder, or else in the
/// nearest one above, up to one that contains `.git`. Throws InputError for a file of another user, who could
/// have put it into a shared folder: it must belong to this user, to root or to the owner of the subject.
std::optional<std::filesystem::path> project_file_of(const std::filesystem::path& subject);

/// The project files below a folder, which apply only if their folders are audited by themselves; at most a
/// few.
std::vector<std::filesystem::path> project_files_below(const std::filesystem::path& folder);

/// The kernel, contract, case or folder that a verb is about; empty if none was given.
std::string subject_of(const CLI::App& verb);

/// Sets --project, --store and --fail-on of a verb as the project file of its subject says, unless they were
/// given, or --project is "none". Returns the file, if there is one. The verb's arguments were parsed.
std::optional<std::filesystem::path> use_project_file(CLI::App& verb);

}  // namespace foldproof
