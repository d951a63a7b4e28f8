// The sending end of a copy.
#pragma once

#include <string>
#include <vector>

#include "app/copy/copy_stream.h"

namespace verbcast {

/// Use from one thread at a time.
class CopySender {
  public:
    /// Reads names, sizes and times of the sources. Folders need `recursive`. Throws Error{Usage, Input} if a
    /// source does not exist or cannot be copied.
    CopySender(const std::vector<std::string>& sources, bool recursive);

    /// Total bytes of all files.
    std::uint64_t bytes() const { return bytes_; }
    std::size_t files() const { return files_; }
    /// Talks to the receiver. Throws PipeStopped if it is gone.
    void run(int input, int output);
    /// What was not copied, and why. Valid after run().
    const std::vector<std::string>& failures() const { return failures_; }

  private:
    struct Source {
        std::string place;  ///< local path
        CopyEntry entry;
    };
    void add(const std::string& place, const std::string& name);
    void addFolder(const std::string& place, const std::string& name);
    void sendFile(const Source& source, const CopyAnswer& answer, CopyWriter& writer);
    std::uint64_t sendData(const Source& source, int file, std::uint64_t start, CopyWriter& writer);

    const bool recursive_;
    std::vector<Source> sources_;
    std::vector<std::string> failures_;
    std::uint64_t bytes_ = 0;
    std::size_t files_ = 0;
};

}  // namespace verbcast
