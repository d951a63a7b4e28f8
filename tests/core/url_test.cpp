#include "core/transport/url.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace verbcast {
namespace {

TEST(Url, EveryDocumentedFormIsUnderstood) {
    EXPECT_EQ(parseUrl("verbs://ib0.example:7000").scheme, Scheme::Verbs);
    EXPECT_EQ(parseUrl("verbs://ib0.example:7000").host, "ib0.example");
    EXPECT_EQ(parseUrl("verbs://ib0.example:7000").port, 7000);
    EXPECT_EQ(parseUrl("tcp://[::1]:80").host, "::1");
    EXPECT_EQ(parseUrl("tcp://[::1]:80").port, 80);
    EXPECT_EQ(parseUrl("tcp://[fe80::1]").port, kDefaultPort);
    EXPECT_EQ(parseUrl("shm://studio-1").name, "studio-1");
    EXPECT_EQ(parseUrl("wall").scheme, Scheme::Auto);
    EXPECT_EQ(parseUrl("wall").host, "wall");
    EXPECT_EQ(parseUrl("wall:9").port, 9);
    EXPECT_EQ(parseUrl(":9").host, "");
    EXPECT_EQ(parseUrl(":9").port, 9);
    EXPECT_EQ(parseUrl("::1").host, "::1");
    EXPECT_EQ(parseUrl("tcp://").host, "");
    const Url url = parseUrl("verbs://h:1?device=mlx5_0&gid=3");
    EXPECT_EQ(url.options.at("device"), "mlx5_0");
    EXPECT_EQ(url.options.at("gid"), "3");
}

TEST(Url, TextIsUnderstoodAgain) {
    for (const char* text :
         {"verbs://h:1?device=mlx5_0&gid=3", "tcp://[::1]:80", "shm://a.b-c_d", "wall:7423", ":9"}) {
        EXPECT_EQ(parseUrl(text).text(), text);
    }
}

TEST(Url, WhatIsWrongIsNamed) {
    const auto message = [](const char* text) -> std::string {
        try {
            parseUrl(text);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Usage);
            EXPECT_FALSE(error.remedy().empty());
            return error.what();
        }
        return "accepted";
    };
    EXPECT_NE(message("ftp://host").find("\"ftp\""), std::string::npos);
    EXPECT_NE(message("tcp://host:99999").find("\"99999\""), std::string::npos);
    EXPECT_NE(message("tcp://host:abc").find("\"abc\""), std::string::npos);
    EXPECT_NE(message("tcp://[::1:80").find("bracket"), std::string::npos);
    EXPECT_NE(message("tcp://[::1]x").find("\"x\""), std::string::npos);
    EXPECT_NE(message("shm://").find("name"), std::string::npos);
    EXPECT_NE(message("shm://a/b").find("\"a/b\""), std::string::npos);
    EXPECT_NE(message("host/path").find("path"), std::string::npos);
    EXPECT_NE(message("tcp://h:1?x").find("\"x\""), std::string::npos);
    EXPECT_NE(message("").find("empty"), std::string::npos);
    EXPECT_NE(message("two words").find("white space"), std::string::npos);
    EXPECT_NE(message(("shm://" + std::string(81, 'n')).c_str()).find("1 to 80"), std::string::npos);
}

}  // namespace
}  // namespace verbcast
