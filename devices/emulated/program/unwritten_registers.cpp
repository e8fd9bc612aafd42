#include "devices/emulated/program/unwritten_registers.h"

#include <boost/dynamic_bitset.hpp>

#include <map>
#include <optional>

#include "devices/emulated/program/control_flow.h"

namespace foldproof::emulated {
namespace {

using Registers = boost::dynamic_bitset<std::uint64_t>;
using Register = RegisterUse::Register;

// Propagates the sets of possibly unwritten registers along the control flow until they no longer grow. A set
// is stored only where paths merge; straight-line code in between is walked.
class Flow {
 public:
  Flow(const std::vector<Instruction>& code,
       const std::vector<const std::vector<std::uint32_t>*>& indexed_targets,
       const std::vector<RegisterUse>& uses)
      : uses_(uses), successors_(code.size()), before_(code.size()), meets_(code.size(), false) {
    for (const RegisterUse& use : uses)
      for (const Register& read : use.reads)
        if (number_.try_emplace(read.row, number_.size()).second)
          first_read_.push_back({read.row, read.bytes, 0});
    found_.resize(number_.size());
    for_each_flow(code, indexed_targets, [&](std::size_t from, std::size_t to) {
      if (to >= code.size()) return;
      successors_[from].push_back(to);
      if (to != from + 1) meets_[to] = true;
    });
  }

  std::vector<FunctionCode::Unwritten> run() {
    if (number_.empty()) return {};
    Registers all(number_.size());
    enter(0, all.set());
    while (!waiting_.empty()) {
      const std::size_t at = waiting_.back();
      waiting_.pop_back();
      walk(at);
    }
    std::vector<FunctionCode::Unwritten> result;
    for (std::size_t k = 0; k < found_.size(); ++k)
      if (found_[k]) result.push_back(first_read_[k]);
    return result;
  }

 private:
  void enter(std::size_t at, const Registers& unwritten) {
    std::optional<Registers>& known = before_[at];
    if (known && unwritten.is_subset_of(*known)) return;
    known = known ? *known | unwritten : unwritten;
    waiting_.push_back(at);
  }

  void walk(std::size_t at) {
    for (Registers unwritten = *before_[at];;) {
      pass(at, unwritten);
      bool goes_on = false;
      for (const std::size_t next : successors_[at])
        if (next == at + 1 && !meets_[next])
          goes_on = true;
        else
          enter(next, unwritten);
      if (!goes_on) return;
      ++at;
    }
  }

  void pass(std::size_t at, Registers& unwritten) {
    if (at >= uses_.size()) return;
    const auto reader = static_cast<std::uint32_t>(at);
    for (const Register& read : uses_[at].reads) {
      const std::size_t k = number_.at(read.row);
      if (!unwritten[k] || (found_[k] && first_read_[k].reader <= reader)) continue;
      found_[k] = true;
      first_read_[k].reader = reader;
    }
    if (uses_[at].guarded) return;
    for (const Register& written : uses_[at].writes)
      if (const auto known = number_.find(written.row); known != number_.end())
        unwritten.reset(known->second);
  }

  const std::vector<RegisterUse>& uses_;
  std::vector<std::vector<std::size_t>> successors_;
  std::vector<std::optional<Registers>> before_;  ///< where paths merge, and at the start
  std::vector<bool> meets_;
  std::map<std::uint32_t, std::size_t> number_;      ///< of registers that are read, by row
  std::vector<FunctionCode::Unwritten> first_read_;  ///< by number
  Registers found_;
  std::vector<std::size_t> waiting_;
};

}  // namespace

std::vector<FunctionCode::Unwritten> unwritten_registers(
    const std::vector<Instruction>& code,
    const std::vector<const std::vector<std::uint32_t>*>& indexed_targets,
    const std::vector<RegisterUse>& uses) {
  return Flow(code, indexed_targets, uses).run();
}

}  // namespace foldproof::emulated
