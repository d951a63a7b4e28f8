// The receiving end of a copy.
#pragma once

#include <map>
#include <vector>

#include "app/copy/copy_options.h"
#include "app/copy/copy_stream.h"
#include "app/copy/target_tree.h"
#include "core/base/checksum.h"

namespace verbcast {

/// Not thread-safe. The caller keeps the descriptors open.
class CopyReceiver {
  public:
    /// Throws Error{Usage} if the target cannot be written to.
    CopyReceiver(const CopyReceiveOptions& options, int input, int output);
    /// Returns when everything announced has arrived, except for what failed at the sender. Throws Error or
    /// PipeStopped. Incomplete files do not get their final names.
    void run();

  private:
    void receiveList();
    CopyAnswer answerFor(const CopyEntry& entry);
    void receiveFile(const CopyEntry& entry, std::size_t file);
    void write(const CopyEntry& entry, int part, std::uint64_t at, std::span<const std::byte> bytes);

    const TargetTree tree_;
    const bool resume_;
    const std::uint64_t maxListBytes_;
    CopyReader reader_;
    CopyWriter writer_;
    std::vector<CopyEntry> entries_;
    std::vector<CopyAnswer> answers_;              // for each file among entries_
    std::map<std::size_t, PartFile::State> kept_;  // of partial files, as found then
};

/// xxh3 of the first `bytes` bytes of a file. Throws Error{Input}.
Checksum checksumOfStart(int file, const std::string& name, std::uint64_t bytes);

}  // namespace verbcast
