#include "app/key_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "app/shell_words.h"
#include "core/base/error.h"
#include "core/base/unique_fd.h"
#include "core/session/session_key.h"

namespace verbcast {
namespace {

void writeSecret(const std::string& path, const std::string& secret) {
    const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file && errno == EEXIST) {
        throw Error(ErrorKind::Usage, fmt::format("{} exists", path),
                    "name another file, or remove it: sessions that use its key will refuse the new one");
    }
    const bool written =
        file && ::write(file.get(), secret.data(), secret.size()) == static_cast<ssize_t>(secret.size()) &&
        ::fsync(file.get()) == 0;
    if (!written) {
        const int code = errno;
        if (file) {
            ::unlink(path.c_str());
        }
        throwErrno(ErrorKind::Usage, "writing the key", path, code, "name a file that you may write");
    }
}

}  // namespace

std::string defaultKeyFile() {
    if (const char* config = std::getenv("XDG_CONFIG_HOME"); config != nullptr && *config == '/') {
        return std::string(config) + "/verbcast/key";
    }
    if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
        return std::string(home) + "/.config/verbcast/key";
    }
    throw Error(ErrorKind::Usage, "there is no home to keep a key in", "name a file: verbcast key new FILE");
}

int runNewKey(const NewKeyOptions& options) {
    const std::string secret = SessionKey::random().text() + "\n";
    if (options.file == "-") {
        fmt::print("{}", secret);
        return 0;
    }
    const std::string path = options.file.empty() ? defaultKeyFile() : options.file;
    if (options.file.empty()) {
        std::error_code failed;  // writing says why
        std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
    }
    writeSecret(path, secret);
    const std::string word = shellQuoted(std::string_view(path));
    fmt::print(
        "A new key is in {}. Give both ends a copy by a safe way, for example\n"
        "  scp -p {} HOST:{}\n"
        "and name it there and here: --key-file {}\n",
        path, word, word, word);
    return 0;
}

}  // namespace verbcast
