// The folder into which a copy may write, and nothing outside of it.
#pragma once

#include <optional>
#include <string>

#include "app/copy/copy_stream.h"
#include "core/base/part_file.h"

namespace verbcast {

/// Paths are those of entries. A link on the way is never followed. Throws Error{Peer} for a path that leads
/// out, Error{Resource} for what cannot be written.
class TargetTree {
  public:
    /// `target`: a folder that receives what comes, or, unless `intoFolder`, the name that it gets. Throws
    /// Error{Usage} when there is no such place.
    TargetTree(const std::string& target, bool intoFolder);

    /// Where an entry goes, for people.
    std::string placeOf(const std::string& path) const;
    /// Throws unless the path is harmless.
    static void check(const std::string& path);

    void makeFolder(const CopyEntry& entry) const;
    /// Once all is in it.
    void finishFolder(const CopyEntry& entry) const;
    void makeLink(const CopyEntry& entry) const;

    /// The file has its place already, with the same size and time.
    bool has(const CopyEntry& entry) const;
    /// What an interrupted copy has left of it, if anything. Throws Error{Usage} when another copy writes it.
    std::optional<PartFile> existingPart(const CopyEntry& entry) const;
    /// The file beside the entry's place, where it is written: empty, or with `kept` as it was then. Throws
    /// Error{Usage} when another copy writes it, or has done so since.
    PartFile openPart(const CopyEntry& entry, const std::optional<PartFile::State>& kept) const;
    /// It is whole: gets size, mode, time and name.
    void finishPart(const CopyEntry& entry, PartFile& part) const;

  private:
    struct Place {
        UniqueFd folder;
        std::string name;
    };
    Place find(const std::string& path) const;
    /// Where the part of a file is, for people.
    std::string partOf(const std::string& path) const;

    UniqueFd root_;
    std::string rootName_;
    std::string newName_;  // of the first component; "": it keeps its own
};

}  // namespace verbcast
