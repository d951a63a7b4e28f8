// Threads of a library: signals are for the program's own.
#pragma once

#include <pthread.h>

#include <csignal>

namespace verbcast {

/// Blocks all signals for the calling thread while it lives: threads that it starts meanwhile, and threads
/// that those start, handle none.
class SignalsBlocked {
  public:
    SignalsBlocked() {
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_BLOCK, &all, &before_);
    }
    ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

  private:
    sigset_t before_;
};

}  // namespace verbcast
