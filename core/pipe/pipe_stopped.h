// Pipe endings that are not internal errors.
#pragma once

#include <stdexcept>
#include <string>

namespace verbcast {

/// The pipe ended like a program in a shell pipeline: interrupted (130), or without a reader (141).
class PipeStopped : public std::runtime_error {
  public:
    PipeStopped(int exitCode, const std::string& text) : std::runtime_error(text), exitCode_(exitCode) {}
    int exitCode() const { return exitCode_; }

  private:
    int exitCode_;
};

}  // namespace verbcast
