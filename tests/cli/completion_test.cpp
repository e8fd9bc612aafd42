// The scripts of `foldproof completion`, and the manual page.
#include "base/files.h"
#include "catch.h"
#include "cli/program.h"

using namespace foldproof::test;

namespace {

/// What bash offers for the last of these words.
std::string offered(const std::string& words, std::size_t last) {
  const Folder folder;
  const std::string script = folder.file("completion.bash", run({"completion", "bash"}).out);
  const std::string program = "source " + script + "; COMP_WORDS=(" + words +
                              "); COMP_CWORD=" + std::to_string(last) +
                              "; _foldproof; echo \"${COMPREPLY[*]}\"";
  How bash;
  bash.program = "/bin/bash";
  return run({"-c", program}, bash).out;
}

}  // namespace

TEST_CASE("bash completes verbs, options and values") {
  CHECK(offered("foldproof aud", 1) == "audit\n");
  CHECK(offered("foldproof audit --see", 2) == "--seed\n");
  CHECK(offered("foldproof audit --format ''", 3) == "text json\n");
  CHECK(offered("foldproof list --devi", 2) == "--devices\n");
}

TEST_CASE("bash completes the name of a file where an argument is one") {
  CHECK(offered("foldproof audit my_", 2) == "\n");
}

TEST_CASE("docs/options.md lists the options that the program accepts") {
  CHECK(foldproof::read_text_file(source_file("docs/options.md"), std::size_t{1} << 20) ==
        run({"manual", "--markdown"}).out);
}

TEST_CASE("the manual page lists each verb, its options and the exit statuses") {
  const std::string page = run({"manual"}).out;
  CHECK(page.starts_with(".TH FOLDPROOF 1 "));
  CHECK(page.find(".SS replay [CASE.toml]\nRerun a stored failing case.\n") != std::string::npos);
  CHECK(page.find("\\fB\\-\\-seed\\fR") != std::string::npos);
  CHECK(page.find(".B 130\ninterrupted") != std::string::npos);
}

TEST_CASE("the scripts for other shells know each verb and its options") {
  const std::string zsh = run({"completion", "zsh"}).out, fish = run({"completion", "fish"}).out;
  CHECK(zsh.starts_with("#compdef foldproof\n"));
  CHECK(zsh.find("'--seed[Seed\\: a number or \"random\"]:value:_files'") != std::string::npos);
  CHECK(
      zsh.find("'--fail-on[Lowest severity that fails the run (default\\: error)]:value:(error warning)'") !=
      std::string::npos);
  CHECK(fish.find("-n __fish_use_subcommand -f -a replay -d 'Rerun a stored failing case'") !=
        std::string::npos);
  CHECK(fish.find("from audit' -l jobs -s j -r -d") != std::string::npos);
  CHECK(zsh.find("gpu-worker") == std::string::npos);
}

TEST_CASE("a script can be had as JSON, and an unknown shell is refused") {
  const RanJson ran = run_json({"completion", "bash"});
  CHECK(ran.json.at("script") == run({"completion", "bash"}).out);
  CHECK(run({"completion", "csh"}).status == 2);
}
