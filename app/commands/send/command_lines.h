// Commands for files that are sent: lines from a descriptor, and who of several streams they are for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/os/unique_fd.h"

namespace verbcast {

/// Lines from a descriptor, which the caller keeps open. They may come without end, so that a bounded amount
/// is read at a time.
class CommandLines {
  public:
    /// `longest`: bytes of a line; what follows is cut off.
    explicit CommandLines(int descriptor, std::size_t longest = 100)
        : descriptor_(descriptor), longest_(longest) {}

    /// Negative once no more can come.
    int descriptor() const { return descriptor_; }
    /// Calls take(line) for each that is there, in at most 4 KiB. Does not wait.
    template <typename Take>
    void read(Take&& take) {
        readMore();
        for (std::size_t end = partial_.find('\n'); end != std::string::npos; end = partial_.find('\n')) {
            take(std::string_view(partial_).substr(0, std::min(end, longest_)));
            partial_.erase(0, end + 1);
        }
        partial_.resize(std::min(partial_.size(), longest_));
    }

  private:
    void readMore();

    int descriptor_;
    const std::size_t longest_;
    std::string partial_;
};

/// Passes each line on to the stream that it is for: "2 pause" to the second, "pause" to all.
class CommandRouter {
  public:
    explicit CommandRouter(int descriptor) : lines_(descriptor) {}

    /// Negative once no more can come.
    int descriptor() const { return lines_.descriptor(); }
    /// A stream that takes commands: it reads them from the descriptor that is returned, which ends when no
    /// more can come. Streams are numbered from 1.
    int add(std::uint32_t number);
    bool empty() const { return streams_.empty(); }
    /// Passes on what is there. Does not wait; a stream that does not read its commands loses some.
    void passOn();

  private:
    struct Stream {
        std::uint32_t number = 0;
        UniqueFd reading, writing;
    };
    void passOn(std::string_view line);

    CommandLines lines_;
    std::vector<Stream> streams_;
};

}  // namespace verbcast
