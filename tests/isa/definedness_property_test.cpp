// Tests propagate_undefined against its definition: a result bit that it calls defined does not depend on the
// undefined bits of the sources; and for instructions whose rule is exact, a result bit that it calls
// undefined does.
#include <algorithm>
#include <random>

#include "catch.h"
#include "devices/emulated/isa/every_form.h"
#include "shadowed.h"

namespace foldproof::tests {
namespace {

using Random = std::mt19937_64;

/// Values of every magnitude: small ones for shift amounts and selectors, floats with exponents near that of
/// 1.
Value some_value(Random& random) {
  switch (random() % 6) {
    case 0: return random();
    case 1: return random() >> random() % 64;
    case 2: return ~(random() >> random() % 64);
    case 3: return random() % 33;
    case 4:
      return (random() % 2 != 0 ? 0x3F803C00 : 0x3FF000003C003F80) ^ random() % 0x10000 << random() % 48;
    default: return random() % 2 != 0 ? 0 : 0x7F8000007C007F80;
  }
}

/// Anything from no undefined bit to all of them.
Value some_undefined(Random& random) {
  switch (random() % 8) {
    case 0: return random();
    case 1: return random() & random() & random();
    case 2: return Value{1} << random() % 64;
    case 3: return Value{0xFF} << random() % 8 * 8;
    case 4: return ~Value{0};
    case 5: return ~Value{0} << random() % 64;
    default: return 0;
  }
}

/// f(port, lane, half) for all columns of the rows; each column has at most 64 bits.
template <class F>
void for_each_column(const Shadowed& shadowed, const std::vector<std::size_t>& ports, F f) {
  for (const std::size_t port : ports)
    for (unsigned lane = 0; lane < isa::warp_size; ++lane)
      for (unsigned half = 0; half < (shadowed.bytes(port) == 16 ? 2u : 1u); ++half) f(port, lane, half);
}

/// Values for all sources; with probability 1/2, a row is completely defined.
void fill(Shadowed& shadowed, bool defined, Random& random) {
  for (const std::size_t port : shadowed.sources()) {
    const bool row_defined = defined || random() % 2 == 0;
    for_each_column(shadowed, {port}, [&](std::size_t, unsigned lane, unsigned half) {
      const bool is_mask = shadowed.bytes(port) == 0;
      shadowed.set(shadowed.values, port, lane, is_mask ? random() : some_value(random), half);
      const Value undefined = row_defined ? 0 : is_mask ? random() : some_undefined(random);
      shadowed.set(shadowed.undefined, port, lane, undefined, half);
    });
  }
}

/// Other values for the undefined bits: zeros, ones, the complement, or random ones.
Shadowed::Frame varied(const Shadowed& shadowed, unsigned variant, Random& random) {
  Shadowed::Frame frame = shadowed.values;
  for_each_column(shadowed, shadowed.sources(), [&](std::size_t port, unsigned lane, unsigned half) {
    const Value undefined = shadowed.get(shadowed.undefined, port, lane, half);
    const Value value = shadowed.get(shadowed.values, port, lane, half);
    const Value choice = variant == 0 ? 0 : variant == 1 ? ~Value{0} : variant == 2 ? ~value : random();
    shadowed.set(frame, port, lane, (value & ~undefined) | (choice & undefined), half);
  });
  return frame;
}

/// A random choice of optional operands to leave out.
std::vector<std::size_t> some_absent(const isa::Form& form, Random& random) {
  std::vector<std::size_t> absent;
  std::size_t port = 0;
  for (const isa::OperandRule& rule : isa::operand_rules(form)) {
    if (rule.optional && random() % 2 == 0) absent.push_back(port);
    port += rule.count;
  }
  return absent;
}

/// A cvt between registers of any widths that are allowed.
isa::Form refitted(const isa::Form& form, Random& random) {
  const auto rules = isa::operand_rules(form);
  if (std::ranges::none_of(rules, &isa::OperandRule::relaxed)) return form;
  for (;;)
    if (isa::Form result = form; isa::fit_registers(result, 1u << random() % 4, 1u << random() % 4))
      return result;
}

/// In active lanes, the destinations of both runs must agree in their defined bits.
void check_agreement(const Shadowed& shadowed, const Shadowed::Frame& one, const Shadowed::Frame& other,
                     isa::LaneMask lanes) {
  for_each_column(shadowed, shadowed.destinations(), [&](std::size_t port, unsigned lane, unsigned half) {
    if ((lanes >> lane & 1) == 0) return;
    const Value difference = shadowed.get(one, port, lane, half) ^ shadowed.get(other, port, lane, half);
    const Value wrong = difference & ~shadowed.get(shadowed.undefined, port, lane, half);
    if (wrong != 0) FAIL("operand " << port << ", lane " << lane << ": bits 0x" << std::hex << wrong);
  });
}

/// Lanes whose sources are defined. A matrix depends on the sources of all lanes.
isa::LaneMask lanes_defined(const Shadowed& shadowed) {
  isa::LaneMask undefined = 0;
  for_each_column(shadowed, shadowed.sources(), [&](std::size_t port, unsigned lane, unsigned half) {
    undefined |= isa::LaneMask{shadowed.get(shadowed.undefined, port, lane, half) != 0} << lane;
  });
  const bool together = shadowed.form().action == isa::Action::matrix_multiply;
  return together && undefined != 0 ? 0 : ~undefined;
}

/// Inactive lanes keep their undefined bits; lanes in `defined` have none.
void check_lanes(const Shadowed& shadowed, const Shadowed::Frame& before, isa::LaneMask lanes,
                 isa::LaneMask defined) {
  for_each_column(shadowed, shadowed.destinations(), [&](std::size_t port, unsigned lane, unsigned half) {
    const bool active = (lanes >> lane & 1) != 0, is_defined = (defined >> lane & 1) != 0;
    const Value now = shadowed.get(shadowed.undefined, port, lane, half);
    if (!active && now != shadowed.get(before, port, lane, half)) FAIL("inactive lane " << lane);
    if (active && is_defined && now != 0) FAIL("defined sources, lane " << lane << ": 0x" << std::hex << now);
  });
}

/// One warp with random operands; sometimes the destination is also a source.
void check_soundness(const isa::Form& form, Random& random) {
  Shadowed shadowed(refitted(form, random), some_absent(form, random));
  const bool whole_warp = form.action == isa::Action::matrix_multiply || random() % 2 == 0;
  const auto lanes = whole_warp ? all_lanes : static_cast<isa::LaneMask>(random());
  for (const std::size_t port : shadowed.sources())
    if (port != Shadowed::carry && shadowed.bytes(port) == shadowed.bytes(0) && random() % 4 == 0)
      shadowed.alias(port);
  for_each_column(shadowed, shadowed.destinations(), [&](std::size_t port, unsigned lane, unsigned half) {
    shadowed.set(shadowed.values, port, lane, random(), half);
    shadowed.set(shadowed.undefined, port, lane, random(), half);
  });
  fill(shadowed, random() % 8 == 0, random);

  std::vector<Shadowed::Frame> runs{shadowed.computed(shadowed.values, lanes)};
  for (unsigned variant = 0; variant < 5; ++variant)
    runs.push_back(shadowed.computed(varied(shadowed, variant, random), lanes));
  const Shadowed::Frame before = shadowed.undefined;
  const isa::LaneMask defined = lanes_defined(shadowed);
  shadowed.propagate(lanes);
  check_lanes(shadowed, before, lanes, defined);
  for (const Shadowed::Frame& run : runs) check_agreement(shadowed, runs.front(), run, lanes);
}

TEST_CASE("no undefined bit affects a result bit that is called defined, in any computing row of ptx.def",
          "[definedness]") {
  Random random(20240607);
  for (const isa::Row& row : isa::rows()) {
    if (row.action != isa::Action::compute && row.action != isa::Action::matrix_multiply) {
      CHECK(row.shadow == nullptr);
      continue;
    }
    const auto forms = every_form_of(row);
    CAPTURE(row.id);
    REQUIRE(!forms.empty());
    constexpr std::size_t draws = 200;  // of 32 lanes each
    for (const isa::NamedForm& named : forms) {
      CAPTURE(named.text);
      for (std::size_t draw = 0; draw <= draws / forms.size(); ++draw) check_soundness(named.form, random);
    }
  }
}

/// A bit of one lane's sources to be made undefined.
struct BitPlace {
  std::size_t port;
  unsigned bit;
};

/// Up to eight bits, scattered or close together, in the sources that may be undefined.
std::vector<BitPlace> some_places(const Shadowed& shadowed, const std::vector<std::size_t>& ports,
                                  Random& random) {
  std::vector<BitPlace> places;
  const unsigned count = static_cast<unsigned>(random() % 9);
  const unsigned window = random() % 2 != 0 ? 128 : 8, start = static_cast<unsigned>(random() % 128);
  for (unsigned i = 0; i < count; ++i) {
    const std::size_t port = ports[random() % ports.size()];
    const unsigned bits = std::max(1u, 8 * shadowed.bytes(port));
    places.push_back({port, (start + static_cast<unsigned>(random() % window)) % bits});
  }
  return places;
}

/// The sources `selectors` (counted from 0 after the destinations) stay defined.
void check_precision(const isa::Form& form, const std::vector<std::size_t>& selectors, Random& random) {
  Shadowed shadowed(refitted(form, random), some_absent(form, random));
  fill(shadowed, true, random);
  std::vector<std::size_t> free = shadowed.sources();
  for (const std::size_t s : selectors) std::erase(free, shadowed.first_source() + s);
  std::vector<std::vector<BitPlace>> places;
  for (unsigned lane = 0; lane < isa::warp_size; ++lane) {
    places.push_back(some_places(shadowed, free, random));
    for (const auto& [port, bit] : places.back()) {
      const Value old = shadowed.get(shadowed.undefined, port, lane, bit / 64);
      shadowed.set(shadowed.undefined, port, lane, old | Value{1} << bit % 64, bit / 64);
    }
  }

  const Shadowed::Frame first = shadowed.computed(shadowed.values);
  Shadowed::Frame changed;
  for (unsigned assignment = 0; assignment < 256; ++assignment) {
    Shadowed::Frame frame = shadowed.values;
    for (unsigned lane = 0; lane < isa::warp_size; ++lane)
      for (unsigned i = 0; i < places[lane].size(); ++i) {
        const auto& [port, bit] = places[lane][i];
        const Value one = Value{1} << bit % 64, old = shadowed.get(frame, port, lane, bit / 64);
        shadowed.set(frame, port, lane, (assignment >> i & 1) != 0 ? old | one : old & ~one, bit / 64);
      }
    const Shadowed::Frame result = shadowed.computed(frame);
    for_each_column(shadowed, shadowed.destinations(), [&](std::size_t port, unsigned lane, unsigned half) {
      const Value difference = shadowed.get(result, port, lane, half) ^ shadowed.get(first, port, lane, half);
      shadowed.set(changed, port, lane, shadowed.get(changed, port, lane, half) | difference, half);
    });
  }
  shadowed.propagate();
  for_each_column(shadowed, shadowed.destinations(), [&](std::size_t port, unsigned lane, unsigned half) {
    const Value said = shadowed.get(shadowed.undefined, port, lane, half);
    const Value true_ones = shadowed.get(changed, port, lane, half);
    if (said != true_ones)
      FAIL("operand " << port << ", lane " << lane << ": 0x" << std::hex << said << " instead of 0x"
                      << true_ones);
  });
}

TEST_CASE("where the rule is exact, every bit that is called undefined can change", "[definedness]") {
  struct Exact {
    std::string_view row;
    std::vector<std::size_t> selectors;
    bool (*applies)(const isa::Form&) = [](const isa::Form&) { return true; };
  };
  const auto unsaturated = [](const isa::Form& form) { return !form.sat; };
  const auto integers = [](const isa::Form& form) {
    return !form.sat && form.type <= isa::Type::s64 && form.type2 <= isa::Type::s64;
  };
  const Exact exact[] = {
      {"and", {}},
      {"or", {}},
      {"xor", {}},
      {"not", {}},
      {"lop3", {3}},
      {"lop3_test", {3}},
      {"shl", {1}},
      {"shr", {1}},
      {"shf", {2}},
      {"prmt", {2}},
      {"bfe", {1, 2}},
      {"bfi", {2, 3}},
      {"szext", {1}},
      {"brev", {}},
      {"mov", {}},
      {"mov_pack", {}},
      {"mov_unpack", {}},
      {"selp", {}},
      {"slct", {2}},
      {"copysign", {}},
      {"movmatrix", {}},
      {"neg_int", {}},
      {"cvta", {}},
      {"cnot", {}},
      {"add_cc", {}},
      {"addc", {}},
      {"sub_cc", {}},
      {"subc", {}},
      {"cvt", {}, integers},
      {"setp", {}, integers},
      {"add_int", {}, unsaturated},
      {"sub_int", {}, unsaturated},
  };
  Random random(20240608);
  for (const Exact& rule : exact) {
    const auto row = std::ranges::find(isa::rows(), rule.row, &isa::Row::id);
    REQUIRE(row != isa::rows().end());
    auto forms = every_form_of(*row);
    std::erase_if(forms, [&](const isa::NamedForm& named) { return !rule.applies(named.form); });
    REQUIRE(!forms.empty());
    constexpr std::size_t draws = 60;  // of 32 lanes each
    for (const isa::NamedForm& named : forms) {
      CAPTURE(named.text);
      for (std::size_t draw = 0; draw <= draws / forms.size(); ++draw)
        check_precision(named.form, rule.selectors, random);
    }
  }
}

}  // namespace
}  // namespace foldproof::tests
