// Which line of the user's own source a statement comes from.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "ptx/ast.h"

namespace foldproof::ptx {

/// The innermost frame of `loc` outside the toolkit's headers; the innermost of all where there is no other;
/// nothing where there is no `.loc`. `locs` and `files` are those of a Module.
std::optional<Position> source_place(const std::vector<Loc>& locs,
                                     const std::map<std::uint32_t, std::string>& files, std::uint32_t loc);

}  // namespace foldproof::ptx
