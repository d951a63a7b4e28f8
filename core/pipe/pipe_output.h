// Where a pipe's bytes go: a file that appears once it is complete, or a descriptor such as standard output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/base/checksum.h"
#include "core/base/os/part_file.h"
#include "core/base/os/unique_fd.h"

namespace verbcast {

/// Used by one thread.
class PipeOutput {
  public:
    /// Writes to PATH.part (see PartFile), which finish() renames. `resume` keeps what PATH.part already
    /// holds. Anything but a regular file (a named pipe, a device) is written directly. Throws Error{Usage}
    /// if the path cannot be written, or another process is writing it.
    static std::unique_ptr<PipeOutput> toFile(const std::string& path, bool resume);
    /// Writes to a descriptor that the caller keeps. If it may block, it is reopened non-blocking where
    /// possible, so that a stalled reader does not keep anybody from giving up.
    PipeOutput(int descriptor, std::string name);
    PipeOutput(const PipeOutput&) = delete;
    PipeOutput& operator=(const PipeOutput&) = delete;
    /// Keeps PATH.part if it holds anything, so that it can be resumed.
    ~PipeOutput();

    /// Bytes that the file already held, and their xxh3.
    std::uint64_t start() const { return start_; }
    const Checksum& startChecksum() const { return startChecksum_; }

    /// Writes as much as it can now; 0: nothing, wait for waitDescriptor(). Throws Error{Resource}, or
    /// PipeStopped when the reader has gone.
    std::size_t write(std::span<const std::byte> bytes);
    /// Readable when write() can continue (after a 0), or when the reader has gone. -1: never blocks.
    int waitDescriptor() const { return epoll_.get(); }
    /// Whether write() may succeed after a 0.
    bool ready() const;
    /// Throws PipeStopped when the reader has gone.
    void throwIfClosed() const;

    /// Flushes everything to the disk, if it is one, and renames the file. Throws Error{Resource}.
    void finish();
    /// Makes finish() leave PATH.part, to be renamed by takeName(): for callers that wait for something else
    /// first.
    void nameLater() { namesLater_ = true; }
    void takeName();
    /// "FILE.part holds 512 bytes; --resume goes on from there", or empty. For use after a failure.
    std::string leftBehind() const;

  private:
    PipeOutput(UniqueFd owned, std::string name);
    PipeOutput(PartFile part, const std::string& path);
    void keepStart();
    void openWithoutBlocking();
    void watch();
    void wantRoom(bool wanted);
    [[noreturn]] void throwWriteError(int code) const;

    UniqueFd owned_;
    int fd_ = -1;
    std::string name_;
    std::optional<PartFile> part_;  // until renamed; none: written directly
    std::string finalPath_;         // what the part is renamed to
    UniqueFd epoll_;
    bool isSocket_ = false;
    bool namesLater_ = false;
    bool wantsRoom_ = false;
    std::size_t mostAtOnce_ = 0;  // for a blocking descriptor that could not be reopened; 0: no limit
    std::uint64_t start_ = 0;
    std::uint64_t written_ = 0;
    Checksum startChecksum_;
};

}  // namespace verbcast
