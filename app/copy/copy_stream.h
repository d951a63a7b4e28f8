// Protocol between the two ends of a copy, over a pipe each way.
//
//   sender                                     receiver
//   Entry: a folder, file or link; many     ->
//   ListEnd                                 ->
//                                          <-  Answer: what it has of a file; one for each, in order
//   for each file that is not complete there:
//   Begin: from where on                    ->
//   Data: a place and bytes; what is left out are holes
//   FileEnd: checksum                       ->  (or Abandoned: this one will not come)
//   End                                     ->
// Nothing is written before the whole list has come and been found harmless. A record is a type, a length and
// that many bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/wire.h"

namespace verbcast {

enum class CopyRecord : std::uint8_t {
    Entry = 1,
    ListEnd = 2,
    Answer = 3,
    Begin = 4,
    Data = 5,
    FileEnd = 6,
    Abandoned = 7,
    End = 8,
};

inline constexpr std::size_t kCopyPieceBytes = 256U << 10;
/// Limit for a record: a piece with its position, or the longest path and link.
inline constexpr std::size_t kMaxRecordBytes = kCopyPieceBytes + 4096;

enum class CopyKind : std::uint8_t { Folder = 1, File = 2, Link = 3 };

struct CopyEntry {
    CopyKind kind = CopyKind::File;
    std::string path;          ///< relative; starts with the source's name
    std::uint32_t mode = 0;    ///< permissions
    std::int64_t seconds = 0;  ///< of the last modification
    std::uint32_t nanoseconds = 0;
    std::uint64_t size = 0;  ///< File
    std::string target;      ///< Link
};

struct CopyAnswer {
    bool whole = false;          ///< complete: nothing is needed
    std::uint64_t start = 0;     ///< bytes that are there already
    std::uint64_t checksum = 0;  ///< xxh3 of those bytes
};

/// The caller keeps the descriptors open. Both throw PipeStopped if the other side is gone.
class CopyWriter {
  public:
    explicit CopyWriter(int descriptor) : descriptor_(descriptor) {}
    void write(CopyRecord type, std::span<const std::byte> head = {}, std::span<const std::byte> rest = {});
    void write(const CopyEntry& entry);
    void write(const CopyAnswer& answer);

  private:
    void writeAll(std::span<const std::byte> bytes) const;
    int descriptor_;
};

class CopyReader {
  public:
    explicit CopyReader(int descriptor) : descriptor_(descriptor) {}
    /// Reads the next record. Throws Error{Peer} if it is invalid.
    CopyRecord next();
    /// Its content, valid until next().
    ByteReader payload() const { return ByteReader(payload_); }
    std::span<const std::byte> bytes() const { return payload_; }

  private:
    void readAll(std::span<std::byte> bytes) const;
    int descriptor_;
    std::vector<std::byte> payload_;
};

/// Throw Error{Peer} for impossible values.
CopyEntry decodeCopyEntry(ByteReader reader);
CopyAnswer decodeCopyAnswer(ByteReader reader);

}  // namespace verbcast
