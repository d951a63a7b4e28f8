// What outlives one opening of a stream.
#include "app/view/streams/receiver_thread.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <fstream>
#include <iterator>

namespace verbcast::testing {
namespace {

TEST(ReceiverThread, GoesOnWithTheSumsOfThePreviousOne) {
    const QTemporaryDir folder;
    ViewOptions options;
    options.frameMd5 = folder.filePath("sums").toStdString();
    StreamPeer peer;
    peer.url = parseUrl("shm://sums-" + std::to_string(::getpid()));
    peer.listen = true;
    auto first = std::make_unique<ReceiverThread>(options, peer, nullptr);
    first->waitUntilOpen();
    first->close();
    std::ofstream(options.frameMd5, std::ios::app) << "0,0,16,of the first\n";
    ReceiverThread second(options, peer, nullptr, std::move(first));
    second.waitUntilOpen();
    second.close();
    std::ifstream sums(options.frameMd5);
    const std::string text{std::istreambuf_iterator<char>(sums), {}};
    EXPECT_EQ(text, "#sequence,pts,bytes,md5\n0,0,16,of the first\n");
}

}  // namespace
}  // namespace verbcast::testing
