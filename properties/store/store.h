// Stores failing cases on disk, for replay.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "contracts/contract.h"
#include "properties/case.h"

namespace foldproof {

class CaseStore {
 public:
  /// `folder` as the user named it, so that nothing is written through a link in a relative path; `cases` in
  /// user_cache() if there is none.
  explicit CaseStore(const std::optional<std::filesystem::path>& folder);

  struct Loaded {
    std::vector<StoredCase> cases;
    std::vector<std::string> not_read;  ///< what was not read, and why
  };

  /// The cases of this instance in a user-supplied folder, in the order of their file names; none from the
  /// cache. The folder may contain other files. Throws InputError for a damaged case.
  Loaded load(const Contract& contract, const Instance& instance) const;

  /// The outcome of save(); one of the two is empty.
  struct Saved {
    std::string replay;   ///< the command that replays the case
    std::string why_not;  ///< why it was not stored, as a note
  };

  /// Stores the case that shows `finding` in a file of its own, named by its content. A symbolic link in
  /// place of the folder, of the file, or of a part of a relative path to them is refused.
  Saved save(const Contract& contract, const Instance& instance, const Case& c, const Finding& finding) const;

 private:
  /// Why the text cannot be written to this file of the folder, as a phrase; empty if it was.
  std::string write(const std::string& file, const std::string& text) const;

  std::filesystem::path folder_;
  bool is_cache_;
};

}  // namespace foldproof
