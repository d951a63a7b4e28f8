// What a fuzz target is, and what counts as a fault.
//
// All targets are one program, which selects one by the name it is called by: scripts/fuzz creates a link for
// each target's name, so that each looks like a libFuzzer program of its own.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/base/error.h"

namespace verbcast::fuzz {

using Bytes = std::span<const std::byte>;

/// Runs once for each input. It must never crash, hang, leak memory or descriptors, or throw.
struct Target {
    const char* name;
    void (*run)(Bytes input);
    const Target* next;

    Target(const char* nameOfTarget, void (*runOnce)(Bytes));
    /// Null for an unknown name.
    static const Target* find(const char* name);
    /// The head of the list linked by `next`.
    static const Target* first();
};

/// FUZZ_TARGET(name) { ... } defines one; the input is `input`.
#define FUZZ_TARGET(NAME)                                  \
    static void fuzz_##NAME(Bytes input);                  \
    static const Target target_##NAME(#NAME, fuzz_##NAME); \
    static void fuzz_##NAME([[maybe_unused]] Bytes input)

/// Prints the fault and aborts.
[[noreturn]] void fault(const char* what);
inline void require(bool holds, const char* what) {
    if (!holds) {
        fault(what);
    }
}

/// For writing seeds: if the environment variable VERBCAST_FUZZ_TRACE is set, prints how an input ended.
void trace(std::string_view what);

/// Catches what a peer or a file may make us throw. Other exceptions, which are our bugs, pass through.
template <typename Work>
void expectErrors(Work&& work) {
    try {
        work();
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Internal) {
            fault(error.what());
        }
        trace(error.what());
    }
}

}  // namespace verbcast::fuzz
