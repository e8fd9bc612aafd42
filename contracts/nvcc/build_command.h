// A command of a compilation database: which of its flags decide what Foldproof compiles.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "contracts/nvcc/flags.h"

namespace foldproof {

/// The flags with which nvcc compiles the same device code as the command does, in the form of
/// harmless_flags(): those of its table, and for the host compiler, which preprocesses device code, those
/// that change predefined macros. Others are ignored if they are known not to change the code. `words`: the
/// whole command, with the contents of option files. Throws InputError for a value with a character that is
/// not allowed, for a flag that may change the code in a way that Foldproof cannot reproduce, and for a
/// command that begins with a shell or with a variable.
std::vector<std::string> flags_of_command(std::span<const FlagWord> words,
                                          const std::filesystem::path& folder);

}  // namespace foldproof
