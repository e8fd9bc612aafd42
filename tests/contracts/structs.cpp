// The members of structs, read from the text of a source.
#include "contracts/guessing/structs.h"

#include <string>

#include "catch.h"

using namespace foldproof;

namespace {

/// "int rows, int cols"; "unknown" if they are.
std::string members(const std::string& text, const std::string& name) {
  const SourceText source(text);
  const auto found = members_of_struct(source, name);
  if (!found) return "unknown";
  std::string all;
  for (const StructMember& member : *found)
    all += (all.empty() ? "" : ", ") + member.type + " " + member.name;
  return all;
}

}  // namespace

TEST_CASE("the members of a struct are its numbers, in order") {
  CHECK(members("struct Dim { int rows, cols; unsigned long long stride; };", "Dim") ==
        "int rows, int cols, unsigned long long stride");
  CHECK(members("struct Dim { const float scale = f(1, 2), shift{0}; };", "Dim") == "unknown");
  CHECK(members("struct Dim { const float scale = f(1, 2), shift = 0; };", "ns::Dim") ==
        "float scale, float shift");
  CHECK(members("struct Empty {};", "Empty").empty());
}

TEST_CASE("a struct may be known by its tag or by its typedef") {
  const std::string text = "typedef struct Dim_ { int rows; } Dim; typedef struct { float x; } Point;";
  CHECK(members(text, "Dim_") == "int rows");
  CHECK(members(text, "Dim") == "int rows");
  CHECK(members(text, "Point") == "float x");
}

TEST_CASE("the type of a member may be an alias of an alias") {
  CHECK(members("typedef int int32_cuda; using Index = int32_cuda; struct Dim { Index n; };", "Dim") ==
        "int n");
  CHECK(members("typedef A B; typedef B A; struct Dim { A n; };", "Dim") == "unknown");
}

TEST_CASE("functions and static members are not part of an object") {
  CHECK(
      members("struct Dim { int n; __device__ int area() const { int other; return n; } Dim(int a) : n(a) {} "
              "static const int limit = 3; using T = int; public: int m; };",
              "Dim") == "int n, int m");
}

TEST_CASE("a struct with a member that is not a number is unknown") {
  for (const char* member :
       {"float* x", "int x[3]", "int x : 4", "Other x", "struct { int y; } x", "union { int a; float b; } x",
        "virtual int f()", "int& x", "alignas(8) int x", "int (*f)(int)", "__align__(8) int x"}) {
    INFO(member);
    CHECK(members(std::string("struct Other { int* p; }; struct Dim { int n; ") + member + "; };", "Dim") ==
          "unknown");
  }
}

TEST_CASE("a struct that is only declared, has a base or has two definitions is unknown") {
  CHECK(members("struct Dim; void f(Dim d);", "Dim") == "unknown");
  CHECK(members("struct Base { int b; }; struct Dim : Base { int n; };", "Dim") == "unknown");
  CHECK(members("namespace a { struct Dim { int n; }; } namespace b { struct Dim { float n; }; }",
                "b::Dim") == "unknown");
}

TEST_CASE("a definition that ends in the middle is not an error") {
  for (const char* text :
       {"struct Dim", "struct Dim {", "struct Dim { int", "struct Dim { int n", "struct Dim { int n, ",
        "struct Dim { int n = ", "struct Dim { int f(", "} Dim;", "typedef struct { int n; } Dim"}) {
    INFO(text);
    CHECK_NOTHROW(members(text, "Dim"));
  }
}
