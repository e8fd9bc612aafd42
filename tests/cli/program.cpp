#include "cli/program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace foldproof::test {

namespace {

std::string read_file(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

void redirect(int descriptor, const std::string& file) {
  const int to = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(to, descriptor);
}

[[noreturn]] void become_program(const std::vector<std::string>& arguments, const How& how,
                                 const Folder& folder) {
  redirect(STDOUT_FILENO, how.out.empty() ? folder.path("out") : how.out);
  redirect(STDERR_FILENO, folder.path("err"));
  if (!how.folder.empty() && chdir(how.folder.c_str()) != 0) _exit(99);
  setenv("NO_COLOR", "1", 1);
  for (const std::string& variable : how.environment) {
    const std::size_t equals = variable.find('=');
    setenv(variable.substr(0, equals).c_str(), variable.c_str() + equals + 1, 1);
  }
  std::vector<char*> words{const_cast<char*>(how.program.c_str())};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  execv(how.program.c_str(), words.data());
  _exit(99);
}

}  // namespace

Ran run(const std::vector<std::string>& arguments, const How& how) {
  const Folder folder;
  const pid_t id = fork();
  if (id == 0) become_program(arguments, how, folder);
  if (how.interrupt_after.count() > 0) {
    std::this_thread::sleep_for(how.interrupt_after);
    kill(id, SIGINT);
  }
  int status = 0;
  waitpid(id, &status, 0);
  return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), read_file(folder.path("out")),
          read_file(folder.path("err"))};
}

RanJson run_json(std::vector<std::string> arguments, const How& how) {
  arguments.insert(arguments.end(), {"--format", "json"});
  const Ran ran = run(arguments, how);
  if (ran.out.empty() || ran.out.back() != '\n' || ran.out.find('\n') != ran.out.size() - 1)
    throw std::runtime_error("standard output is not one line: " + ran.out + "\nstandard error: " + ran.err);
  return {ran.status, nlohmann::json::parse(ran.out), ran.err};
}

Ran run_laboratory(const std::vector<std::string>& arguments, How how) {
  how.program = FOLDPROOF_LABORATORY;
  return run(arguments, how);
}

RanJson run_laboratory_json(std::vector<std::string> arguments, How how) {
  how.program = FOLDPROOF_LABORATORY;
  return run_json(std::move(arguments), how);
}

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "foldproof-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder can be made");
  path_ = name;
}

Folder::Folder(const std::string& name) : path_(std::filesystem::path(FOLDPROOF_TEST_WORK) / name) {
  std::filesystem::remove_all(path_);
  std::filesystem::create_directories(path_);
}

Folder::~Folder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

std::string Folder::file(const std::string& name, const std::string& content) const {
  std::ofstream(path_ / name, std::ios::binary) << content;
  return path(name);
}

}  // namespace foldproof::test
