// Exceptions from a connection's thread are kept for its owner.
#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <memory>
#include <new>
#include <stdexcept>

#include "core/base/error.h"
#include "core/session/link_runner.h"
#include "tests/core/session/core_support.h"

namespace verbcast::testing {
namespace {

struct FailingLink {
    std::function<SessionEnd()> serve;
    SessionEnd run() { return serve(); }
};

template <typename Failure>
void expectKept(const Failure& failure) {
    std::promise<void> told;
    auto link = std::make_unique<FailingLink>();
    link->serve = [&]() -> SessionEnd { throw failure; };
    LinkRunner<FailingLink> runner(std::move(link), [&](LinkRunner<FailingLink>& ended) {
        EXPECT_FALSE(ended.ended()) << "not before what follows is seen by all";
        ended.conclude();
        told.set_value();
    });
    ASSERT_EQ(told.get_future().wait_for(kLimit), std::future_status::ready);
    EXPECT_TRUE(runner.ended());
    EXPECT_EQ(runner.end().kind, SessionEnd::Kind::Failed);
    EXPECT_EQ(runner.end().reason, failure.what());
    ASSERT_TRUE(runner.end().failure);
    EXPECT_THROW(std::rethrow_exception(runner.end().failure), Failure);
}

TEST(LinkRunner, KeepsWhateverWasThrown) {
    expectKept(std::bad_alloc());
    expectKept(std::length_error("too long"));
    expectKept(Error(ErrorKind::Resource, "no memory"));
}

}  // namespace
}  // namespace verbcast::testing
