#include "tests/support/verbcast_program.h"

#include <fcntl.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/support/noise.h"
#include "tests/support/required_package.h"

namespace verbcast::testing {
namespace {

Arguments commandLine(const Arguments& arguments) {
    Arguments command{verbcastPath()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
}

std::vector<std::string> sharedMemoryNames() {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm", ignored)) {
        if (const auto name = entry.path().filename().string(); name.find("verbcast") != std::string::npos) {
            names.push_back(name);
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace

std::string verbcastPath() {
    const char* path = std::getenv("VERBCAST_PROGRAM");
    return path != nullptr ? path : VERBCAST_PROGRAM;
}

Verbcast::Verbcast(const Arguments& arguments, const TemporaryFolder& folder, int input, int output)
    : ChildProcess(commandLine(arguments), {.folder = folder.path(), .input = input, .output = output}) {}

std::string Verbcast::listenAddress() {
    const std::string before = "waiting for a ";
    const std::string between = " on ";
    if (!waitForError(before) || !waitForError("\n", errors().find(before))) {
        throw std::runtime_error("verbcast does not listen: " + errors());
    }
    const std::string text = errors();
    const std::size_t begin = text.find(between, text.find(before)) + between.size();
    return text.substr(begin, text.find_first_of(", \n", begin) - begin);
}

std::vector<std::string> md5Lines(const std::string& path) {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) {
        if (line != "#sequence,pts,bytes,md5") {
            lines.push_back(line);
        }
    }
    return lines;
}

std::vector<FrameSum> frameSums(const std::string& path, Gaps gaps) {
    std::vector<FrameSum> sums;
    for (const std::string& line : md5Lines(path)) {
        std::istringstream fields(line);
        std::string sequence, pts, bytes;
        FrameSum sum;
        std::getline(fields, sequence, ',');
        std::getline(fields, pts, ',');
        std::getline(fields, bytes, ',');
        std::getline(fields, sum.md5);
        if (gaps == Gaps::None) {
            EXPECT_EQ(sequence, std::to_string(sums.size())) << "in " << path;
        }
        sum.pts = std::stoll(pts);
        sum.bytes = std::stoull(bytes);
        sums.push_back(sum);
    }
    return sums;
}

nlohmann::json readJson(const std::string& path) {
    std::ifstream file(path);
    if (!file) {
        throw std::runtime_error("there is no " + path);
    }
    return nlohmann::json::parse(file);
}

::testing::AssertionResult endsWith(ChildProcess& program, int exitCode) {
    const auto code = program.waitForEnd();
    if (code == exitCode) {
        return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure() << (code ? "it ended with " + std::to_string(*code) : "it runs on")
                                         << " instead of " << exitCode << "; it said:\n"
                                         << program.errors();
}

std::size_t residentKilobytes(const ChildProcess& program) {
    std::ifstream status("/proc/" + std::to_string(program.pid()) + "/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmRSS:")) {
            return std::stoul(line.substr(6));
        }
    }
    return 0;
}

::testing::AssertionResult holds(const std::string& text, const std::string& part) {
    if (text.find(part) != std::string::npos) {
        return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure() << "\"" << part << "\" is missing in:\n" << text;
}

void ProgramTest::SetUp() {
    sharedMemory_ = sharedMemoryNames();
}

void ProgramAndFfmpegTest::SetUp() {
    ProgramTest::SetUp();
    if (!hasFfmpeg()) {
        SKIP_FOR_WANT_OF_A_PACKAGE()
            << "the ffmpeg program is not installed: nothing to make files with or to compare to";
    }
}

std::string ProgramTest::makeContent(std::size_t bytes) const {
    const std::string text = noise(bytes);
    std::ofstream(file("content"), std::ios::binary) << text;
    return text;
}

UniqueFd ProgramTest::opened(const std::string& name) const {
    return UniqueFd(::open(file(name).c_str(), O_RDONLY | O_CLOEXEC));
}

UniqueFd ProgramTest::created(const std::string& name) const {
    return UniqueFd(::open(file(name).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
}

void ProgramTest::TearDown() {
    EXPECT_EQ(home_.names(), std::vector<std::string>{}) << "left behind by a program";
    EXPECT_EQ(sharedMemoryNames(), sharedMemory_) << "left behind in /dev/shm";
}

}  // namespace verbcast::testing
