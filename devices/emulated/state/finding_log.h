// The executor's findings, in order.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "devices/emulated/program/program.h"
#include "sanitizer/finding.h"

namespace foldproof::emulated {

/// Thrown to end a launch: a trap, an exhausted budget, a deadlock. The finding is already in the log.
struct LaunchEnded {};

class FindingLog {
 public:
  explicit FindingLog(const Program& program) : program_(program) {}

  /// A finding at an instruction, not yet in the log.
  Finding make(Kind kind, const Instruction& instruction, const std::string& sentence) const {
    Finding finding;
    finding.kind = kind;
    finding.message = sentence;
    finding.at = program_.position(instruction);
    return finding;
  }
  void add(Finding finding) { findings_.push_back(std::move(finding)); }
  /// Returns true on the first call for this kind and instruction: one finding represents all.
  bool is_first(Kind kind, const Instruction& instruction) {
    return reported_.emplace(kind, &instruction).second;
  }
  [[noreturn]] void end(Finding finding) {
    add(std::move(finding));
    throw LaunchEnded{};
  }
  [[noreturn]] void crash(const Instruction& instruction, const std::string& sentence) {
    end(make(Kind::crash, instruction, sentence));
  }

  std::vector<Finding> take() { return std::move(findings_); }

 private:
  const Program& program_;
  std::vector<Finding> findings_;
  std::set<std::pair<Kind, const Instruction*>> reported_;
};

}  // namespace foldproof::emulated
