#include "properties/execution/entry_place.h"

#include <fstream>
#include <string>

#include "base/text.h"

namespace foldproof {
namespace {

/// "ns::block_sums<float, 128>" is defined as block_sums.
std::string plain_name(const std::string& entry) {
  const std::string spelled = entry.substr(0, entry.find('<'));
  const std::size_t colons = spelled.rfind("::");
  return colons == std::string::npos ? spelled : spelled.substr(colons + 2);
}

/// Whether the line contains `name` as a whole word, followed by its parameters.
bool declares(const std::string& line, const std::string& name) {
  for (std::size_t at = line.find(name); at != std::string::npos; at = line.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_word(line[at - 1])) && end < line.size() && line[end] == '(') return true;
  }
  return false;
}

}  // namespace

Position place_of_entry(const Contract& contract, const LaunchContract& launch) {
  Position place{contract.source.string()};
  const std::string name = plain_name(launch.entry);
  std::ifstream source(contract.source);
  bool in_kernel = false;  // between "__global__" and the name; a host function has no such marker
  unsigned number = 0;
  for (std::string line; !name.empty() && std::getline(source, line);) {
    ++number;
    const std::size_t global = line.find("__global__");
    if (global != std::string::npos || launch.host) in_kernel = true;
    if (in_kernel && declares(line, name)) {
      place.line = number;
      return place;
    }
    if (line.find('{') != std::string::npos) in_kernel = false;
  }
  return place;
}

}  // namespace foldproof
