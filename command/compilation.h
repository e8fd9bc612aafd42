// The compilation of the subjects of a run, all at once or each just before it is audited.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/task_pool.h"
#include "command/subjects.h"

namespace foldproof {

/// The subjects that are neither skipped nor compiled yet, as tasks of a TaskPool, each in a process of its
/// own.
class Compilation {
 public:
  /// Reads the .ptx files, which do not need nvcc and are not tasks. The subjects must outlive it.
  Compilation(std::vector<Subject>& subjects, const CompileOptions& options);

  std::size_t tasks() const { return sources_.size(); }
  const Subject& subject_of(std::size_t task) const { return *sources_[task]; }

  /// Called in the task's process.
  std::string work(std::size_t task) const;
  /// Takes the task's result: sets the subject's image, or why there is none.
  void finished(std::size_t task, Outcome outcome);

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
  void take(Subject& subject, const std::string& compiled);
  void fail(Subject& subject, const InputError& error);
  /// Notes the kernels of the source that no contract of the run launches.
  void note_other_kernels(Subject& subject) const;
  /// The other contracts of its source.
  std::vector<const Contract*> others_of(const Subject& subject) const;
  bool is_late() const;

  CompileOptions options_;
  std::map<std::string, std::set<std::string>> launched_;  ///< entries as contracts spell them, by source
  std::vector<Subject*> sources_;
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
