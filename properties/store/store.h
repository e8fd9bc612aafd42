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
  /// `folder`, or `cases` in user_cache() if there is none.
  explicit CaseStore(const std::optional<std::filesystem::path>& folder);

  /// The cases of this instance in a user-supplied folder, in the order of their file names; none from the
  /// cache. The folder may contain other files. Throws InputError for a damaged case.
  std::vector<StoredCase> load(const Contract& contract, const Instance& instance) const;

  /// Stores the case that shows `finding`; one file per kind and place. Returns the command that replays it,
  /// or nothing if it cannot be written.
  std::optional<std::string> save(const Contract& contract, const Instance& instance, const Case& c,
                                  const Finding& finding) const;

 private:
  std::filesystem::path folder_;
  bool is_cache_;
};

}  // namespace foldproof
