// Files that are not, or only partly, in the page cache.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/pipe/direct_reader.h"
#include "tests/core/pipe/running_pipe.h"

namespace verbcast::testing {
namespace {

constexpr std::size_t kBlock = 262144;

class DiskInput : public TransportSuite {
  protected:
    /// An unnamed file in the current folder, written to disk and not cached. False if the disk cannot be
    /// read past the page cache.
    bool makeFile(const std::string& content) {
        file_.reset(::open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
        if (!file_) {
            return false;
        }
        writeAll(file_.get(), content);
        ::fsync(file_.get());
        ::posix_fadvise(file_.get(), 0, 0, POSIX_FADV_DONTNEED);
        ::lseek(file_.get(), 0, SEEK_SET);
        const auto reader = DirectReader::open(file_.get(), progress_);
        return reader != nullptr && !reader->isCached(0, kBlock);
    }
    /// Reads through the page cache, as other programs do.
    void readPart(std::size_t offset, std::size_t bytes) const {
        ::posix_fadvise(file_.get(), 0, 0, POSIX_FADV_RANDOM);  // no read-ahead
        std::string part(bytes, '\0');
        ASSERT_EQ(::pread(file_.get(), part.data(), bytes, static_cast<off_t>(offset)),
                  static_cast<ssize_t>(bytes));
    }
    bool isCached(std::size_t offset) {
        return DirectReader::open(file_.get(), progress_)->isCached(offset, kBlock);
    }
    std::string sent(const PipeSettings& settings) {
        const UniqueFd output = fileWith("");
        Chain chain({GetParam()}, settings, PipeInput(file_.get(), "the file"), output.get());
        EXPECT_EQ(chain.exitCodes(), (std::vector<int>{0, 0})) << chain.sender().error();
        return contentOf(output.get());
    }

    UniqueFd file_;
    ArmedEvent progress_;
};

TEST_P(DiskInput, ArrivesAndStaysOutOfThePageCache) {
    for (const bool checksum : {false, true}) {
        for (const std::size_t bytes :
             {std::size_t{1}, std::size_t{4095}, std::size_t{4096}, kBlock - 1, kBlock, kBlock + 1,
              20 * kBlock, 20 * kBlock + 4096, 20 * kBlock + 5}) {
            const std::string content = noise(bytes);
            if (!makeFile(content)) {
                GTEST_SKIP() << "this folder's file system cannot be read past the page cache";
            }
            ASSERT_TRUE(sent(settingsOf(kBlock, 4, checksum)) == content) << bytes << " bytes";
            EXPECT_FALSE(isCached(0)) << bytes << " bytes";
            EXPECT_EQ(::lseek(file_.get(), 0, SEEK_CUR), static_cast<off_t>(bytes)) << "as if it were read";
        }
    }
}

TEST_P(DiskInput, MayLieInThePageCacheInParts) {
    const std::string content = noise(40 * kBlock + 77);
    if (!makeFile(content)) {
        GTEST_SKIP() << "this folder's file system cannot be read past the page cache";
    }
    readPart(0, 4096);  // like a program that detects the file type
    readPart(3 * kBlock, 5 * kBlock);
    readPart(30 * kBlock + kBlock / 2, 6 * kBlock);
    EXPECT_TRUE(isCached(4 * kBlock));
    EXPECT_FALSE(isCached(0)) << "a page is no block";
    EXPECT_TRUE(sent(settingsOf(kBlock, 4, false)) == content);
}

TEST_P(DiskInput, MayBeginInTheMiddleOfASector) {
    const std::string content = noise(5 * kBlock);
    if (!makeFile(content)) {
        GTEST_SKIP() << "this folder's file system cannot be read past the page cache";
    }
    ::lseek(file_.get(), 13, SEEK_SET);
    EXPECT_TRUE(sent(settingsOf(kBlock, 4, true)) == content.substr(13));
}

TEST_P(DiskInput, InBlocksThatFitNoSector) {
    const std::string content = noise(5 * kBlock);
    if (!makeFile(content)) {
        GTEST_SKIP() << "this folder's file system cannot be read past the page cache";
    }
    EXPECT_TRUE(sent(settingsOf(5000, 3, true)) == content);
}

TEST_P(DiskInput, AnInterruptWaitsForNoReceiver) {
    if (!makeFile(noise(64 * kBlock))) {
        GTEST_SKIP() << "this folder's file system cannot be read past the page cache";
    }
    KernelPipe out;  // never read
    Chain chain({GetParam()}, settingsOf(kBlock, 4), PipeInput(file_.get(), "the file"), out.writing.get());
    chain.sender().waitUntilFlowing();
    chain.sender().cancel();
    EXPECT_EQ(chain.exitCodes(), (std::vector<int>{kInterruptedCode, kInterruptedCode}));
}

// Not over verbs: the virtual machine for those tests has no disk.
VERBCAST_OVER_TRANSPORTS(DiskInput, transportsUnderTest());

}  // namespace
}  // namespace verbcast::testing
