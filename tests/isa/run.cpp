#include "run.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <sstream>

#include "catch.h"
#include "row_coverage.h"

namespace foldproof::tests {
namespace {

using isa::LaneMask;
using isa::OperandRule;
using isa::warp_size;

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, '.');) words.push_back(word);
  return words;
}

std::optional<isa::Form> find(const std::string& text) {
  std::vector<std::string> words = split(text);
  const std::string opcode = words.front();
  words.erase(words.begin());
  return isa::find_form(opcode, words);
}

/// The position and column width of one operand row. A predicate has no bytes.
struct OperandPlace {
  std::uint32_t offset = isa::no_operand;
  unsigned bytes = 0;
};

/// A register file with space for twelve rows of the widest registers.
class Frame {
 public:
  OperandPlace add(unsigned bytes) {
    const OperandPlace place{bytes == 0 ? next_mask_ : next_row_, bytes};
    (bytes == 0 ? next_mask_ : next_row_) += bytes == 0 ? 4 : 512;
    return place;
  }
  void set(OperandPlace place, unsigned lane, Value value) {
    if (place.bytes == 0) {
      LaneMask& mask = isa::mask(data(), place.offset);
      mask = (mask & ~(1u << lane)) | static_cast<LaneMask>(value & 1) << lane;
    } else {
      std::memcpy(data() + place.offset + lane * place.bytes, &value, std::min<unsigned>(place.bytes, 8));
    }
  }
  Value get(OperandPlace place, unsigned lane) {
    if (place.bytes == 0) return isa::mask(data(), place.offset) >> lane & 1;
    Value value = 0;
    std::memcpy(&value, data() + place.offset + lane * place.bytes, std::min<unsigned>(place.bytes, 8));
    return value;
  }
  std::byte* data() { return bytes_.data(); }

 private:
  alignas(64) std::array<std::byte, 64 + 24 * 512> bytes_{};
  std::uint32_t next_mask_ = 4, next_row_ = 64;
};

/// An instruction for one warp, ready to run.
class Warp {
 public:
  Warp(const isa::Form& form, const Columns& sources, std::size_t first) : form_(form) {
    place_operands(sources.size());
    instruction_.form = &form_;
    instruction_.compute = form_.compute;
    for (std::size_t k = 0; k < places_.size(); ++k) rows_.push_back(places_[k].offset);
    if (rows_.size() > instruction_.operand.size()) instruction_.wide = rows_.data();
    std::copy_n(rows_.begin(), std::min(rows_.size(), instruction_.operand.size()),
                instruction_.operand.begin());
    for (std::size_t s = 0; s < sources.size(); ++s)
      for (unsigned lane = 0; lane < warp_size; ++lane)
        frame_.set(source(s), lane, sources[s][std::min(first + lane, sources[s].size() - 1)]);
    for (std::size_t d = 0; d < destinations_.size(); ++d)
      for (unsigned lane = 0; lane < warp_size; ++lane) frame_.set(destination(d), lane, before(lane));
  }

  static Value before(unsigned lane) { return 0x5A5AA5A5C3C33C3Cull * (2 * lane + 1); }

  std::size_t destinations() const { return destinations_.size(); }
  OperandPlace destination(std::size_t d) const { return places_[destinations_[d]]; }
  OperandPlace source(std::size_t s) const { return places_[sources_[s]]; }
  Frame& frame() { return frame_; }

  void execute(LaneMask lanes) { form_.compute(frame_.data(), instruction_, lanes); }

  /// Uses a source row as the destination if their columns have the same width. The register then holds the
  /// source.
  bool alias(std::size_t s) {
    if (destination(0).bytes != source(s).bytes) return false;
    places_[destinations_[0]] = places_[sources_[s]];
    rows_[destinations_[0]] = source(s).offset;
    instruction_.operand[destinations_[0]] = source(s).offset;
    return true;
  }

 private:
  void place_operands(std::size_t given_sources) {
    const auto rules = isa::operand_rules(form_);
    std::size_t needed = 0;
    for (const OperandRule& rule : rules) needed += rule.destination ? 0 : rule.count;
    std::size_t missing = needed - given_sources;
    std::vector<bool> absent(rules.size());
    for (std::size_t k = rules.size(); k-- > 0 && missing > 0;)
      if (rules[k].optional && !rules[k].destination) absent[k] = true, --missing;
    REQUIRE(missing == 0);
    for (std::size_t k = 0; k < rules.size(); ++k)
      for (unsigned part = 0; part < rules[k].count; ++part) {
        if (!absent[k]) (rules[k].destination ? destinations_ : sources_).push_back(places_.size());
        places_.push_back(absent[k] ? OperandPlace{} : frame_.add(register_bytes(rules[k])));
      }
  }

