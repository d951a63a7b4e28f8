// Writes to a file or pipe; every wait can be cancelled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/base/event.h"
#include "core/base/output_file.h"
#include "core/base/unique_fd.h"

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

    /// Writes all bytes. Closed: the reader is gone. Cancelled. Throws Error{Resource} if the system refuses
    /// (disk full), naming how much was written.
    Status write(std::span<const std::byte> bytes);
    /// Closes the output: some file systems report failed writes only now. Throws as write() does.
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
    OutputPlace pipe_;  // a named pipe that still lacks a reader
    std::uint64_t written_ = 0;
};

}  // namespace verbcast
