// A stored case and the contract or source that it names, which anybody may have written.
#pragma once

#include <string>
#include <vector>

#include "cli/campaign.h"
#include "command/subjects.h"
#include "properties/case.h"

namespace foldproof {

/// The case in the file, whose contract is `contract` unless that is empty. Throws InputError if there is no
/// such case or contract or if, without trust, the case names a file outside the folder of its store and the
/// current one.
StoredCase load_case_of(const std::string& file, const std::string& contract, Trust trust);

/// Those of the case's contract, or the guessed ones of its kernel.
std::vector<Subject> subjects_of(const StoredCase& stored, Trust trust, const CompileOptions& options,
                                 const Console& console);

/// The instance of the case among the subjects. Throws InputError if there is none.
Assignment assignment_of(const std::vector<Subject>& subjects, const StoredCase& stored);

}  // namespace foldproof
