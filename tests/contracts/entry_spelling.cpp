#include "contracts/entry_spelling.h"

#include "catch.h"

using namespace foldproof;

TEST_CASE("the spelling of an entry is a name or a template-id") {
  for (const char* name :
       {"sum", "ns::sum", "::sum", "_Z3sumPf", "k$1", "sum<float>", "ns::sum< T<int>, (3 > 2) >",
        "a<1>::b<sizeof(float), int(*)[4]>", "(anonymous namespace)::sum", "sum<ops<1>{}, -1>"}) {
    INFO(name);
    CHECK_FALSE(why_no_entry(name).has_value());
  }
  for (const char* other : {"", "k(", "k()", "sum<float", "sum<(float>", "sum>", "1sum", "a b", "a:b",
                            "a::", "sum;", "sum<a;b>", "sum<float>x", "&sum", "sum<a\n>"}) {
    INFO(other);
    CHECK(why_no_entry(other).value_or("").find("is no kernel's name; write it as C++ does") !=
          std::string::npos);
  }
}
