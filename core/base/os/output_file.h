// Opens the files that the program writes.
#pragma once

#include <sys/types.h>

#include <string>

#include "core/base/os/unique_fd.h"

namespace verbcast {

/// What a path leads to, for writing. Its descriptors are O_PATH: they pin the place without opening it.
struct OutputPlace {
    UniqueFd folder{};   ///< empty: there is none, and errno says why
    std::string name{};  ///< in the folder
    UniqueFd found{};    ///< what has that name; empty: nothing yet
    mode_t kind = 0;     ///< of what was found: S_IFREG, S_IFIFO, ...

    /// Opens what was found, emptying a file, or creates one. Nothing, with errno set, if that fails: EEXIST
    /// if something has come there meanwhile.
    UniqueFd open(int flags = 0) const;
};

/// What to do with an existing file.
enum class Existing {
    Emptied,
    Refused,   ///< Error{Usage}, if it holds anything
    Replaced,  ///< emptied, but not through a link: Error{Usage}
};

/// Follows the user's own links. Throws Error{Usage} for whatever others may have planted there to get
/// another file overwritten or to read what is written:
/// - a link that is another user's (not the user's nor root's), or that lies in a folder which everybody can
///   write to (/tmp);
/// - a file with a second name (a hard link) that is another user's, or lies in such a folder or in another
///   user's folder;
/// - another user's file or named pipe in a folder which everybody can write to;
/// - a file that `existing` keeps. Open files (/dev/stdout) and devices are exempt.
OutputPlace findOutput(const std::string& path, Existing existing = Existing::Emptied);

/// Opens or creates a file for writing, empty, or opens a device or named pipe. `flags`: further ones of
/// open(2). Nothing, with errno set, if that fails. Throws as findOutput() does. Every file that is not
/// written aside and renamed is opened by this.
UniqueFd openOutput(const std::string& path, int flags = 0, Existing existing = Existing::Emptied);

/// What to do about a write that failed with this errno value; "" if that is unknown.
const char* unwrittenRemedy(int code);

/// Throws Error{Usage}: `what` is where the file at `path` is to be written.
[[noreturn]] void throwInItsPlace(const std::string& path, const char* what);

}  // namespace verbcast
