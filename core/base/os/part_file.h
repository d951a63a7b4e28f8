// A file that is written under a temporary name and gets its real name once it is complete.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <optional>
#include <string>

#include "core/base/os/unique_fd.h"

namespace verbcast {

/// What to do if a place cannot be written.
inline constexpr const char* kChooseWritable = "choose a file in a folder that exists and can be written";

/// Opens the folder of `path`, to open files in. Throws Error{Usage} if there is none.
UniqueFd folderOf(const std::string& path);
/// The last component of `path`.
std::string nameIn(const std::string& path);
/// "NAME.part"; if that is too long for a file name, a shorter one that depends on NAME only.
std::string partNameOf(const std::string& name);
/// "PREFIX.0123456789abcdef": a name that nobody can guess. A long prefix is cut off.
std::string unguessableName(const std::string& prefix);

/// A partial file with a predictable name, so that an interrupted transfer can resume. Others can predict the
/// name, too, so whatever they may have planted there is never written to: a link (symbolic or hard), a
/// device, another user's file. One process at a time holds it. Thread-bound; blocks only on the disk.
class PartFile {
  public:
    /// Opens the existing part, or creates an empty one with `mode`. `shown` is its path for messages. Throws
    /// Error{Usage} if something else is there or another process is writing it, and Error{Resource}.
    static PartFile open(UniqueFd folder, const std::string& name, mode_t mode, const std::string& shown);

    int descriptor() const { return file_.get(); }
    /// Renames it within its folder, replacing whatever has that name. Returns 0 or an errno value.
    [[nodiscard]] int rename(const std::string& name);
    /// Syncs the name to disk, if the file system supports that.
    void syncName() const;
    /// Removes it, unless its name has since passed to another file.
    void remove();

  private:
    PartFile(UniqueFd folder, std::string name, UniqueFd file)
        : folder_(std::move(folder)), name_(std::move(name)), file_(std::move(file)) {}
    static std::optional<PartFile> attempt(UniqueFd& folder, const std::string& name, mode_t mode,
                                           const std::string& shown);
    bool hasItsName() const;

    UniqueFd folder_;
    std::string name_;
    UniqueFd file_;  // locked until closed
};

}  // namespace verbcast
