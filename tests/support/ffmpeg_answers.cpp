#include "tests/support/ffmpeg_answers.h"

#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <system_error>

#include "tests/support/temporary_folder.h"

namespace verbcast::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestKept = 64 << 20;  // bytes

std::string sumOf(const std::string& text) {
    const XXH128_hash_t sum = XXH3_128bits(text.data(), text.size());
    std::array<char, 33> digits{};
    std::snprintf(digits.data(), digits.size(), "%016llx%016llx", static_cast<unsigned long long>(sum.high64),
                  static_cast<unsigned long long>(sum.low64));
    return digits.data();
}

/// Debian compiles the program and its libraries together.
std::string identityOf(const fs::path& program) {
    const fs::path file = fs::canonical(program);
    return file.string() + ' ' + std::to_string(fs::file_size(file)) + ' ' +
           std::to_string(fs::last_write_time(file).time_since_epoch().count());
}

bool namesATemporaryFile(const std::string& argument) {
    return argument.find(fs::temp_directory_path().string()) != std::string::npos;
}

/// What the call's answer depends on. Nullopt if that cannot be told.
std::optional<std::string> keyOf(const fs::path& program, const std::vector<std::string>& arguments) {
    std::string key = identityOf(program);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        const bool input = i > 0 && arguments[i - 1] == "-i";
        const bool file = input && fs::is_regular_file(argument);
        const bool graph = input && i > 2 && arguments[i - 2] == "lavfi";
        if ((input && !file && !graph) || argument == "concat") {
            return std::nullopt;  // a device, a pipe, several files
        }
        key += '\n';
        if (file) {
            key += fs::path(argument).filename().string() + ' ' + sumOf(contentOf(argument));
        } else if (i + 1 == arguments.size() && argument != "-") {
            if (argument.find('%') != std::string::npos) {
                return std::nullopt;  // several files
            }
            key += fs::path(argument).filename().string();
        } else if (namesATemporaryFile(argument)) {
            return std::nullopt;
        } else {
            key += argument;
        }
    }
    return key;
}

fs::path with(fs::path file, const std::string& suffix) {
    return file += suffix;
}

}  // namespace

FfmpegCall::FfmpegCall(const fs::path& program, const std::vector<std::string>& arguments) {
    const char* const folder = ::getenv("VERBCAST_TEST_FFMPEG");
    if (folder == nullptr || program.empty() || arguments.empty()) {
        return;
    }
    const auto key = keyOf(program, arguments);
    if (!key) {
        return;
    }
    std::error_code ignored;
    fs::create_directories(folder, ignored);
    kept_ = fs::path(folder) / sumOf(*key);
    if (arguments.back() != "-") {
        output_ = arguments.back();
    }
}

std::optional<std::string> FfmpegCall::answer() const {
    if (kept_.empty() || !fs::exists(with(kept_, ".out"))) {
        return std::nullopt;
    }
    std::error_code failed;
    if (!output_.empty()) {
        fs::copy_file(with(kept_, ".file"), output_, fs::copy_options::overwrite_existing, failed);
    }
    return failed ? std::nullopt : std::optional(contentOf(with(kept_, ".out")));
}

void FfmpegCall::keep(const std::string& standardOutput) const {
    std::error_code failed;
    if (kept_.empty() || standardOutput.size() > kLargestKept ||
        (!output_.empty() && !(fs::file_size(output_, failed) <= kLargestKept))) {
        return;
    }
    // Others may keep the same at the same time; ".out" comes last and says that all is there.
    const fs::path made = with(kept_, '.' + std::to_string(::getpid()));
    if (!output_.empty()) {
        fs::copy_file(output_, made, fs::copy_options::overwrite_existing, failed);
        if (failed) {
            return;
        }
        fs::rename(made, with(kept_, ".file"), failed);
    }
    std::ofstream(made, std::ios::binary) << standardOutput;
    if (!failed && fs::file_size(made, failed) == standardOutput.size()) {
        fs::rename(made, with(kept_, ".out"), failed);
    }
}

}  // namespace verbcast::testing
