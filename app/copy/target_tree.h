// The folder that a copy may write to, and nothing outside it.
#pragma once

#include <optional>
#include <string>

#include "app/copy/copy_stream.h"
#include "core/base/os/part_file.h"

namespace verbcast {

/// Paths are those of entries. Links on the way are never followed. Throws Error{Peer} if a path leads
/// outside, Error{Resource} if something cannot be written.
class TargetTree {
  public:
    /// `target`: a folder that receives the entries or, unless `intoFolder`, the new name of the entry.
    /// Throws Error{Usage} if there is no such place.
    TargetTree(const std::string& target, bool intoFolder);

    /// Where an entry goes, for messages.
    std::string placeOf(const std::string& path) const;
    /// Throws Error{Peer} unless the path is harmless.
    static void check(const std::string& path);

    void makeFolder(const CopyEntry& entry) const;
    /// Call when the folder is complete.
    void finishFolder(const CopyEntry& entry) const;
    void makeLink(const CopyEntry& entry) const;

    /// True if the file is already there with the same size and time.
    bool has(const CopyEntry& entry) const;
    /// What an interrupted copy has left of the file, if anything. Throws Error{Usage} if another copy is
    /// writing it.
    std::optional<PartFile> existingPart(const CopyEntry& entry) const;
    /// Opens the file beside the final place that is written to, keeping its first `start` bytes if it still
    /// is as `kept`. Throws Error{Usage} if another copy is writing it, or has done so since.
    PartFile openPart(const CopyEntry& entry, std::uint64_t start,
                      const std::optional<PartFile::State>& kept) const;
    /// Completes the file: sets size, mode, time and name.
    void finishPart(const CopyEntry& entry, PartFile& part) const;

  private:
    struct Place {
        UniqueFd folder;
        std::string name;
    };
    Place find(const std::string& path) const;
    /// Where the part of a file is, for messages.
    std::string partOf(const std::string& path) const;

    UniqueFd root_;
    std::string rootName_;
    std::string newName_;  // replaces the first component; "": none
};

}  // namespace verbcast
