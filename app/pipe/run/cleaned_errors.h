// What a program of another host writes to its standard error, made fit for our terminal.
#pragma once

#include <thread>

#include "core/base/event.h"
#include "core/base/unique_fd.h"

namespace verbcast {

/// Passes lines on to our standard error, cleaned (cleanLine()), on a thread of its own until that end is
/// closed.
class CleanedErrors {
  public:
    /// `errors`: to read from.
    explicit CleanedErrors(UniqueFd errors);
    ~CleanedErrors() { finish(); }

    /// Passes on what is there by now, and ends.
    void finish();

  private:
    void pass() const;

    const UniqueFd errors_;
    const Event stop_;
    std::jthread thread_;  // last: it uses what is above
};

}  // namespace verbcast
