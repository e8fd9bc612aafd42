// foldproof: the program for users.
#include "cli/verbs.h"
#include "command/gpu_workers.h"
#include "command/program.h"

namespace {

using namespace foldproof;

constexpr Verb verbs[] = {
    {"audit", "Test kernels against their contracts", attach_audit},
    {"mutate", "Weaken kernels to see what the checks detect", attach_mutate},
    {"sanitize", "Run one launch of any kernel under all checks", attach_sanitize},
    {"init", "Write a starter contract next to a kernel", attach_init},
    {"replay", "Rerun a stored failing case", attach_replay},
    {"bundle", "Pack a stored case and all that its replay reads", attach_bundle},
    {"list", "List the kernels of a folder, or the devices", attach_list},
    {"exact", "Sum a file exactly, and bound rounding errors", attach_exact},
    {"tree", "Show the tree in which a kernel combines its input", attach_tree},
    {"explain", "Explain a kind of finding or a verdict", attach_explain},
    {"completion", "Write a script that completes commands in a shell", attach_completion},
    {"manual", "Write the manual page", attach_manual, false},
    {"prepare", "Compile the kernels of a folder into the PTX cache", attach_prepare, false},
    {"gpu-worker", "Run the jobs of another foldproof on a GPU", attach_gpu_worker, false},
};

}  // namespace

int main(int argc, char** argv) {
  return run({"foldproof", "Foldproof tests GPU reductions without a GPU: values, rounding, races.", verbs},
             argc, argv);
}
