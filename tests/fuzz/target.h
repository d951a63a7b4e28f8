// What a fuzz target is, and what counts as a fault.
//
// All targets are one program, which tells them apart by the name that it is called by: scripts/fuzz makes a
// link of each target's name, so that each looks like a libFuzzer program of its own.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/base/error.h"

namespace verbcast::fuzz {

using Bytes = std::span<const std::byte>;

/// Runs once for each input. What it may not do with any: crash, hang, leak memory or descriptors, throw.
struct Target {
    const char* name;
    void (*run)(Bytes input);
    const Target* next;

    Target(const char* nameOfTarget, void (*runOnce)(Bytes));
    /// Null for a name that there is not.
    static const Target* find(const char* name);
    /// The first of all, linked by `next`.
    static const Target* first();
};

/// FUZZ_TARGET(name) { ... } defines one; the input is `input`.
#define FUZZ_TARGET(NAME)                                  \
    static void fuzz_##NAME(Bytes input);                  \
    static const Target target_##NAME(#NAME, fuzz_##NAME); \
    static void fuzz_##NAME([[maybe_unused]] Bytes input)

/// Says what should not be, and aborts.
[[noreturn]] void fault(const char* what);
inline void require(bool holds, const char* what) {
    if (!holds) {
        fault(what);
    }
}

/// For writing seeds: with the environment variable VERBCAST_FUZZ_TRACE set, says how an input ended.
void trace(std::string_view what);

/// What a peer or a file may make us throw; a bug of ours is not among them. Other exceptions pass.
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
