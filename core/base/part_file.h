// A file that is written beside its place and gets its name when it is whole.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/unique_fd.h"

namespace verbcast {

/// What to do where one cannot write.
inline constexpr const char* kChooseWritable = "choose a file in a folder that exists and can be written";

/// The folder of `path`, to open files in. Throws Error{Usage} when there is none.
UniqueFd folderOf(const std::string& path);
/// The last component of `path`.
std::string nameIn(const std::string& path);
/// "PREFIX.0123456789abcdef": a name that nobody can guess.
std::string unguessableName(const std::string& prefix);

/// Its name can be guessed, and is the same again, so that whatever was interrupted can go on. What somebody
/// else may have put there is therefore never written to: a link (symbolic or hard), a device, another user's
/// file. One process at a time has it. Thread-bound; blocks on the disk only.
class PartFile {
  public:
    /// What a file was at a moment: the same again only if nobody wrote to it since.
    struct State {
        std::uint64_t inode = 0;
        std::uint64_t bytes = 0;
        std::int64_t changedAt = 0;  ///< in nanoseconds
        bool operator==(const State&) const = default;
    };

    /// The part that is there, or a new, empty one with `mode`. `shown` is its place for people. Throws
    /// Error{Usage}: something else is there, or another process writes it; Error{Resource}.
    static PartFile open(UniqueFd folder, const std::string& name, mode_t mode, const std::string& shown);
    /// The part that is there; nothing if there is none. Throws as open().
    static std::optional<PartFile> openExisting(UniqueFd folder, const std::string& name,
                                                const std::string& shown);

    int descriptor() const { return file_.get(); }
    State state() const;
    /// Gives it this name in its folder, in the place of whatever has it. Returns 0 or an errno value.
    [[nodiscard]] int rename(const std::string& name);
    /// The name has reached the disk, where the file system knows of such a thing.
    void syncName() const;
    /// Removes it, unless its name is another file's by now.
    void remove();

  private:
    PartFile(UniqueFd folder, std::string name, UniqueFd file)
        : folder_(std::move(folder)), name_(std::move(name)), file_(std::move(file)) {}
    static std::optional<PartFile> attempt(UniqueFd& folder, const std::string& name,
                                           std::optional<mode_t> mode, const std::string& shown);
    bool hasItsName() const;

    UniqueFd folder_;
    std::string name_;
    UniqueFd file_;  // locked until it is closed
};

}  // namespace verbcast
