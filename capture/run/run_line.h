// What a program with our library in it tells `verbcast run`, and asks of it.
#pragma once

#include <string>

#include "core/base/unique_fd.h"

namespace verbcast {

enum class RunStatus : char {
    Loaded = 'l',        ///< into a program of the process tree
    Swapped = 's',       ///< the program has shown an OpenGL picture
    WantsFigures = 'f',  ///< it is sent the descriptor for them, see RunLine
};

/// The end of `verbcast run`: a socket with a name, so that nothing has to be inherited: a launcher may close
/// all descriptors, or have others of their numbers. Hears its own user alone. Thread-bound.
class RunLine {
  public:
    /// `figures` stays the caller's; -1: there is none to hand out. Throws Error{Resource}.
    explicit RunLine(int figures);

    /// For RunSettings.
    const std::string& name() const { return name_; }
    /// Readable when somebody has told something.
    int descriptor() const { return socket_.get(); }
    /// Takes all that has come.
    void hear();
    bool loaded() const { return loaded_; }
    bool swapped() const { return swapped_; }

  private:
    UniqueFd socket_;
    std::string name_;
    int figures_;
    bool loaded_ = false, swapped_ = false;
};

/// The library's end. `runner`: RunLine::name(). Nothing happens where nobody listens any more; a runner that
/// has no time is waited for, at most a second, but not to hear that we are loaded.
void tellRunner(const std::string& runner, RunStatus status);
/// The descriptor for figures. Empty: the runner has none, or does not answer.
UniqueFd askRunnerForFigures(const std::string& runner);

}  // namespace verbcast
