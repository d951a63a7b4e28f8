// Where a pipe's bytes come from: a file, a pipe, a socket, a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/base/os/unique_fd.h"
#include "core/memory/frame_pool.h"

namespace verbcast {

/// Used by one thread.
class PipeInput {
  public:
    /// A file or named pipe. Throws Error{Input}.
    static PipeInput open(const std::string& path);
    /// Reads from a descriptor that the caller keeps: standard input.
    PipeInput(int descriptor, std::string name);

    /// Bytes from the read position to the end, if known: for regular files.
    std::optional<std::uint64_t> length() const;

    /// Whether a read may block until somebody writes.
    bool mayBlock() const { return mayBlock_; }
    /// If mayBlock(): readable when fill() will find data or the end.
    int descriptor() const { return fd_; }
    bool ready() const;

    /// Reads until `target` is full or no more is available for now, but at least one byte. 0 at the end.
    /// Throws Error{Input}.
    std::size_t fill(std::span<std::byte> target);

    /// Where the next read of a file begins.
    std::uint64_t position() const;
    /// Advances past bytes that were read by other means.
    void skip(std::uint64_t bytes);

    static constexpr std::uint32_t kMaxWindowBlocks = 64;
    /// The next whole blocks of a regular file, at most `mostBlocks`, as slots of a pool that maps them: a
    /// window of about 32 MiB and at most kMaxWindowBlocks; they count as read. Null if there are none or
    /// they cannot be mapped.
    std::shared_ptr<FramePool> mapBlocks(std::uint64_t blockBytes, std::uint32_t mostBlocks);
    /// Un-reads the last `bytes` of what was mapped. Nothing may have been read since.
    void giveBack(std::uint64_t bytes);
    /// Faults a mapped block into memory. Throws Error{Input}.
    void populate(std::span<std::byte> block) const;
    /// Whether the file is now shorter than what was mapped of it: sending that fails.
    bool becameShorter() const;

  private:
    PipeInput(UniqueFd owned, std::string name);

    UniqueFd owned_;
    int fd_;
    std::string name_;
    bool mayBlock_ = true;
    std::uint64_t mappedUntil_ = 0;
};

}  // namespace verbcast
