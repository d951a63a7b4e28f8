// `verbcast run` on an X server of its own, and a viewer that looks at single pixels.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/stream/frame_receiver.h"
#include "tests/support/verbcast_program.h"
#include "tests/support/x_screen.h"

namespace verbcast::testing {

/// The pixel in the middle of a picture.
struct Colour {
    int red = 0, green = 0, blue = 0;
    friend bool operator==(const Colour&, const Colour&) = default;
    friend void PrintTo(const Colour& colour, std::ostream* out) {
        *out << colour.red << ", " << colour.green << ", " << colour.blue;
    }
};

/// What a viewer has of a frame.
struct SeenPicture {
    Colour middle;
    std::size_t content = 0;  ///< a hash of all pixels
    std::uint64_t inputSequence = 0;
    std::uint32_t width = 0, height = 0;
};

class ColourViewer {
  public:
    explicit ColourViewer(const std::string& address);

    /// Nothing: none came in time.
    std::optional<SeenPicture> next(std::chrono::milliseconds patience = kPatience);
    /// The first picture that is so. Nothing: none came in time.
    std::optional<SeenPicture> awaitPicture(const std::function<bool(const SeenPicture&)>& isIt);
    std::optional<SeenPicture> awaitColour(const Colour& colour);

    /// Sends the event and waits until a picture has the colour. That which tells of the event must be it, or
    /// be at most two before or behind it: programs do not tell when they read their events. Where no picture
    /// follows, the next event's may tell of both.
    ::testing::AssertionResult becomes(const Colour& colour, const InputEvent& event);

    FrameReceiver& receiver() { return receiver_; }

  private:
    FrameReceiver receiver_;
};

class RunTest : public ProgramTest {
  protected:
    std::string address() const;
    /// `verbcast run`'s arguments.
    Arguments run(const Arguments& program, const Arguments& options = {}) const;
    /// Ends a program that would run for ever.
    static ::testing::AssertionResult endsBySignal(Verbcast& running);

    XServer screen_{"1920x1080x24"};
};

inline InputEvent key(std::uint32_t keysym, bool pressed) {
    return {.kind = InputKind::Key, .pressed = pressed, .code = keysym};
}

}  // namespace verbcast::testing
