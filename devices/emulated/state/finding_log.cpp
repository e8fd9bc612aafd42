#include "devices/emulated/state/finding_log.h"

namespace foldproof::emulated {

Finding FindingLog::make(Kind kind, const Instruction& instruction, const std::string& sentence) const {
  Finding finding;
  finding.kind = kind;
  finding.message = sentence;
  finding.at = program_.position(instruction);
  return finding;
}

void FindingLog::end(Finding finding) {
  add(std::move(finding));
  throw LaunchEnded{};
}

}  // namespace foldproof::emulated
