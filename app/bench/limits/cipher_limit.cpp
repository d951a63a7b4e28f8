// Measures encryption and decryption with OpenSSL's own benchmark.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <sstream>

#include "app/bench/limits/external_program.h"
#include "app/bench/limits/limit_clock.h"
#include "core/session/trust/frame_cipher.h"

namespace verbcast {
namespace {

constexpr std::chrono::seconds kOpensslPatience{20};

std::unique_ptr<ExternalProgram> startOpenssl(const LimitJob& job, bool decrypts) {
    requireInstalled("openssl", "openssl");
    std::vector<std::string> arguments;
    if (!job.pin.empty()) {
        arguments = {"taskset", "-c", fmt::to_string(decrypts ? job.pin.back() : job.pin.front())};
    }
    arguments.insert(arguments.end(), {"openssl", "speed", "-mr", "-seconds", "1", "-bytes",
                                       fmt::to_string(kCipherChunkBytes), "-evp", "aes-256-gcm"});
    if (decrypts) {
        arguments.emplace_back("-decrypt");
    }
    return std::make_unique<ExternalProgram>(arguments);
}

}  // namespace

double opensslSpeed(const std::string& output) {
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("+F:")) {
            continue;
        }
        const std::string text = line.substr(line.rfind(':') + 1);
        const double speed = std::strtod(text.c_str(), nullptr) * 1e-9;
        // OpenSSL divides by its CPU time, which may be 0.
        if (!std::isfinite(speed) || speed <= 0) {
            throw Error(ErrorKind::Device,
                        fmt::format("openssl speed says {} bytes a second: it got no processor time", text));
        }
        return speed;
    }
    throw Error(ErrorKind::Device, "openssl speed printed no speed");
}

CipherLimits measureCipher(const LimitJob& job) {
    const std::string note =
        fmt::format("encrypting and decrypting at once, one thread each, the same {} KiB in the caches",
                    kCipherChunkBytes >> 10);
    std::unique_ptr<ExternalProgram> sealing, opening;
    CipherLimits limits;
    limits.seal = limitFrom("openssl speed aes-256-gcm", note, [&] {
        sealing = startOpenssl(job, false);
        opening = startOpenssl(job, true);
        return opensslSpeed(sealing->waitForOutput(kOpensslPatience));
    });
    limits.open = limitFrom("openssl speed -decrypt aes-256-gcm", note, [&] {
        if (!opening) {
            opening = startOpenssl(job, true);  // throws why it cannot start
        }
        return opensslSpeed(opening->waitForOutput(kOpensslPatience));
    });
    return limits;
}

}  // namespace verbcast
