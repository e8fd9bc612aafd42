// Flags from a compilation database: option files, and several commands for one source.
#include "contracts/compile_commands.h"

#include <fmt/format.h>

#include "catch.h"
#include "workshop.h"

using namespace foldproof;

namespace {

using Flags = std::vector<std::string>;

/// The flags of k.cu in a database with these commands.
Flags flags_of_commands(const Workshop& workshop, const std::vector<std::string>& commands) {
  std::string database;
  for (const std::string& command : commands)
    database += fmt::format(R"({}{{"directory": "{}", "file": "k.cu", "command": "{} -c k.cu"}})",
                            database.empty() ? "" : ", ", workshop.path().string(), command);
  workshop.write("compile_commands.json", "[" + database + "]");
  return flags_from_database(workshop.path(), workshop.write("k.cu", ""));
}

/// The same for commands of nvcc, given by their flags.
Flags flags_of(const Workshop& workshop, std::vector<std::string> commands) {
  for (std::string& command : commands) command.insert(0, "nvcc ");
  return flags_of_commands(workshop, commands);
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
  for (const char* flag : {"-keep-dir", "-ldir", "-run-args", "-frandom-seed", "-dp"})
    CHECK(flags_of(workshop, {std::string(flag) + " -DA"}).empty());
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

TEST_CASE("flags for the host compiler that may change its predefined macros are passed on") {
  const Workshop workshop;
  CHECK(flags_of(workshop, {"-Xcompiler=-fopenmp,-Wall,-march=native -Xcompiler -fno-exceptions"}) ==
        Flags{"-Xcompiler=-fopenmp", "-Xcompiler=-march=native", "-Xcompiler=-fno-exceptions"});
  CHECK(flags_of(workshop, {"-Xcompiler=-mavx2,-mno-avx512f,-std=c++17,-pthread,-O3,-fsanitize=address"}) ==
        Flags{"-Xcompiler=-mavx2", "-Xcompiler=-mno-avx512f", "-Xcompiler=-std=c++17", "-Xcompiler=-pthread",
              "-Xcompiler=-O3", "-Xcompiler=-fsanitize=address"});
  CHECK_THROWS_WITH(flags_of(workshop, {"-Xcompiler '-march=$x'"}), foldproof::tests::contains_text("shell"));
}

TEST_CASE("flags for the host compiler that do not change the code are ignored") {
  const Workshop workshop;
  CHECK(flags_of(workshop, {"-Xcompiler=-Wall,-g3,-pipe,-MD,-fprofile-use=x,-fdiagnostics-color=always"})
            .empty());
  CHECK(flags_of(workshop, {"-Xcompiler -MF -Xcompiler -DA -Xlinker -rpath -lcudart -Lx"}).empty());
}

TEST_CASE("nvcc forwards flags that it does not have to the host compiler, if the command says so") {
  const Workshop workshop;
  const std::string forward = "-forward-unknown-to-host-compiler";
  CHECK(flags_of(workshop, {forward + " -fopenmp -O2 -maxrregcount=32 -Xptxas=-v -res-usage -Wall"}) ==
        Flags{"-O2", "-maxrregcount=32", forward, "-fopenmp"});
  CHECK(flags_of(workshop, {"-forward-unknown-opts -fsanitize=undefined,address"}) ==
        Flags{forward, "-fsanitize=undefined", "-fsanitize=address"});
  CHECK(flags_of(workshop, {"-fopenmp -O2"}) == Flags{"-O2"});
  CHECK(flags_of_commands(workshop, {"bin/nvcc_wrapper -fopenmp"}) == Flags{forward, "-fopenmp"});
}

TEST_CASE("a flag of the host compiler that may change the code, but cannot be used, is refused") {
  const Workshop workshop;
  for (const char* flag : {"-imacros,bad.h", "-imacrosbad.h", "--sysroot=/x", "-nostdinc", "--include=h.h",
                           "-includeh.h", "-isysteminc", "--include-directory=inc", "@file", "-fplugin=x.so",
                           "-fexec-charset=x", "-specs=x", "-Bx", "--unknown"})
    CHECK_THROWS_WITH(flags_of(workshop, {std::string("-DA -Xcompiler ") + flag}),
                      foldproof::tests::contains_text("may change what is compiled"));
  for (const char* flag : {"-imacrosbad.h", "--include=h.h", "-Wp,-DX", "-fplugin=x.so"})
    CHECK_THROWS_WITH(flags_of(workshop, {std::string("-forward-unknown-to-host-compiler ") + flag}),
                      foldproof::tests::contains_text("may change what is compiled"));
}

TEST_CASE("the flags that make nvcc define the same macros count as -rdc=true") {
  const Workshop workshop;
  for (const char* flag : {"-dc", "--device-c", "-dlto", "-rdc=true"})
    CHECK(flags_of(workshop, {flag}) == Flags{"-rdc=true"});
  CHECK(flags_of(workshop, {"-ewp -noeh"}) == Flags{"-ewp", "-noeh"});
}

TEST_CASE("of a compiler other than nvcc, a macro or file in a form of its own is refused") {
  const Workshop workshop;
  CHECK(flags_of_commands(workshop, {"ccache clang++ -x cuda --cuda-gpu-arch=sm_80 -DA -fopenmp -fcolor"}) ==
        Flags{"-DA", "-Xcompiler=-fopenmp"});
  for (const char* flag : {"-imacros x.h", "-includex.h", "--include=x.h", "-Wp,-DX", "@file", "-Xclang -DX"})
    CHECK_THROWS_WITH(flags_of_commands(workshop, {std::string("clang++ ") + flag}),
                      foldproof::tests::contains_text("may change what is compiled"));
}

TEST_CASE("a command that begins with a shell or a variable is refused, and a launcher is not") {
  const Workshop workshop;
  for (const char* command :
       {"env NVCC_APPEND_FLAGS=-DX nvcc -DA", "cmake -E env NVCC_APPEND_FLAGS=-DX nvcc -DA",
        "stdbuf -o0 nvcc -DA", "ccache -F 0 nvcc -DA", "ninja k.o", "NVCC_APPEND_FLAGS=-DX nvcc -DA",
        "sh -c 'nvcc -DX'", "/usr/bin/python3 nvcc.py -DX", "ccache env nvcc -DX"})
    CHECK_THROWS_WITH(flags_of_commands(workshop, {command}),
                      foldproof::tests::contains_text("it is unknown what the compiler gets"));
  CHECK(flags_of_commands(workshop, {"ccache /usr/local/cuda/bin/nvcc -DA"}) == Flags{"-DA"});
}

TEST_CASE("words that only a shell understands are refused") {
  const Workshop workshop;
  for (const char* flags : {"$FLAGS", "-DX=`x`", "-DA && nvcc -UA", "-DA # -UA", "-DA ; true", "-DA | tee x"})
    CHECK_THROWS_WITH(flags_of(workshop, {flags}),
                      foldproof::tests::contains_text("which a shell would interpret"));
}

TEST_CASE("flags for the front ends of nvcc are refused unless they concern only its messages") {
  const Workshop workshop;
  CHECK(flags_of(workshop, {"-Xcudafe --diag_suppress=177 --cudafe-options=--display_error_number -DA"}) ==
        Flags{"-DA"});
  for (const char* flag :
       {"-Xcudafe --unsigned_chars", "-Xcudafe=-DX", "-Xcicc -O0", "-Xcudafe=--preinclude=x.h"})
    CHECK_THROWS_WITH(flags_of(workshop, {flag}),
                      foldproof::tests::contains_text("may change what is compiled"));
}

TEST_CASE("folders that only the host compiler has are passed to it") {
  const Workshop workshop;
  const std::string folder = (workshop.path() / "inc").string();
  CHECK(flags_of(workshop, {"-Xcompiler -iquote -Xcompiler inc -Xcompiler -idirafterinc"}) ==
        Flags{"-Xcompiler=-iquote", "-Xcompiler=" + folder, "-Xcompiler=-idirafter", "-Xcompiler=" + folder});
}

TEST_CASE("the flags of common build systems are accepted") {
  const Workshop workshop;
  CHECK(flags_of(workshop, {"-Xcompiler=-no-canonical-prefixes,--coverage,-finput-charset=UTF-8,--param=x=1"})
            .empty());
  CHECK(flags_of(workshop, {"-Xcompiler=-fno-sanitize-recover=all,-falign-functions=32"}) ==
        Flags{"-Xcompiler=-fno-sanitize-recover=all", "-Xcompiler=-falign-functions=32"});
}

TEST_CASE("an entry without a command is refused") {
  const Workshop workshop;
  workshop.write("compile_commands.json",
                 R"([{"directory": "/b", "file": "/b/k.cu", "arguments": "nvcc -DX"}])");
  CHECK_THROWS_WITH(flags_from_database(workshop.path(), "/b/k.cu"),
                    foldproof::tests::contains_text("has no command"));
}

TEST_CASE("no flag for the host compiler reaches a shell, or divides at a comma") {
  const Workshop workshop;
  for (const char* folder : {"x>y", "x#y", "(x)", "x;y", "x{y}", "x!y"})
    CHECK_THROWS_WITH(flags_of(workshop, {"-Xcompiler -iquote -Xcompiler '" + std::string(folder) + "'"}),
                      foldproof::tests::contains_text(" contains "));
  CHECK_THROWS_WITH(flags_of_commands(workshop, {"clang++ -march=native,-wrapper,touch"}),
                    foldproof::tests::contains_text("contains the character ,"));
  CHECK_THROWS_WITH(flags_of(workshop, {"-forward-unknown-to-host-compiler -march=native,-wrapper,touch"}),
                    foldproof::tests::contains_text("contains the character ,"));
}

TEST_CASE("quoted and escaped commas and blanks in a list for the host compiler are refused") {
  const Workshop workshop;
  for (const char* list : {R"('\"-Wp,-DX\"')", R"('-Wp\\,-DX')", R"('-Wall\\ -DX')"})
    CHECK_THROWS_WITH(flags_of(workshop, {"-Xcompiler " + std::string(list)}),
                      foldproof::tests::contains_text("may change what is compiled"));
}

TEST_CASE("patterns that a shell would expand are refused, except in macros") {
  const Workshop workshop;
  for (const char* flags : {"-I inc*", "-isystem inc?", "-I inc[a-z]", "-I ~/inc"})
    CHECK_THROWS_WITH(flags_of(workshop, {flags}),
                      foldproof::tests::contains_text("which a shell would expand"));
  CHECK(flags_of(workshop, {"-DF=a[1]*2 -D G=b[2]"}) == Flags{"-DF=a[1]*2", "-DG=b[2]"});
}

TEST_CASE("warnings that change predefined macros are passed on") {
  const Workshop workshop;
  CHECK(flags_of(workshop, {"-Xcompiler=-Wno-deprecated,-pedantic,-Wall"}) ==
        Flags{"-Xcompiler=-Wno-deprecated", "-Xcompiler=-pedantic"});
}
