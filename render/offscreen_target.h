// Something to draw into without a window, and the wait that measuring needs.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace verbcast {

/// An 8-bit RGB target with its bytes in the order that windows mostly have. Thread-bound like the context
/// that is current when it is made.
class OffscreenTarget {
  public:
    /// Throws Error{Display} when the driver cannot draw into this size.
    OffscreenTarget(int width, int height);
    ~OffscreenTarget();
    OffscreenTarget(const OffscreenTarget&) = delete;
    OffscreenTarget& operator=(const OffscreenTarget&) = delete;

    int width() const { return width_; }
    int height() const { return height_; }
    /// What is drawn from now on goes here.
    void bind();
    /// Reads the picture into memory of this object's, four bytes a pixel, in the order that the driver keeps
    /// it in. Blocks until it was drawn and is there.
    const std::vector<std::byte>& read();

  private:
    struct State;
    int width_, height_;
    std::unique_ptr<State> state_;
    std::vector<std::byte> pixels_;
};

/// Blocks until OpenGL has done everything that it was told so far.
void finishGl();

}  // namespace verbcast
