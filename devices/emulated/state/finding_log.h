// The executor's findings, in order.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "devices/emulated/program/program.h"
#include "devices/launch.h"
#include "sanitizer/finding.h"

namespace foldproof::emulated {

/// Thrown to end a launch: a trap, an exhausted budget, a deadlock. The finding is already in the log.
struct LaunchEnded {};

class FindingLog {
 public:
  /// `accepts` is called for findings without threads, and may be empty.
  FindingLog(const Program& program, const AcceptsFinding& accepts) : program_(program), accepts_(accepts) {}

  /// A finding at an instruction, not yet in the log.
  Finding make(Kind kind, const Instruction& instruction, const std::string& sentence) const {
    Finding finding;
    finding.kind = kind;
    finding.message = sentence;
    finding.at = program_.position(instruction);
    return finding;
  }
  /// Whether a finding of this kind at the instruction is accepted.
  bool accepts(Kind kind, const Instruction& instruction) {
    if (!accepts_) return false;
    const auto [known, is_new] = accepted_.try_emplace({kind, &instruction}, false);
    if (is_new) known->second = accepts_(make(kind, instruction, ""));
    return known->second;
  }
  void add(Finding finding) {
    has_spoilt_memory_ |= is_fatal(finding.kind);
    has_undefined_decision_ |= has_accepted_ && is_about_undefined_values(finding.kind);
    findings_.push_back(std::move(finding));
  }
  /// A finding after which the contents of memory are still a result.
  void add_accepted(Finding finding) {
    has_accepted_ = true;
    findings_.push_back(std::move(finding));
  }
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

  bool has_spoilt_memory() const { return has_spoilt_memory_; }
  /// Whether what was read out of bounds decides something, such as the end of a loop.
  bool may_not_end() const { return has_spoilt_memory_ || has_undefined_decision_; }
  std::vector<Finding> take() { return std::move(findings_); }

 private:
  const Program& program_;
  const AcceptsFinding& accepts_;
  bool has_spoilt_memory_ = false, has_accepted_ = false, has_undefined_decision_ = false;
  std::vector<Finding> findings_;
  std::set<std::pair<Kind, const Instruction*>> reported_;
  std::map<std::pair<Kind, const Instruction*>, bool> accepted_;  ///< known answers
};

}  // namespace foldproof::emulated
