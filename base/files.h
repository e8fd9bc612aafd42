// Reading and writing whole files, with size limits and readable errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace foldproof {

/// The maximum size, in bytes, of a source file read into memory, generated sources included.
inline constexpr std::size_t largest_source = std::size_t{64} << 20;

/// Whether an error number means that this machine lacks something (space, descriptors, memory), so that the
/// input is not at fault.
bool is_lack_of_resources(int error);

/// A regular file, open for reading. Opening another kind, such as a FIFO or a device, has no effect on it.
class RegularFile {
 public:
  /// Throws InputError if `file` is missing, is not a regular file or cannot be read, and Unsupported if this
  /// machine lacks resources.
  explicit RegularFile(const std::filesystem::path& file);
  /// Its size in bytes when it was opened.
  std::uint64_t size() const { return size_; }
  /// Reads the next bytes. Returns false if there are fewer.
  bool read(void* to, std::size_t bytes) { return read_all(descriptor_.number(), to, bytes); }

 private:
  Descriptor descriptor_;
  std::uint64_t size_ = 0;
};

/// Throws InputError like RegularFile, or if the file is larger than `limit` bytes.
std::string read_text_file(const std::filesystem::path& file, std::size_t limit);

/// The same, but returns std::nullopt instead of throwing.
std::optional<std::string> read_if_possible(const std::filesystem::path& file,
                                            std::size_t limit = std::numeric_limits<std::size_t>::max());

/// Line `number` of a source of at most 4 MiB, counted from 1; std::nullopt if there is no such line or the
/// source cannot be read.
std::optional<std::string> line_of(const std::filesystem::path& file, unsigned number);

/// Writes `content` to a file in a temporary folder, replacing its contents. Returns false on failure.
bool write_file(const std::filesystem::path& file, std::string_view content);

/// The same, but throws Unsupported on failure.
void write_temporary(const std::filesystem::path& file, std::string_view content);

/// Writes a temporary file next to `file` and renames it, so that a reader sees either the old or the new
/// content, never a part of it. The permissions of an existing file remain; anything else of that name is not
/// replaced. Returns false on failure, with the reason in errno.
bool replace_file(const std::filesystem::path& file, std::string_view text);

/// The same for a program: the new file is executable.
bool replace_program(const std::filesystem::path& file, std::string_view content);

/// The absolute path without "." and "..". A ".." after a symbolic link leads, as for the system, to the
/// parent of the link's target; without "..", links remain.
std::filesystem::path resolved_path(const std::filesystem::path& path);

/// The absolute path with all links followed; resolved_path() if that is not possible.
std::filesystem::path without_links(const std::filesystem::path& path);

/// The folder of the file, in the same form. The file itself may be a link.
std::filesystem::path folder_of(const std::filesystem::path& file);

/// Whether the file is in the folder or below it, after following links.
bool is_below(const std::filesystem::path& file, const std::filesystem::path& folder);

/// The path of a folder in a form that keeps its meaning: links in the parents of an absolute path are
/// resolved. A relative path is unchanged; OutputFolder refuses links in it.
std::filesystem::path settled_path(const std::filesystem::path& folder);

/// A folder's path without a final slash; with one, the system would follow a link.
std::filesystem::path without_slash(const std::filesystem::path& folder);

/// Throws InputError if the last component of the path is a symbolic link, or any component of a relative
/// path: a checkout can contain such links.
void refuse_links(const std::filesystem::path& path);

/// A folder that stays the same even if its path later leads elsewhere: another program may replace a folder
/// by a link while this one runs.
class OutputFolder {
 public:
  /// Creates the folder if it does not exist. Throws InputError if any component of the path is a symbolic
  /// link (see settled_path) or if it leads to something else, and Unsupported if this machine lacks
  /// resources.
  explicit OutputFolder(const std::filesystem::path& folder);
  /// The existing folder of a file that the user named. Throws InputError if a part of a relative path to it
  /// is a symbolic link; in an absolute path, links are followed.
  static OutputFolder of(const std::filesystem::path& file);

  /// replace_file() for the file of that name.
  bool replace_file(const std::string& name, std::string_view text) const;
  /// Throws InputError if write_output() would refuse the file, which may not exist yet.
  void check_output(const std::string& name) const;
  /// Removes the regular file of an earlier write_output(), so that it cannot be mistaken for the output of
  /// this run. Throws InputError if write_output() would refuse the file.
  void remove_output(const std::string& name) const;
  /// Writes a whole output: a regular file is replaced; a FIFO, a character device or a link below /dev or
  /// /proc, such as /dev/stdout, is written to. Throws InputError for anything else and for a folder that
  /// does not accept the file, and Unsupported if the file cannot be written completely.
  void write_output(const std::string& name, std::string_view content) const;

 private:
  OutputFolder(std::filesystem::path path, Descriptor folder);
  bool is_written_through(const std::string& name) const;

  std::filesystem::path path_;
  Descriptor folder_;
};

/// OutputFolder's functions for a file that the user named.
void check_output(const std::filesystem::path& file);
void write_output(const std::filesystem::path& file, std::string_view content);

/// Whether `file` is a program that this user may execute.
bool is_program(const std::filesystem::path& file);

/// The first program of that name in the folders of PATH.
std::optional<std::filesystem::path> find_program(const std::string& name);

}  // namespace foldproof
