// A file or pipe that is written to, with a way out of every wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/base/event.h"
#include "core/base/unique_fd.h"

namespace verbcast {

/// Used by one thread. The process ignores SIGPIPE.
class OutputDescriptor {
  public:
    /// Opens or makes the file, or takes standard output for "-". A named pipe that nobody reads yet is
    /// opened by the first write(). Throws Error{Usage} when that cannot be written to, or is a terminal.
    OutputDescriptor(const std::string& path, const Event& cancel);
    /// A reader that came to a named pipe too late for any byte is told the end, too.
    ~OutputDescriptor();

    /// Writes all of it. Closed: nobody reads any more. Cancelled. Throws Error{Resource} when the system
    /// refuses (disk full), with what has been written until then.
    Status write(std::span<const std::byte> bytes);
    /// Whether all of it has reached the system: some file systems say only now that it did not. Throws as
    /// write() does.
    void close();

    std::uint64_t bytesWritten() const { return written_; }

  private:
    bool openPipe();
    Status awaitReader();
    void useOpened();
    [[noreturn]] void fail(const char* call, int code) const;

    std::string name_;
    const Event& cancel_;
    UniqueFd opened_;
    int descriptor_ = -1;
    bool isFile_ = false;
    bool awaitsReader_ = false;  // a named pipe, not open yet
    std::uint64_t written_ = 0;
};

}  // namespace verbcast
