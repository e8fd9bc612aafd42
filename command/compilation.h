// The compilation of the subjects of a run, all at once or each just before it is audited. Contracts for one
// source that agree in flags and architecture are compiled together.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/task_pool.h"
#include "command/subjects.h"

namespace foldproof {

/// The subjects that are neither skipped nor compiled yet, as tasks of a TaskPool. A task compiles one or
/// several in a process of its own.
class Compilation {
 public:
  /// Reads the .ptx files, which do not need nvcc and are not tasks. The subjects must outlive it.
  Compilation(std::vector<Subject>& subjects, const CompileOptions& options);

  /// Compiled together.
  using Group = std::vector<Subject*>;
  std::size_t tasks() const { return groups_.size(); }
  const Group& group_of(std::size_t task) const { return groups_[task]; }

  /// Called in the task's process.
  std::string work(std::size_t task) const;
  /// Takes the task's result: sets the subjects' images, or why there is none.
  void finished(std::size_t task, Outcome outcome);

  /// The kernels of a compiled subject's source that no contract of the run launches, in one sentence; empty
  /// if there are none. Complete when nothing is left to do.
  std::string other_kernels(const Subject& subject) const;
  /// Whether nothing is left to do for the subject.
  bool is_done(const Subject& subject) const { return !waiting_.contains(&subject); }
  /// Of the sources that nvcc rejects.
  std::vector<InputError> errors() const;
  /// What is missing, such as nvcc.
  const std::optional<Unsupported>& lack() const { return lack_; }
  /// Complains about every error and about what is missing, and throws the last of these; errors come last.
  void check(const Console& console) const;

 private:
  void read_ptx(Subject& subject);
  void add_to_group(Subject& subject, std::map<std::string, std::size_t>& groups);
  /// The group, and the skipped subjects that could be part of it: their entries are looked up, too.
  Group with_skipped(const Group& group) const;
  std::vector<const Contract*> others_of(const Group& unit) const;
  bool is_launched_elsewhere(const std::string& name, const Group& unit) const;
  void write_unit(const Group& unit, ByteWriter& writer) const;
  void take_unit(const Group& unit, ByteReader& reader);
  void take(const Group& group, const std::string& compiled);
  void fail(Subject& subject, const InputError& error);
  bool is_late() const;

  CompileOptions options_;
  std::map<std::string, Group> covering_;  ///< the subjects that cover a source, by its path
  std::vector<Group> groups_;
  std::set<const Subject*> waiting_;
  std::map<const Subject*, InputError> errors_;  ///< in the order of the subjects, which are in one array
  std::optional<Unsupported> lack_;
};

/// Runs all tasks, several at a time. Returns false if the user interrupted the run.
bool run(Compilation& compilation, Deadline deadline, unsigned jobs, ProgressLine& line);

/// Compiles every subject that is not skipped. Throws like Compilation::check; throws Interrupted if the user
/// interrupts the run.
void compile_subjects(std::vector<Subject>& subjects, const CompileOptions& options, unsigned jobs,
                      const Console& console, ProgressLine& line);

}  // namespace foldproof
