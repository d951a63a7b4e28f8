#include "core/base/os/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/os/output_file.h"
#include "core/base/os/part_file.h"
#include "core/base/os/standard_streams.h"

namespace verbcast {
namespace {

/// Creates a file in the same folder, under a name that nobody can have guessed.
std::pair<UniqueFd, std::string> makeAside(const OutputPlace& place, const std::string& path) {
    std::string name = unguessableName(place.name);
    UniqueFd file(::openat(place.folder.get(), name.c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!file) {
        throwErrno(ErrorKind::Usage, "writing", path, errno, kChooseWritable);
    }
    return {std::move(file), std::move(name)};
}

/// Throws for a folder, too.
OutputPlace placeOf(const std::string& path) {
    OutputPlace place = findOutput(path);
    if (!place.folder || place.kind == S_IFDIR) {
        throwErrno(ErrorKind::Usage, "writing", path, place.folder ? EISDIR : errno, kChooseWritable);
    }
    return place;
}

/// Renaming would replace a pipe or device by a file.
bool isWrittenDirectly(const OutputPlace& place) {
    return place.found && place.kind != S_IFREG;
}

/// Returns 0 or the errno of what failed.
int writeAndClose(UniqueFd file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t put = ::write(file.get(), text.data(), text.size());
        if (put < 0 && errno != EINTR) {
            return errno;
        }
        text.remove_prefix(put > 0 ? static_cast<std::size_t>(put) : 0);
    }
    return ::close(file.release()) == 0 ? 0 : errno;
}

}  // namespace

void writeWhole(const std::string& path, const std::string& text) {
    if (path == "-") {
        writeToStdout(text);
        return flushStdout();
    }
    const OutputPlace place = placeOf(path);
    int code = 0;
    if (isWrittenDirectly(place)) {
        UniqueFd file = place.open();
        if (!file) {
            throwErrno(ErrorKind::Usage, "writing", path, errno, kChooseWritable);
        }
        code = writeAndClose(std::move(file), text);
    } else {
        auto [file, aside] = makeAside(place, path);
        const int folder = place.folder.get();
        code = writeAndClose(std::move(file), text);
        if (code == 0 && ::renameat(folder, aside.c_str(), folder, place.name.c_str()) != 0) {
            code = errno;
        }
        if (code != 0) {
            ::unlinkat(folder, aside.c_str(), 0);
        }
    }
    if (code != 0) {
        throwErrno(ErrorKind::Resource, "writing", path, code, unwrittenRemedy(code));
    }
}

void checkWritable(const std::string& path) {
    if (path.empty() || path == "-") {
        return;
    }
    const OutputPlace place = placeOf(path);
    if (isWrittenDirectly(place)) {
        if (::access(path.c_str(), W_OK) != 0) {
            throwErrno(ErrorKind::Usage, "writing", path, errno, kChooseWritable);
        }
        return;
    }
    ::unlinkat(place.folder.get(), makeAside(place, path).second.c_str(), 0);
}

}  // namespace verbcast
