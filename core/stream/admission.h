// How receivers come into an audience.
#pragma once

#include <string>
#include <vector>

namespace verbcast {

/// Uses the audience until it is destroyed. Thread-safe.
class Admission {
  public:
    virtual ~Admission() = default;
    /// Where it listens; empty if it dials.
    virtual std::vector<std::string> addresses() const = 0;
    /// Lets nobody else in.
    virtual void close() = 0;
    /// Rethrows why there will be no receiver, if that is so.
    virtual void rethrowFailure() const = 0;
};

}  // namespace verbcast
