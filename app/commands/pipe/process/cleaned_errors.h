// Cleans a remote program's standard error for our terminal.
#pragma once

#include <thread>

#include "core/base/os/event.h"
#include "core/base/os/unique_fd.h"

namespace verbcast {

/// Copies lines to our standard error, cleaned (cleanLine()), on its own thread until the other end is
/// closed.
class CleanedErrors {
  public:
    /// `errors`: the end to read from.
    explicit CleanedErrors(UniqueFd errors);
    ~CleanedErrors() { finish(); }

    /// Copies what is there already, and ends.
    void finish();

  private:
    void pass() const;

    const UniqueFd errors_;
    const Event stop_;
    std::jthread thread_;  // last: it uses the members above
};

}  // namespace verbcast
