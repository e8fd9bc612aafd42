// The program: its verbs, and the one place where errors become exit statuses.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/console.h"
#include "cli/processes.h"
#include "cli/verb.h"

namespace foldproof {

namespace {

struct Verb {
  const char* name;
  const char* synopsis;
  Attach attach;
  bool listed;
};

constexpr Verb verbs[] = {
    {"audit", "Audit kernels: generate cases, run them, judge values and behaviour", attach_audit, true},
    {"mutate", "Weaken clean kernels one statement at a time, and see what notices", attach_mutate, true},
    {"sanitize", "Run one launch of any kernel and report what goes wrong", attach_sanitize, true},
    {"init", "Write a starter contract beside a kernel", attach_init, true},
    {"replay", "Run a stored case again", attach_replay, true},
    {"compare", "Run the same cases on the emulated device and a GPU, and compare bits", attach_compare,
     true},
    {"list", "List the kernels of a folder", attach_list, true},
    {"exact", "Sum a file of raw values exactly, and bound what rounding can do", attach_exact, true},
    {"tree", "Show the tree in which a kernel combines its input", attach_tree, true},
    {"bench", "Measure how fast Foldproof itself is", attach_bench, true},
    {"claims", "Measure what is published about reductions, as a page of Markdown", attach_claims, true},
    {"detection", "Show what found which defect, as a page of Markdown", attach_detection, true},
    {"prepare", "Compile the kernels of a folder into the PTX cache", attach_prepare, false},
    {"gpu-worker", "Run the jobs of another foldproof on a GPU", attach_gpu_worker, false},
};

/// CLI11 reads -std=c++17 as a bundle of one-letter options; every compiler user means --std.
std::vector<std::string> arguments_of(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  for (std::string& argument : arguments)
    if (argument.starts_with("-std")) argument.insert(0, "-");
  return arguments;
}

void add_output_options(CLI::App& app, Console& console) {
  const std::map<std::string, Console::Format> formats{{"text", Console::Format::text},
                                                       {"json", Console::Format::json}};
  const std::map<std::string, Console::ColorChoice> colors{{"auto", Console::ColorChoice::automatic},
                                                           {"always", Console::ColorChoice::always},
                                                           {"never", Console::ColorChoice::never}};
  const auto transform = [](auto names) {
    auto checked = CLI::CheckedTransformer(names);
    checked.description("");
    return checked;
  };
  app.add_option("--format", console.format, "How the result is printed")
      ->transform(transform(formats))
      ->type_name("text|json")
      ->group("Output");
  app.add_option("--color", console.color, "auto, always or never")
      ->transform(transform(colors))
      ->group("Output");
}

/// The command line as a shell would take it again.
std::string quoted(const std::vector<std::string>& arguments) {
  std::string command = "foldproof";
  for (const std::string& argument : arguments) command += " " + shell_word(argument);
  return command;
}

/// Whether the user asked for JSON, as far as that can be told from arguments that could not be read.
bool wants_json(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i] == "--format=json" ||
        (arguments[i] == "--format" && i + 1 < arguments.size() && arguments[i + 1] == "json"))
      return true;
  return false;
}

/// A sentence from what CLI11 says, which speaks of a missing subcommand when it does not know one.
std::string sentence(std::string text, const std::vector<std::string>& arguments) {
  const auto called = [&](const Verb& verb) { return verb.name == arguments.front(); };
  if (!arguments.empty() && !arguments.front().starts_with('-') &&
      std::none_of(verbs, std::end(verbs), called))
    text = "\"" + arguments.front() + "\" is nothing that Foldproof does";
  while (!text.empty() && (text.back() == '\n' || text.back() == '.')) text.pop_back();
  return text + " (see foldproof --help)";
}

int guarded(const Run& run, const Console& console) {
  try {
    return run();
  } catch (const InputError& error) {
    console.fail(error.sentence(), error.position());
    return exit_usage;
  } catch (const Unsupported& error) {
    console.fail(error.sentence(), error.position());
    return exit_unable;
  } catch (const Interrupted&) {
    console.fail("the run was interrupted before anything was judged", {});
    return exit_interrupted;
  } catch (const std::exception& error) {
    console.fail(std::string("Foldproof itself failed: ") + error.what(), {});
    return exit_unable;
  }
}

int run(int argc, char** argv) {
  Console console;
  CLI::App app{"Foldproof tests GPU reductions: their values, their rounding and their races, without a GPU.",
               "foldproof"};
  app.set_version_flag("--version", "foldproof " FOLDPROOF_VERSION);
  app.require_subcommand(1);
  std::map<const CLI::App*, Run> runs;
  for (const Verb& verb : verbs) {
    CLI::App* sub = app.add_subcommand(verb.name, verb.synopsis);
    if (!verb.listed) sub->group("");
    runs[sub] = verb.attach(*sub, console);
    add_output_options(*sub, console);
  }
  std::vector<std::string> arguments = arguments_of(argc, argv);
  console.command = quoted(arguments);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& asked) {
    return guarded(
        [&] {
          std::ostringstream help;
          const int status = app.exit(asked, help, help);
          console.print(help.str());
          return status;
        },
        console);
  } catch (const CLI::ParseError& error) {
    if (wants_json(arguments)) console.format = Console::Format::json;
    console.fail(sentence(error.what(), arguments), {});
    return exit_usage;
  }
  return guarded(runs.at(app.get_subcommands().front()), console);
}

}  // namespace

}  // namespace foldproof

int main(int argc, char** argv) { return foldproof::run(argc, argv); }
