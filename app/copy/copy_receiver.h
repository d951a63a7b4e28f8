// The receiving end of a copy.
#pragma once

#include <map>
#include <vector>

#include "app/copy/copy_options.h"
#include "app/copy/copy_stream.h"
#include "app/copy/target_tree.h"
#include "core/base/checksum.h"

namespace verbcast {

/// Used by one thread. The descriptors stay the caller's.
class CopyReceiver {
  public:
    /// Throws Error{Usage} when the target is no place to write to.
    CopyReceiver(const CopyReceiveOptions& options, int input, int output);
    /// Returns when all that was announced and did not fail at the sender is there; throws Error or
    /// PipeStopped. What is not whole has not got its name.
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
    std::vector<CopyAnswer> answers_;              // for each file among them
    std::map<std::size_t, PartFile::State> kept_;  // of those that are partly there, as they were then
};

/// xxh3 of the first bytes of a file. Throws Error{Input}.
Checksum checksumOfStart(int file, const std::string& name, std::uint64_t bytes);

}  // namespace verbcast
