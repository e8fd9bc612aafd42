// The findings that the executor makes, in their order.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "devices/emulated/program/program.h"
#include "sanitizer/finding.h"

namespace foldproof::emulated {

/// Ends a launch from the inside: a trap, an exhausted budget, a deadlock. Its finding is in the log.
struct LaunchEnded {};

class FindingLog {
 public:
  explicit FindingLog(const Program& program) : program_(program) {}

  /// A finding at an instruction, not yet in the log.
  Finding make(Kind kind, const Instruction& instruction, const std::string& sentence) const;
  void add(Finding finding) { findings_.push_back(std::move(finding)); }
  /// False if it was asked before for this kind and instruction: one finding stands for all.
  bool is_first(Kind kind, const Instruction& instruction) {
    return reported_.emplace(kind, &instruction).second;
  }
  [[noreturn]] void end(Finding finding);
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
