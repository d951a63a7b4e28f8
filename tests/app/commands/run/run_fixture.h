// `verbcast run` on an X server of its own, and a viewer that checks single pixels.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
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

/// What a viewer keeps of a frame.
struct SeenPicture {
    Colour middle;
    std::size_t content = 0;  ///< a hash of all pixels
    std::uint64_t inputSequence = 0;
    std::uint32_t width = 0, height = 0;
};

class ColourViewer {
  public:
    explicit ColourViewer(const std::string& address);

    /// Nothing on timeout.
    std::optional<SeenPicture> next(std::chrono::milliseconds patience = kPatience);
    /// The first picture that satisfies `isIt`. Nothing on timeout.
    std::optional<SeenPicture> awaitPicture(const std::function<bool(const SeenPicture&)>& isIt);
    std::optional<SeenPicture> awaitColour(const Colour& colour);

    /// Sends the event and waits until a picture has the colour. The picture that acknowledges the event must
    /// be the same one or at most two before or after it: programs do not report when they read their events.
    /// If no further picture follows, the next event's picture may acknowledge both.
    ::testing::AssertionResult becomes(const Colour& colour, const InputEvent& event);

    FrameReceiver& receiver() { return receiver_; }

  private:
    FrameReceiver receiver_;
};

/// While this is there, scenes show nothing but their first picture until begin(): so none ends before its
/// viewer has come, however slow the machine is.
class HeldScene {
  public:
    explicit HeldScene(const std::string& file) : file_(file) { ::setenv("SCENE_GO", file.c_str(), 1); }
    ~HeldScene() { ::unsetenv("SCENE_GO"); }
    HeldScene(const HeldScene&) = delete;
    HeldScene& operator=(const HeldScene&) = delete;
    void begin() const { const std::ofstream there(file_); }

  private:
    const std::string file_;
};

class RunTest : public ProgramTest {
  protected:
    std::string address() const;
    /// `verbcast run`'s arguments.
    Arguments run(const Arguments& program, const Arguments& options = {}) const;
    /// Ends a program that would run forever.
    static ::testing::AssertionResult endsBySignal(Verbcast& running);

    XServer screen_{"1920x1080x24"};
};

inline InputEvent key(std::uint32_t keysym, bool pressed) {
    return {.kind = InputKind::Key, .pressed = pressed, .code = keysym};
}

}  // namespace verbcast::testing
