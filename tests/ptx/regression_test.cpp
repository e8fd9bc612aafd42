// Replays the fuzzer's corpus: its seeds and every text that exposed an error.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ptx/documents.h"

namespace fs = std::filesystem;

TEST_CASE("Every text of the fuzzer's corpus is parsed or refused with a position", "[ptx][regression]") {
  const fs::path folder = fs::path(FOLDPROOF_SOURCE_DIR) / "tests/fuzz/ptx_parser_corpus";
  std::size_t replayed = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    INFO(entry.path().string());
    std::ifstream file(entry.path(), std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    try {
      foldproof::ptx::parse(text.str(), entry.path().string());
    } catch (const foldproof::InputError& error) {
      CHECK(!error.sentence().empty());
      CHECK(error.position().line > 0);
    }
    ++replayed;
  }
  CHECK(replayed > 0);
}
