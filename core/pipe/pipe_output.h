// Where a pipe's bytes go: a file that appears when it is whole, or a descriptor such as standard output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/base/checksum.h"
#include "core/base/part_file.h"
#include "core/base/unique_fd.h"

namespace verbcast {

/// Used by one thread.
class PipeOutput {
  public:
    /// Written as PATH.part (see PartFile), which finish() renames. With `resume` what PATH.part holds
    /// already is kept. What is no regular file (a named pipe, a device) is written directly. Throws
    /// Error{Usage} when the place cannot be written, or another process writes there.
    static std::unique_ptr<PipeOutput> toFile(const std::string& path, bool resume);
    /// A descriptor that stays the caller's. What may block is reopened without blocking where that can be
    /// done, so that a stalled reader does not keep anybody from giving up.
    PipeOutput(int descriptor, std::string name);
    PipeOutput(const PipeOutput&) = delete;
    PipeOutput& operator=(const PipeOutput&) = delete;
    /// Keeps PATH.part if it holds anything: resuming goes on from there.
    ~PipeOutput();

    /// Bytes that the file held before, and their xxh3.
    std::uint64_t start() const { return start_; }
    const Checksum& startChecksum() const { return startChecksum_; }

    /// Writes what can be written now; 0: nothing, wait for waitDescriptor(). Throws Error{Resource}, or
    /// PipeStopped when nobody reads any more.
    std::size_t write(std::span<const std::byte> bytes);
    /// Readable when write() can go on (after a 0), or when the reader has gone. -1: never blocks.
    int waitDescriptor() const { return epoll_.get(); }
    /// Whether write() may go on after a 0.
    bool ready() const;
    /// Throws PipeStopped when the reader has gone.
    void throwIfClosed() const;

    /// Everything written has reached the disk, if it is one, and has its name. Throws Error{Resource}.
    void finish();
    /// finish() leaves PATH.part, and takeName() renames it: for callers that wait for more.
    void nameLater() { namesLater_ = true; }
    void takeName();
    /// "FILE.part holds 512 bytes; --resume goes on from there", or empty. After a failure.
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
    std::optional<PartFile> part_;  // until it has its name; none: written directly
    std::string finalPath_;         // of the part
    UniqueFd epoll_;
    bool isSocket_ = false;
    bool namesLater_ = false;
    bool wantsRoom_ = false;
    std::size_t mostAtOnce_ = 0;  // of what blocks and could not be opened otherwise; 0: no limit
    std::uint64_t start_ = 0;
    std::uint64_t written_ = 0;
    Checksum startChecksum_;
};

}  // namespace verbcast
