// Writes to a file or pipe; every wait can be cancelled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/base/os/event.h"
#include "core/base/os/output_file.h"
#include "core/base/os/unique_fd.h"

namespace verbcast {

/// Used by one thread. The process must ignore SIGPIPE.
class OutputDescriptor {
  public:
    /// Opens or creates the file, or uses standard output for "-". A named pipe without a reader is opened by
    /// the first write(). Throws Error{Usage} if it cannot be written to, or is a terminal, and as
    /// findOutput() does.
    OutputDescriptor(const std::string& path, const Event& cancel, Existing existing);
    /// Also signals the end to a reader that opened a named pipe too late for any byte.
    ~OutputDescriptor();

    /// Waits until a named pipe has a reader. Cancelled. write() does so, too.
    Status awaitReader();
    /// Writes all bytes. Closed: the reader is gone. Cancelled. Throws Error{Resource} if the system refuses
    /// (disk full), naming how much was written.
    Status write(std::span<const std::byte> bytes);
    /// Whether the next bytes may be written elsewhere in the file: a regular file of ours. Call after
    /// awaitReader().
    bool seekable() const { return isFile_ && opened_; }
    /// The next bytes go there. `whence`: as for lseek(). Returns where that is; -1 and errno if it fails.
    std::int64_t seek(std::int64_t offset, int whence);
    /// Closes the output: some file systems report failed writes only now. Throws as write() does.
    void close();

    std::uint64_t bytesWritten() const { return written_; }

  private:
    bool openPipe();
    void useOpened();
    [[noreturn]] void fail(const char* call, int code) const;

    std::string name_;
    const Event& cancel_;
    UniqueFd opened_;
    int descriptor_ = -1;
    bool isFile_ = false;
    OutputPlace pipe_;           // a named pipe that still lacks a reader
    std::uint64_t written_ = 0;  // up to the furthest place
    std::uint64_t at_ = 0;
};

}  // namespace verbcast
