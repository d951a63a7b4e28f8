#include "core/transport/rdma/registered_buffer.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace verbcast {

void RegisteredBuffer::Free::operator()(std::byte* memory) const {
    std::free(memory);
}

RegisteredBuffer::Pages RegisteredBuffer::allocate(std::size_t bytes) {
    Pages memory(static_cast<std::byte*>(std::aligned_alloc(4096, wholePages(bytes))));
    if (!memory) {
        throwErrno(ErrorKind::Resource, "aligned_alloc", fmt::format("{} bytes", bytes), ENOMEM);
    }
    std::memset(memory.get(), 0, wholePages(bytes));
    return memory;
}

RegisteredBuffer::RegisteredBuffer(PortDomain& domain, std::size_t bytes, MemoryUse use)
    : memory_(allocate(bytes)), registration_(domain.registerMemory({memory_.get(), bytes}, use)) {}

}  // namespace verbcast
