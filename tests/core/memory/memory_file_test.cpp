#include "core/memory/memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <string>

#include "core/base/error.h"

namespace verbcast::testing {
namespace {

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
    std::string said;
    try {
        static_cast<void>(makeMemoryFile({.name = "test", .bytes = kBytes, .purpose = "a test"}));
    } catch (const Error& error) {
        said = error.kind() == ErrorKind::Resource ? error.what() : "";
    }
    ::setrlimit(RLIMIT_FSIZE, &usual);
    EXPECT_NE(said.find("a test takes 1048576 bytes"), std::string::npos) << said;
    EXPECT_NE(said.find("is 1048575"), std::string::npos) << said;
}

}  // namespace
}  // namespace verbcast::testing
