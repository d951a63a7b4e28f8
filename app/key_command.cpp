#include "app/key_command.h"

#include <fmt/format.h>

#include "app/key_file.h"
#include "app/shell_words.h"
#include "core/session/session_key.h"

namespace verbcast {
int runNewKey(const NewKeyOptions& options) {
    if (options.file == "-") {
        fmt::print("{}\n", SessionKey::random().text());
        return 0;
    }
    const std::string path = options.file.empty() ? defaultKeyFile() : options.file;
    writeNewKey(path);
    const std::string word = shellQuoted(std::string_view(path));
    fmt::print(
        "A new key is in {}. Give both ends a copy by a safe way, for example\n"
        "  scp -p {} HOST:{}\n"
        "and name it there and here: --key-file {}\n",
        path, word, word, word);
    return 0;
}

}  // namespace verbcast
