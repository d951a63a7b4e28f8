// Where the tests' dma-bufs come from: the kernel's virtual graphics card, or a stand-in for it.
#pragma once

#include <cstdint>

#include "core/base/os/unique_fd.h"

namespace verbcast::testing {

/// A dma-buf of at least that size. Throws std::runtime_error if the machine has no driver for it.
UniqueFd makeDmaBuf(std::uint64_t bytes);

/// Whether somebody has begun to read the buffer (DMA_BUF_IOCTL_SYNC) and has not ended that. Only the
/// stand-in knows; false otherwise.
bool isBeingRead(int buffer);
/// How often somebody has begun to read any buffer; 0 where that is not known.
std::uint64_t readsBegun();
/// Whether the two functions above know.
bool knowsReads();

/// The stand-in's kernel refuses to synchronise from now on.
void refuseToSynchronise(bool refuse);

}  // namespace verbcast::testing
