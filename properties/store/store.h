// Failing cases on disk: kept, replayed, never lost.
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
  /// `folder`, or `cases` in user_cache() when there is none.
  explicit CaseStore(const std::optional<std::filesystem::path>& folder);

  /// Cases of this instance in a folder of the user's choosing, in the order of their names; none from the
  /// cache. Other files may lie there too. Throws InputError for a damaged case.
  std::vector<StoredCase> load(const Contract& contract, const Instance& instance) const;

  /// Keeps the case that shows `finding`; one file a kind and place. Returns the command that replays it, or
  /// nothing where it cannot be written.
  std::optional<std::string> save(const Contract& contract, const Instance& instance, const Case& c,
                                  const Finding& finding) const;

 private:
  std::filesystem::path folder_;
  bool is_cache_;
};

}  // namespace foldproof
