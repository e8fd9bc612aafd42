#include "sanitizer/compute_sanitizer/records.h"

#include <fmt/format.h>

#include <boost/property_tree/ptree.hpp>
#include <charconv>
#include <unordered_map>

#include "sanitizer/compute_sanitizer/document.h"

namespace foldproof::compute_sanitizer {
namespace {

using Tree = boost::property_tree::ptree;

/// The fields of one record; errors contain the record's number.
class Fields {
 public:
  Fields(const Tree& tree, std::size_t number) : tree_(tree), number_(number) {}

  bool has(const char* path) const { return tree_.get_child_optional(path).has_value(); }

  Fields at(const char* path) const {
    if (const auto child = tree_.get_child_optional(path)) return {*child, number_};
    lacks(path);
  }

  /// Empty if the field does not exist.
  std::string text(const char* path) const {
    const auto child = tree_.get_child_optional(path);
    return child ? printable(child->data()) : std::string();
  }

  std::string required(const char* path) const {
    std::string value = text(path);
    if (value.empty()) lacks(path);
    return value;
  }

  /// A decimal number, or a hexadecimal one after 0x; at most `most`.
  std::uint64_t number(const char* path, std::uint64_t most = ~std::uint64_t{0}) const {
    const std::string value = required(path);
    const bool is_hexadecimal = value.starts_with("0x");
    const char* const end = value.data() + value.size();
    std::uint64_t result = 0;
    const auto [stop, error] =
        std::from_chars(value.data() + (is_hexadecimal ? 2 : 0), end, result, is_hexadecimal ? 16 : 10);
    if (error != std::errc() || stop != end || result > most)
      throw InputError(
          fmt::format("record {} of compute-sanitizer's output, field {}: \"{}\" is not a valid number",
                      number_, path, value));
    return result;
  }

  /// Calls `visit` with each child of that name.
  template <typename Visit>
  void each(const char* child_name, Visit visit) const {
    const auto [first, last] = tree_.equal_range(child_name);
    for (auto child = first; child != last; ++child) visit(Fields(child->second, number_));
  }

 private:
  [[noreturn]] void lacks(const char* path) const {
    throw InputError(fmt::format(
        "record {} of compute-sanitizer's output lacks its {}; this version may write another format",
        number_, path));
  }

  const Tree& tree_;
  std::size_t number_;
};

unsigned small_number(const Fields& fields, const char* path) {
  return static_cast<unsigned>(fields.number(path, ~std::uint32_t{0}));
}

Dim3 index(const Fields& fields) {
  return {small_number(fields, "x"), small_number(fields, "y"), small_number(fields, "z")};
}

Place place(const Fields& where) {
  Place result;
  result.function = where.required("func");
  result.file = where.text("path");
  if (where.has("line")) result.line = small_number(where, "line");
  result.pc = where.number("pc");
  return result;
}

std::vector<Frame> host_stack(const Fields& record) {
  std::vector<Frame> frames;
  if (!record.has("hostStack")) return frames;
  record.at("hostStack").each("frame", [&](const Fields& frame) {
    frames.push_back({frame.text("func"), frame.text("module"), frame.has("pc") ? frame.number("pc") : 0});
  });
  return frames;
}

void read_hazard(const Fields& fields, Record& record) {
  const Fields what = fields.at("what");
  const Fields common = what.at("common");
  record.text = what.required("text");
  record.type = common.required("type");
  record.launch = common.number("gridid");
  for (const char* name : {"thread0", "thread1"}) {
    const Fields thread = what.at(name);
    // The two blocks of a cluster may differ.
    const Fields block = thread.has("blockIdx") ? thread.at("blockIdx") : common.at("blockIdx");
    record.accesses.push_back({thread.required("access"), place(thread.at("where")),
                               ThreadId{index(block), index(thread.at("threadIdx"))}});
  }
  const ThreadId &one = *record.accesses[0].thread, &other = *record.accesses[1].thread;
  const auto row = [](const Dim3& thread) { return Dim3{thread.x / 32, thread.y, thread.z}; };
  record.in_one_warp = one.block == other.block && row(one.thread) == row(other.thread);
}

void read_analysis(const Fields& fields, Record& record) {
  const Fields what = fields.at("what");
  record.text = what.required("text");
  record.level = fields.required("level");
  const auto add = [&](const Fields& access) {
    record.accesses.push_back({access.required("direction"), place(access.at("where")), std::nullopt});
  };
  add(what.at("source"));
  what.each("destination", add);
}

/// Reads the fields that are present: for a thread, where it was and what it did.
void read_event(const Fields& fields, Record& record) {
  record.text = fields.text("what.text");
  for (const char* more : {"what.type", "what.error"})
    if (record.type.empty()) record.type = fields.text(more);
  if (!fields.has("where") && !fields.has("who")) return;
  Access access;
  access.what = fields.text("what.direction");
  if (fields.has("where")) access.place = place(fields.at("where"));
  if (fields.has("who"))
    access.thread = ThreadId{index(fields.at("who.blockIdx")), index(fields.at("who.threadIdx"))};
  record.accesses.push_back(std::move(access));
}

void read_known_event(const Fields& fields, Record& record) {
  for (const char* needed : {"what.text", "where.func"}) fields.required(needed);
  fields.at("who");
  read_event(fields, record);
}

struct KindRow {
  std::string_view name;
  RecordKind kind;
  void (*read)(const Fields&, Record&);
};

constexpr KindRow kinds[] = {
    {"Hazard", RecordKind::hazard, read_hazard},          {"Analysis", RecordKind::analysis, read_analysis},
    {"Precise", RecordKind::precise, read_known_event},   {"Imprecise", RecordKind::imprecise, read_event},
    {"Synccheck", RecordKind::barrier, read_known_event}, {"Api", RecordKind::api, read_event},
};

Record read_record(const Fields& fields) {
  Record record;
  record.name = fields.required("kind");
  record.level = fields.text("level");
  record.host_stack = host_stack(fields);
  for (const KindRow& row : kinds) {
    if (row.name != record.name) continue;
    record.kind = row.kind;
    row.read(fields, record);
    return record;
  }
  record.kind = RecordKind::unknown;
  read_event(fields, record);
  return record;
}

/// Everything in a record except its threads: records with the same identity are merged.
std::string identity(const Record& record) {
  constexpr char end = '\0';
  std::string text = fmt::format("{}{}{}{}{}{}{}{}{}", record.name, end, record.level, end, record.text, end,
                                 record.type, end, record.launch.value_or(0));
  for (const Access& access : record.accesses) {
    const Place& place = access.place;
    text += fmt::format("{}{}{}{}{}{}{}:{}:{}", end, access.what, end, place.function, end, place.file, end,
                        place.line, place.pc);
  }
  for (const Frame& frame : record.host_stack)
    text += fmt::format("{}{}{}{}", end, frame.module, end, frame.pc);
  return text;
}

}  // namespace

std::vector<Record> read_records(std::string_view xml) {
  std::vector<Record> records;
  std::unordered_map<std::string, std::size_t> known;
  each_record(xml, [&](const Tree& tree, std::size_t number) {
    Record record = read_record(Fields(tree, number));
    const auto [entry, is_new] = known.try_emplace(identity(record), records.size());
    if (is_new) return records.push_back(std::move(record));
    Record& first = records[entry->second];
    ++first.count;
    first.in_one_warp = first.in_one_warp && record.in_one_warp;
  });
  return records;
}

}  // namespace foldproof::compute_sanitizer
