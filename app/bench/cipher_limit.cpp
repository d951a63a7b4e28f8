// What OpenSSL's own benchmark says that this machine encrypts and decrypts.
#include <fmt/format.h>

#include <memory>
#include <sstream>

#include "app/bench/bench_modes.h"
#include "app/bench/external_program.h"
#include "app/bench/limit_clock.h"
#include "core/session/frame_cipher.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

std::unique_ptr<ExternalProgram> startOpenssl(const LimitJob& job, bool decrypts) {
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
    return std::make_unique<ExternalProgram>(arguments);
}

/// "+F:24:AES-256-GCM:4590432714.24": bytes a second.
double speedOf(ExternalProgram& openssl) {
    std::istringstream lines(openssl.waitForOutput(20s));
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("+F:")) {
            return std::stod(line.substr(line.rfind(':') + 1)) * 1e-9;
        }
    }
    throw Error(ErrorKind::Device, "openssl speed printed no speed");
}

}  // namespace

CipherLimits measureCipher(const LimitJob& job) {
    const std::string note =
        fmt::format("encrypting and decrypting at once, one thread each, the same {} KiB in the caches",
                    kCipherChunkBytes >> 10);
    std::unique_ptr<ExternalProgram> sealing, opening;
    CipherLimits limits;
    limits.seal = limitFrom("openssl speed aes-256-gcm", note, [&] {
        sealing = startOpenssl(job, false);
        opening = startOpenssl(job, true);
        return speedOf(*sealing);
    });
    limits.open = limitFrom("openssl speed -decrypt aes-256-gcm", note, [&] {
        if (!opening) {
            opening = startOpenssl(job, true);  // says why it cannot
        }
        return speedOf(*opening);
    });
    return limits;
}

}  // namespace verbcast
