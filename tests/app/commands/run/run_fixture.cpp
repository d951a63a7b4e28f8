#include "tests/app/commands/run/run_fixture.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string_view>

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

ReceiverOptions receiverOptions(const std::string& address) {
    ReceiverOptions options;
    options.url = parseUrl(address);
    options.peerTimeout = 5s;
    return options;
}

}  // namespace

ColourViewer::ColourViewer(const std::string& address) : receiver_(receiverOptions(address)) {}

std::optional<SeenPicture> ColourViewer::next(std::chrono::milliseconds patience) {
    ReceivedFrame frame;
    if (receiver_.receive(frame, patience) != Status::Ok) {
        return std::nullopt;
    }
    const VideoFormat& format = *frame.format;
    const Plane& plane = format.planes[0];
    const std::byte* pixels = frame.lease.data() + plane.offset;
    const std::byte* middle =
        pixels + std::size_t{format.height / 2} * plane.stride + std::size_t{format.width / 2} * 4;
    const bool bgra = format.pixelFormat == PixelFormat::bgra;
    const std::string_view all(reinterpret_cast<const char*>(pixels),
                               std::size_t{plane.stride} * format.height);
    return SeenPicture{.middle = {std::to_integer<int>(middle[bgra ? 2 : 0]), std::to_integer<int>(middle[1]),
                                  std::to_integer<int>(middle[bgra ? 0 : 2])},
                       .content = std::hash<std::string_view>{}(all),
                       .inputSequence = frame.info.inputSequence,
                       .width = format.width,
                       .height = format.height};
}

std::optional<SeenPicture> ColourViewer::awaitPicture(const std::function<bool(const SeenPicture&)>& isIt) {
    const auto deadline = TestClock::now() + kPatience;
    while (TestClock::now() < deadline) {
        const auto picture = next(std::chrono::duration_cast<std::chrono::milliseconds>(kPatience));
        if (!picture || isIt(*picture)) {
            return picture;
        }
    }
    return std::nullopt;
}

std::optional<SeenPicture> ColourViewer::awaitColour(const Colour& colour) {
    return awaitPicture([&](const SeenPicture& picture) { return picture.middle == colour; });
}

::testing::AssertionResult ColourViewer::becomes(const Colour& colour, const InputEvent& event) {
    // After this long without another picture the program draws on demand and reports the event with its next
    // picture.
    constexpr std::chrono::milliseconds kQuiet(500);
    const std::uint64_t number = receiver_.sendInput(event);
    if (number == 0) {
        return ::testing::AssertionFailure() << "the event was not sent";
    }
    const auto deadline = TestClock::now() + kPatience;
    int count = 0, told = -1, shown = -1;
    Colour last;
    while (TestClock::now() < deadline && (shown < 0 || told < 0) && (shown < 0 || count <= shown + 2)) {
        const auto picture = next(shown < 0 ? kPatience : kQuiet);
        if (!picture) {
            break;
        }
        last = picture->middle;
        told = told < 0 && picture->inputSequence >= number ? count : told;
        shown = shown < 0 && last == colour ? count : shown;
        ++count;
    }
    if (shown < 0) {
        return ::testing::AssertionFailure()
               << "after " << count << " pictures, the last of " << ::testing::PrintToString(last)
               << ": not shown" << (told < 0 ? ", not told" : ", told");
    }
    if (told < 0 ? count > shown + 2 : std::abs(told - shown) > 2) {
        return ::testing::AssertionFailure() << "shown by picture " << shown << ", told by " << told;
    }
    return ::testing::AssertionSuccess();
}

std::string RunTest::address() const {
    return "shm://run-" + std::to_string(::getpid());
}

Arguments RunTest::run(const Arguments& program, const Arguments& options) const {
    Arguments arguments{"run", "--listen", address()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.emplace_back("--");
    arguments.insert(arguments.end(), program.begin(), program.end());
    return arguments;
}

::testing::AssertionResult RunTest::endsBySignal(Verbcast& running) {
    running.signal(SIGTERM);
    return endsWith(running, 128 + SIGTERM);
}

}  // namespace verbcast::testing