  unsigned register_bytes(const OperandRule& rule) const {
    if (rule.shape == OperandRule::Shape::predicate) return 0;
    const unsigned wider = !rule.relaxed      ? 0
                           : rule.destination ? form_.destination_bytes
                                              : form_.source_bytes;
    return std::max(wider, isa::bytes_of(rule.type));
  }

  isa::Form form_;
  isa::Instruction instruction_;
  Frame frame_;
  std::vector<OperandPlace> places_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::size_t> destinations_, sources_;
};

Value low_bits(Value value, unsigned bytes) {
  if (bytes == 0) return value & 1;
  return bytes >= 8 ? value : value & ((Value{1} << 8 * bytes) - 1);
}

/// Lanes in `lanes` must have the values of `full`; all others must have kept theirs. `aliased`: the source
/// that is also the destination.
void check_partial(const isa::Form& form, const Columns& sources, std::size_t first, Warp& full,
                   LaneMask lanes, std::optional<std::size_t> aliased) {
  Warp warp(form, sources, first);
  if (aliased && !warp.alias(*aliased)) return;
  std::vector<Value> kept;
  for (unsigned lane = 0; lane < warp_size; ++lane)
    kept.push_back(warp.frame().get(warp.destination(0), lane));
  warp.execute(lanes);
  for (std::size_t d = 0; d < (aliased ? 1 : warp.destinations()); ++d)
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      const OperandPlace place = warp.destination(d);
      const Value old = d == 0 ? kept[lane] : low_bits(Warp::before(lane), place.bytes);
      const Value expected = (lanes >> lane & 1) != 0 ? full.frame().get(full.destination(d), lane) : old;
      if (warp.frame().get(place, lane) != expected)
        FAIL(isa::rows()[form.row].id << ": lane " << lane << " under the mask " << std::hex << lanes
                                      << (aliased ? ", d = source " + std::to_string(*aliased) : "")
                                      << " became " << warp.frame().get(place, lane) << " instead of "
                                      << expected);
    }
}

std::string describe(const std::string& text, const Column& operands) {
  std::ostringstream out;
  out << text << std::hex;
  for (const Value value : operands) out << " 0x" << value;
  return out.str();
}

}  // namespace

isa::Form form_of(const std::string& text) {
  auto form = find(text);
  INFO(text);
  REQUIRE(form.has_value());
  return *form;
}
bool exists(const std::string& text) { return find(text).has_value(); }

isa::Form packing_form_of(isa::Packing packing, unsigned parts, const std::string& text) {
  std::vector<std::string> words = split(text);
  words.erase(words.begin());
  auto form = isa::find_packing_mov(packing, parts, words);
  INFO(text);
  REQUIRE(form.has_value());
  return *form;
}

Columns run(const isa::Form& form, const Columns& sources) {
  REQUIRE(form.compute != nullptr);
  const std::size_t count = sources.front().size();
  Columns results;
  std::mt19937 random(12345);
  for (std::size_t first = 0; first < count; first += warp_size) {
    Warp warp(form, sources, first);
    results.resize(warp.destinations());
    warp.execute(all_lanes);
    for (std::size_t d = 0; d < results.size(); ++d)
      for (unsigned lane = 0; lane < warp_size && first + lane < count; ++lane)
        results[d].push_back(warp.frame().get(warp.destination(d), lane));
    // ShadowedValue masks on the first warps suffice: the mask does not depend on the values.
    if (first >= 4 * warp_size) continue;
    for (const LaneMask lanes :
         {LaneMask{1} << (first / warp_size * 7), LaneMask{0xFFFF0000}, LaneMask(random()), all_lanes}) {
      check_partial(form, sources, first, warp, lanes, std::nullopt);
      for (std::size_t s = 0; s < sources.size(); ++s) check_partial(form, sources, first, warp, lanes, s);
    }
  }
  return results;
}

Columns run(const std::string& text, const Columns& sources) {
  INFO(text);
  return run(form_of(text), sources);
}

void check(const isa::Form& form, const std::string& text, const Columns& sources,
           const std::function<Value(const Column&)>& expected) {
  INFO(text);
  const Column results = run(form, sources).front();
  unsigned failures = 0;
  for (std::size_t i = 0; i < results.size() && failures < 5; ++i) {
    Column operands;
    for (const Column& source : sources) operands.push_back(source[std::min(i, source.size() - 1)]);
    const Value wanted = expected(operands);
    if (results[i] == wanted) continue;
    ++failures;
    UNSCOPED_INFO(describe(text, operands)
                  << " gave 0x" << std::hex << results[i] << ", expected 0x" << wanted);
  }
  CHECK(failures == 0);
  covers(form, results.size());
}

void check(const std::string& text, const Columns& sources,
           const std::function<Value(const Column&)>& expected) {
  check(form_of(text), text, sources, expected);
}

Value run_one(const std::string& text, const Column& operands) {
  Columns sources;
  for (const Value value : operands) sources.push_back({value});
  return run(text, sources).front().front();
}

}  // namespace foldproof::tests
