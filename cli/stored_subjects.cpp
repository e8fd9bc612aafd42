#include "cli/stored_subjects.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "base/files.h"

namespace foldproof {
namespace {

namespace fs = std::filesystem;

/// Anybody may have written the case, and nvcc's errors quote the file that it names. `file`: the case, which
/// an audit stores in a folder next to that file.
void check_named_file(const StoredCase& stored, const fs::path& file) {
  std::error_code error;
  const fs::path store = folder_of(file);
  if (!fs::exists(stored.contract, error))
    throw InputError(fmt::format("the case names {}, which does not exist; name its contract with --contract",
                                 stored.contract.string()),
                     stored.where);
  const auto refuse = [&](const std::string& why, const char* what_to_do) {
    throw InputError(
        fmt::format("the case names {}, which is {}; {}", stored.contract.string(), why, what_to_do),
        stored.where);
  };
  const fs::path extension = stored.contract.extension();
  if (extension != ".toml" && extension != ".cu" && extension != ".ptx")
    refuse("not a .toml, .cu or .ptx file", "pass --trust to allow it");
  if (!is_below(stored.contract, store.parent_path()) && !is_below(stored.contract, fs::current_path(error)))
    refuse(fmt::format("neither in {} nor in the current folder", store.parent_path().string()),
           "run this command in a folder that contains it, or pass --trust");
}

bool is_stored(const Instance& instance, const StoredCase& stored) {
  return instance.label == stored.instance &&
         (stored.entry.empty() || instance.launches.at(0).entry == stored.entry);
}

}  // namespace

StoredCase load_case_of(const std::string& file, const std::string& contract, Trust trust) {
  StoredCase stored = load_case(file);
  if (!contract.empty()) {
    stored.contract = contract;
    return stored;
  }
  stored.contract = contract_beside(folder_of(file), stored.contract);
  if (trust == Trust::limited) check_named_file(stored, file);
  return stored;
}

// A contract that is next to the source of a guessed one may be for another kernel.
std::vector<Subject> subjects_of(const StoredCase& stored, Trust trust, const CompileOptions& options,
                                 const Console& console) {
  if (stored.entry.empty()) return load_subjects({stored.contract, {}, {}, trust}, options, console);
  if (stored.contract.extension() == ".toml")
    throw InputError("a case with the key \"entry\" must name a source, not a contract; remove the key",
                     stored.where);
  std::optional<Reference> reference;
  try {
    if (!stored.as.empty()) reference = reference_named(stored.as, stored.map);
  } catch (const InputError& error) {
    throw InputError(fmt::format("in the keys \"as\" and \"map\": {}", error.sentence()), stored.where);
  }
  return guessed_subjects(stored.contract, stored.entry, options, reference);
}

Assignment assignment_of(const std::vector<Subject>& subjects, const StoredCase& stored) {
  for (const Subject& subject : subjects)
    for (const Instance& instance : subject.contract.instances)
      if (is_stored(instance, stored)) return {&subject, &instance};
  throw InputError(fmt::format("{} has no {} \"{}\"; it has changed since the case was stored",
                               stored.contract.string(), stored.entry.empty() ? "instance" : "kernel",
                               stored.entry.empty() ? stored.instance : stored.entry));
}

}  // namespace foldproof
