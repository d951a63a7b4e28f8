#include "ffmpeg_reference.h"

#include <stdlib.h>

#include <cstdio>
#include <memory>
#include <ostream>
#include <sstream>
#include <stdexcept>

#include "core/video/frame_md5.h"

namespace verbcast::test {
namespace {

struct Output {
    std::string text;
    int status = 0;
};

Output run(const std::string& command) {
    Output output;
    std::FILE* pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) {
        throw std::runtime_error("cannot run " + command);
    }
    char buffer[65536];
    while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) {
        output.text.append(buffer, got);
    }
    output.status = ::pclose(pipe);
    return output;
}

std::string command(const std::string& arguments) {
    return "ffmpeg -nostdin -v error -y " + arguments;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "verbcast-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
        throw std::runtime_error("cannot make a folder " + name);
    }
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

bool hasFfmpeg() {
    static const bool found = run("ffmpeg -version 2>/dev/null").status == 0;
    return found;
}

void ffmpeg(const std::string& arguments) {
    const Output output = run(command(arguments) + " 2>&1");
    if (output.status != 0) {
        throw std::runtime_error("ffmpeg " + arguments + " failed: " + output.text);
    }
}

void PrintTo(const FrameSum& sum, std::ostream* out) {
    *out << sum.pts << ',' << sum.bytes << ',' << sum.md5;
}

std::vector<FrameSum> ffmpegFrameSums(const std::string& arguments) {
    const Output output = run(command(arguments) + " -f framemd5 - 2>/dev/null");
    std::vector<FrameSum> sums;
    std::istringstream lines(output.text);
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line[0] == '#') {
            continue;
        }
        // stream, dts, pts, duration, bytes, md5
        for (char& character : line) {
            character = character == ',' ? ' ' : character;
        }
        std::istringstream fields(line);
        std::int64_t stream = 0, dts = 0, duration = 0;
        FrameSum sum;
        fields >> stream >> dts >> sum.pts >> duration >> sum.bytes >> sum.md5;
        sums.push_back(sum);
    }
    return sums;
}

std::vector<std::uint8_t> ffmpegRaw(const std::string& arguments) {
    const Output output = run(command(arguments) + " -f rawvideo - 2>/dev/null");
    if (output.status != 0 || output.text.empty()) {
        throw std::runtime_error("ffmpeg " + arguments + " gave no data");
    }
    return {output.text.begin(), output.text.end()};
}

FrameSum sumOf(const CapturedFrame& frame) {
    return {frame.pts, tightBytes(frame.format), frameMd5(frame.format, frame.lease.data())};
}

std::vector<FrameSum> takeSums(FrameSource& source, std::size_t limit) {
    std::vector<FrameSum> sums;
    const Event never;
    CapturedFrame frame;
    while (sums.size() < limit && source.capture(frame, never) == Status::Ok) {
        EXPECT_EQ(formatProblem(frame.format), std::nullopt);
        EXPECT_LE(frame.format.payloadBytes, frame.lease.capacity());
        sums.push_back(sumOf(frame));
    }
    return sums;
}

}  // namespace verbcast::test
