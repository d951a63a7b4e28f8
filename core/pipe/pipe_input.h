// Where a pipe's bytes come from: a file, a pipe, a socket, a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/base/unique_fd.h"
#include "core/memory/frame_pool.h"

namespace verbcast {

/// Used by one thread.
class PipeInput {
  public:
    /// A file or named pipe. Throws Error{Input}.
    static PipeInput open(const std::string& path);
    /// A descriptor that stays the caller's: standard input.
    PipeInput(int descriptor, std::string name);

    /// What lies between the place of reading and the end, where that is known: of regular files.
    std::optional<std::uint64_t> length() const;

    /// Whether reading may take until somebody writes.
    bool mayBlock() const { return mayBlock_; }
    /// mayBlock(): readable when fill() will find something, or the end.
    int descriptor() const { return fd_; }
    bool ready() const;

    /// Reads until `target` is full or nothing more is there at the moment, at least one byte. 0: the end.
    /// Throws Error{Input}.
    std::size_t fill(std::span<std::byte> target);

    /// Where the next read of a file begins.
    std::uint64_t position() const;
    /// So many bytes were read by other means.
    void skip(std::uint64_t bytes);

    static constexpr std::uint32_t kMaxWindowBlocks = 64;
    /// The next whole blocks of a regular file, at most `mostBlocks`, as slots of a pool that maps them: a
    /// window of some 32 MiB and kMaxWindowBlocks at most; they count as read. Null when there are none, or
    /// they cannot be mapped.
    std::shared_ptr<FramePool> mapBlocks(std::uint64_t blockBytes, std::uint32_t mostBlocks);
    /// The last so many bytes of what was mapped are to be read after all. Nothing may have been read since.
    void giveBack(std::uint64_t bytes);
    /// Puts a mapped block into memory. Throws Error{Input}.
    void populate(std::span<std::byte> block) const;
    /// The file is shorter than what was mapped of it: sending it fails.
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
