// What OpenSSL's own benchmark says that this machine encrypts and decrypts.
#include <fmt/format.h>

#include <sstream>

#include "app/bench/bench_modes.h"
#include "app/bench/external_program.h"
#include "app/bench/limit_clock.h"
#include "core/session/frame_cipher.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

/// "+F:24:AES-256-GCM:4590432714.24": bytes a second.
double opensslSpeed(const LimitJob& job, bool decrypts) {
    if (!isInstalled("openssl")) {
        throw Error(ErrorKind::Device, "openssl is not installed", "apt-get install openssl");
    }
    std::vector<std::string> arguments;
    if (!job.pin.empty()) {
        arguments = {"taskset", "-c", fmt::to_string(decrypts ? job.pin.back() : job.pin.front())};
    }
    const std::string chunk = fmt::to_string(kCipherChunkBytes);
    for (const std::string& word :
         {std::string("openssl"), std::string("speed"), std::string("-mr"), std::string("-seconds"),
          std::string("1"), std::string("-bytes"), chunk, std::string("-evp"), std::string("aes-256-gcm")}) {
        arguments.push_back(word);
    }
    if (decrypts) {
        arguments.emplace_back("-decrypt");
    }
    ExternalProgram program(arguments);
    std::istringstream lines(program.waitForOutput(20s));
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("+F:")) {
            return std::stod(line.substr(line.rfind(':') + 1)) * 1e-9;
        }
    }
    throw Error(ErrorKind::Device, "openssl speed says no speed that is understood");
}

}  // namespace

Limit measureCipher(const LimitJob& job, bool decrypts) {
    return limitFrom(
        fmt::format("openssl speed {}aes-256-gcm", decrypts ? "-decrypt " : ""),
        fmt::format("one thread, {} KiB again and again, which stay in the caches", kCipherChunkBytes >> 10),
        [&] { return opensslSpeed(job, decrypts); });
}

}  // namespace verbcast
