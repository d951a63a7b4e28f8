#include <gtest/gtest.h>

#include "app/bench/limits/limits.h"
#include "core/base/error.h"

namespace verbcast::testing {
namespace {

TEST(OpensslSpeed, IsTheLastNumberOfItsLine) {
    EXPECT_NEAR(opensslSpeed("+DT:AES-256-GCM:1:131072\n+R:35024:AES-256-GCM:1.0\n"
                             "+H:131072\n+F:24:AES-256-GCM:4590432714.24\n"),
                4.59, 0.01);
}

TEST(OpensslSpeed, ThatIsNoNumberSaysWhy) {
    for (const char* speed : {"inf", "-nan", "0.00", ""}) {
        try {
            opensslSpeed(std::string("+F:24:AES-256-GCM:") + speed + "\n");
            ADD_FAILURE() << speed;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("got no processor time"), std::string::npos);
        }
    }
    EXPECT_THROW(opensslSpeed("unknown option -mr\n"), Error);
}

}  // namespace
}  // namespace verbcast::testing
