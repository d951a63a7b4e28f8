#include "tests/support/ffmpeg_program.h"

#include <ostream>
#include <sstream>
#include <stdexcept>

#include "tests/support/child_process.h"
#include "tests/support/ffmpeg_answers.h"
#include "tests/support/installed_programs.h"

namespace verbcast::testing {
namespace {

/// "" if there is none.
const std::string& program() {
    static const std::string found = installedFile("ffmpeg");
    return found;
}

}  // namespace

bool hasFfmpeg() {
    return !program().empty();
}

std::string ffmpeg(const std::vector<std::string>& arguments) {
    const FfmpegCall call(program(), arguments);
    if (auto answer = call.answer()) {
        return *answer;
    }
    std::vector<std::string> command{"ffmpeg", "-nostdin", "-v", "error", "-y"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    ChildProcess child(command);
    const auto code = child.waitForEnd();
    if (code != 0) {
        std::string text;
        for (const std::string& word : command) {
            text += word + ' ';
        }
        throw std::runtime_error(text + "failed: " + child.errors());
    }
    call.keep(child.output());
    return child.output();
}

void PrintTo(const FrameSum& sum, std::ostream* out) {
    *out << sum.pts << ',' << sum.bytes << ',' << sum.md5;
}

std::vector<FrameSum> ffmpegFrameSums(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"-f", "framemd5", "-"});
    return frameSumsIn(ffmpeg(arguments));
}

std::vector<FrameSum> frameSumsIn(const std::string& framemd5) {
    std::vector<FrameSum> sums;
    std::istringstream lines(framemd5);
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

std::string movingPicture(int width, int height, const std::string& pixelFormat) {
    return "testsrc2=rate=25:size=" + std::to_string(width) + "x" + std::to_string(height) +
           ",format=rgb24,format=" + pixelFormat;
}

}  // namespace verbcast::testing
