// Ends of a pipe that are no errors of ours.
#pragma once

#include <stdexcept>
#include <string>

namespace verbcast {

/// The pipe ended as programs in a shell's pipe do: interrupted (130), or without a reader (141).
class PipeStopped : public std::runtime_error {
  public:
    PipeStopped(int exitCode, const std::string& text) : std::runtime_error(text), exitCode_(exitCode) {}
    int exitCode() const { return exitCode_; }

  private:
    int exitCode_;
};

}  // namespace verbcast
