// Command lines as a POSIX shell reads them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace foldproof {

/// A command line split into words as a shell does, without expanding anything.
std::vector<std::string> split_command(std::string_view command);

/// One word of a command line, quoted where a shell would take it for something else.
std::string shell_word(const std::string& text);

}  // namespace foldproof
