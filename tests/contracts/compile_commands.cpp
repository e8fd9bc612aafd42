// Flags from a compilation database: option files, and several commands for one source.
#include "contracts/compile_commands.h"

#include <fmt/format.h>

#include "catch.h"
#include "workshop.h"

using namespace foldproof;

namespace {

using Flags = std::vector<std::string>;

/// The flags of k.cu in a database with these commands.
Flags flags_of(const Workshop& workshop, const std::vector<std::string>& commands) {
  std::string database;
  for (const std::string& command : commands)
    database += fmt::format(R"({}{{"directory": "{}", "file": "k.cu", "command": "nvcc {} -c k.cu"}})",
                            database.empty() ? "" : ", ", workshop.path().string(), command);
  workshop.write("compile_commands.json", "[" + database + "]");
  return flags_from_database(workshop.path(), workshop.write("k.cu", ""));
}

}  // namespace

TEST_CASE("option files are read as nvcc reads them") {
  const Workshop workshop;
  workshop.write("a.txt", "-DA -DB");
  workshop.write("c.txt", "-DC");
  workshop.write("nested.txt", "-DN\n--options-file=c.txt");
  for (const std::string option :
       {"--options-file=a.txt", "-optf=a.txt", "--options-file a.txt", "-optf a.txt"})
    CHECK(flags_of(workshop, {"-DX " + option + " -DY"}) == Flags{"-DX", "-DA", "-DB", "-DY"});
  CHECK(flags_of(workshop, {"-optf=a.txt,c.txt"}) == Flags{"-DA", "-DB", "-DC"});
  CHECK(flags_of(workshop, {"-optf c.txt,a.txt"}) == Flags{"-DC", "-DA", "-DB"});
  CHECK(flags_of(workshop, {"-optf=nested.txt -DX"}) == Flags{"-DN", "-DC", "-DX"});
  CHECK(error_of([&] { flags_of(workshop, {"-optf=none.txt"}); }) == "none.txt: the file does not exist");
}

TEST_CASE("an option file that names itself is refused") {
  const Workshop workshop;
  workshop.write("a.txt", "-DA -optf a.txt");
  CHECK(error_of([&] {
          flags_of(workshop, {"-optf a.txt"});
        }).find("have more than 1048576 bytes together") != std::string::npos);
}

TEST_CASE("several commands for a source must have the same flags") {
  const Workshop workshop;
  CHECK(flags_of(workshop, {"-DA -arch=sm_80", "-DA -arch=sm_90"}) == Flags{"-DA"});
  CHECK(error_of([&] {
          flags_of(workshop, {"-DA", "-DA", "-DB"});
        }) == "compile_commands.json: the database has several commands for " +
                  (workshop.path() / "k.cu").string() +
                  " with different flags; omit --compile-commands and give the flags with -I, -D and -std");
}

TEST_CASE("a word that is the value of another flag is not a flag") {
  const Workshop workshop;
  CHECK(flags_of(workshop, {"-DA -MF -DB -o -DC -gencode arch=compute_90,code=sm_90"}) == Flags{"-DA"});
  CHECK(flags_of(workshop, {"-Xcudafe -DA -keep-dir -DB"}).empty());
  CHECK(flags_of(workshop, {"-U -DA"}) == Flags{"-U-DA"});
}

TEST_CASE("definitions for the host compiler count, since it also preprocesses device code") {
  const Workshop workshop;
  CHECK(flags_of(workshop, {"-Xcompiler=-DA,-Wall,-DB=1 -Xcompiler -UC -Xcompiler -g"}) ==
        Flags{"-DA", "-DB=1", "-UC"});
  CHECK(flags_of(workshop, {"-Xcompiler -D,A -Xcompiler -D -DX -Xcompiler B -Xcompiler -MF,-DC"}) ==
        Flags{"-DA", "-DB", "-DX"});
  CHECK(flags_of(workshop, {R"(-Xcompiler \"-g -DA -DB\" -Xcompiler=-g,-DC,-Wl;)"}) ==
        Flags{"-DA", "-DB", "-DC"});
  CHECK(flags_of(workshop, {"-DA -Xcompiler"}) == Flags{"-DA"});
}

TEST_CASE("definitions for the host compiler come first, so that those for nvcc override them") {
  const Workshop workshop;
  CHECK(flags_of(workshop, {"-DA -Xcompiler -UA"}) == Flags{"-UA", "-DA"});
}

TEST_CASE("flags for the host compiler that change its predefined macros are passed on, and no others") {
  const Workshop workshop;
  CHECK(flags_of(workshop, {"-Xcompiler=-fopenmp,-Wall,-march=native -Xcompiler -fno-exceptions"}) ==
        Flags{"-Xcompiler=-fopenmp", "-Xcompiler=-march=native", "-Xcompiler=-fno-exceptions"});
  CHECK(flags_of(workshop, {"-Xcompiler=-fplugin=x.so,-fsanitize-blacklist=x,-mrecord"}).empty());
  CHECK_THROWS_WITH(flags_of(workshop, {"-Xcompiler '-march=$x'"}), foldproof::tests::contains_text("shell"));
}

TEST_CASE("nvcc forwards flags that it does not have to the host compiler, if it is told to") {
  const Workshop workshop;
  const std::string forward = "-forward-unknown-to-host-compiler";
  CHECK(flags_of(workshop, {forward + " -fopenmp -O2 -maxrregcount=32 -fplugin=x.so"}) ==
        Flags{"-O2", "-maxrregcount=32", forward, "-fopenmp"});
  CHECK(flags_of(workshop, {forward + " -fsanitize=undefined,address"}) ==
        Flags{forward, "-fsanitize=undefined,address"});
  CHECK(flags_of(workshop, {"-fopenmp -O2"}) == Flags{"-O2"});
  CHECK_THROWS_WITH(flags_of(workshop, {forward + " -imacrosbad.h"}),
                    foldproof::tests::contains_text("for the host compiler changes what is compiled"));
}

TEST_CASE("a flag for the host compiler that changes what is compiled is refused, if it cannot be used") {
  const Workshop workshop;
  for (const char* flag : {"-imacros,bad.h", "-imacrosbad.h", "-iquote,folder", "--sysroot=/x", "-nostdinc"})
    CHECK_THROWS_WITH(flags_of(workshop, {std::string("-DA -Xcompiler ") + flag}),
                      foldproof::tests::contains_text("for the host compiler changes what is compiled"));
}
