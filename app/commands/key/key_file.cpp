#include "app/commands/key/key_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>

#include "core/base/error.h"
#include "core/base/os/private_file.h"
#include "core/base/os/unique_fd.h"
#include "core/session/trust/session_key.h"

namespace verbcast {
namespace {

bool writeAll(int file, std::string_view bytes) {
    return ::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()) &&
           ::fsync(file) == 0;
}

std::optional<std::string> keyFileOfHome() {
    return configFile("key");
}

}  // namespace

std::string defaultKeyFile() {
    if (const auto path = keyFileOfHome()) {
        return *path;
    }
    throw Error(ErrorKind::Usage, "there is no home folder to keep a key in",
                "name a file: verbcast key new FILE");
}

void writeKeyFile(const std::string& path, std::string_view secret) {
    if (path == keyFileOfHome()) {
        std::error_code failed;  // writing reports the reason
        std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
    }
    const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file && errno == EEXIST) {
        throw Error(ErrorKind::Usage, fmt::format("{} exists", path),
                    "name another file, or remove it: sessions that use its key will refuse the new one");
    }
    if (!file || !writeAll(file.get(), std::string(secret) + "\n")) {
        const int code = errno;
        if (file) {
            ::unlink(path.c_str());
        }
        throwErrno(ErrorKind::Usage, "writing the key", path, code, "name a file that you may write");
    }
}

void writeNewKey(const std::string& path) {
    writeKeyFile(path, SessionKey::random().text());
}

}  // namespace verbcast
