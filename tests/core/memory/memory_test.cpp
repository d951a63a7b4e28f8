#include "core/memory/memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "core/base/error.h"
#include "core/memory/frame_pool.h"
#include "tests/support/expectations.h"

namespace verbcast::testing {
namespace {

UniqueFd duplicateOf(const Memory& memory) {
    return UniqueFd(::dup(memory.descriptor()));
}

TEST(Memory, OursIsZeroWritableAndSealed) {
    const auto memory = Memory::allocate({.bytes = 10'000, .hugePages = false});
    EXPECT_EQ(memory->kind(), MemoryKind::Host);
    EXPECT_TRUE(memory->writable());
    EXPECT_EQ(memory->bytes().size(), wholePages(10'000));
    EXPECT_TRUE(std::ranges::all_of(memory->bytes(), [](std::byte value) { return value == std::byte{0}; }));
    memory->bytes()[9999] = std::byte{7};
    const int seals = ::fcntl(memory->descriptor(), F_GET_SEALS);
    EXPECT_EQ(seals & F_SEAL_SHRINK, F_SEAL_SHRINK);
    EXPECT_NE(::ftruncate(memory->descriptor(), 0), 0);
    EXPECT_NE(::fcntl(memory->descriptor(), F_ADD_SEALS, F_SEAL_WRITE), 0) << "the seals are final";
}

TEST(Memory, ATrustedProcessCanMapItForWritingBeforeItIsSealed) {
    void* mapped = MAP_FAILED;
    const auto memory =
        Memory::allocate({.bytes = 4096, .hugePages = false, .beforeSealing = [&](int descriptor) {
                              mapped =
                                  ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
                          }});
    ASSERT_NE(mapped, MAP_FAILED);
    static_cast<std::byte*>(mapped)[5] = std::byte{9};
    EXPECT_EQ(memory->bytes()[5], std::byte{9});
    ::munmap(mapped, 4096);
}

TEST(Memory, APeersIsReadOnlyAndFollowsWhatThePeerWrites) {
    const auto ours = Memory::allocate({.bytes = 8192, .hugePages = false});
    const auto theirs = Memory::mapPeer(duplicateOf(*ours), 8192);
    EXPECT_EQ(theirs->kind(), MemoryKind::Peer);
    EXPECT_FALSE(theirs->writable());
    ours->bytes()[8191] = std::byte{3};
    EXPECT_EQ(theirs->bytes()[8191], std::byte{3});
    EXPECT_GE(theirs->descriptor(), 0) << "it can be passed on";
    EXPECT_TRUE(Memory::mapPeer(duplicateOf(*theirs), 8192));
}

TEST(Memory, APeersIsCheckedBeforeItIsMapped) {
    const auto kindOf = [](UniqueFd descriptor, std::uint64_t bytes) {
        return thrownBy([&] { Memory::mapPeer(std::move(descriptor), bytes); }).kind();
    };
    const auto ours = Memory::allocate({.bytes = 4096, .hugePages = false});
    EXPECT_EQ(kindOf(duplicateOf(*ours), 4097), ErrorKind::Peer);
    EXPECT_EQ(kindOf(duplicateOf(*ours), ~0ULL), ErrorKind::Peer);
    const UniqueFd vast(::memfd_create("vast", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    ASSERT_EQ(::ftruncate(vast.get(), off_t{1} << 62), 0);
    ASSERT_EQ(::fcntl(vast.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_FUTURE_WRITE), 0);
    EXPECT_EQ(kindOf(UniqueFd(::dup(vast.get())), 4096), ErrorKind::Peer) << "more than was announced";
    const UniqueFd loose(::memfd_create("loose", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    ASSERT_EQ(::ftruncate(loose.get(), 4096), 0);
    EXPECT_EQ(kindOf(UniqueFd(::dup(loose.get())), 4096), ErrorKind::Peer) << "it could shrink";
    ASSERT_EQ(::fcntl(loose.get(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
    EXPECT_EQ(kindOf(UniqueFd(::dup(loose.get())), 4096), ErrorKind::Peer) << "it could be written";
    EXPECT_EQ(kindOf(UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)), 0), ErrorKind::Peer);
}

TEST(Memory, BuffersOfADeviceAreDmaBufsOrRefused) {
    const auto problem = [](auto map) -> std::pair<ErrorKind, std::string> {
        std::vector<UniqueFd> buffers;
        buffers.emplace_back(::memfd_create("no dma-buf", MFD_CLOEXEC));
        EXPECT_EQ(::ftruncate(buffers.front().get(), 4096), 0);
        const Error error = thrownBy([&] { map(std::move(buffers)); });
        return {error.kind(), error.what()};
    };
    EXPECT_EQ(problem([](auto buffers) { Memory::mapBuffers(MemoryKind::Peer, std::move(buffers), 4096); }),
              std::pair(ErrorKind::Peer, std::string("the peer's buffer 0 is no dma-buf")));
    EXPECT_EQ(
        problem([](auto buffers) { Memory::mapBuffers(MemoryKind::Buffers, std::move(buffers), 4096); }),
        std::pair(ErrorKind::Device, std::string("the device's buffer 0 is no dma-buf")));
    EXPECT_EQ(problem([](auto buffers) { FramePool::mapPeerBuffers(std::move(buffers), 4096, 2); }),
              std::pair(ErrorKind::Peer, std::string("the peer offers 2 slots in 1 buffers of its device")));
    EXPECT_EQ(
        problem([](auto buffers) { FramePool::mapPeerBuffers(std::move(buffers), 1ULL << 62, 1); }).first,
        ErrorKind::Peer);
}

TEST(Memory, AFilesIsReadOnlyAndHasNothingToPassOn) {
    const UniqueFd file(::memfd_create("file", MFD_CLOEXEC));
    ASSERT_EQ(::ftruncate(file.get(), 8192), 0);
    ASSERT_EQ(::pwrite(file.get(), "x", 1, 4096), 1);
    const auto memory = Memory::mapFile(file.get(), 4096, 4096);
    ASSERT_TRUE(memory);
    EXPECT_EQ(memory->kind(), MemoryKind::File);
    EXPECT_FALSE(memory->writable());
    EXPECT_LT(memory->descriptor(), 0);
    EXPECT_EQ(memory->bytes()[0], std::byte{'x'});
    EXPECT_FALSE(Memory::mapFile(file.get(), 1, 4096)) << "not a whole page";
}

constexpr std::uint64_t kBytes = 1 << 20;

TEST(MemoryFile, HasItsSize) {
    const UniqueFd file = makeMemoryFile({.name = "test", .bytes = kBytes, .purpose = "a test"});
    struct stat status {};
    ASSERT_EQ(::fstat(file.get(), &status), 0);
    EXPECT_EQ(status.st_size, static_cast<off_t>(kBytes));
}

/// Without the check the kernel would end this process.
TEST(MemoryFile, ALimitOnTheSizeOfFilesIsAnError) {
    rlimit usual{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &usual), 0);
    rlimit limited = usual;
    limited.rlim_cur = kBytes - 1;
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limited), 0);
    const Error error = thrownBy(
        [] { static_cast<void>(makeMemoryFile({.name = "test", .bytes = kBytes, .purpose = "a test"})); });
    ::setrlimit(RLIMIT_FSIZE, &usual);
    EXPECT_EQ(error.kind(), ErrorKind::Resource);
    EXPECT_TRUE(contains(error.what(), "a test takes 1048576 bytes"));
    EXPECT_TRUE(contains(error.what(), "is 1048575"));
}

}  // namespace
}  // namespace verbcast::testing
