#include "core/transport/url.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/transport/registry.h"

namespace verbcast::testing {
namespace {

TEST(Url, EveryDocumentedFormIsUnderstood) {
    EXPECT_EQ(parseUrl("verbs://ib0.example:7000").scheme, "verbs");
    EXPECT_EQ(parseUrl("rdma://ib0.example:7000").scheme, "verbs");
    EXPECT_EQ(parseUrl("verbs://ib0.example:7000").host, "ib0.example");
    EXPECT_EQ(parseUrl("verbs://ib0.example:7000").port, 7000);
    EXPECT_EQ(parseUrl("tcp://[::1]:80").host, "::1");
    EXPECT_EQ(parseUrl("tcp://[::1]:80").port, 80);
    EXPECT_EQ(parseUrl("tcp://[fe80::1]").port, kDefaultPort);
    EXPECT_EQ(parseUrl("shm://studio-1").name, "studio-1");
    EXPECT_EQ(parseUrl("wall").scheme, "");
    EXPECT_EQ(parseUrl("auto://wall").scheme, "");
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

TEST(Url, EveryTransportHasItsScheme) {
    for (const Transport& transport : transports()) {
        const std::string scheme(transport.scheme);
        const Url url = parseUrl(scheme + (transport.namesPeers ? "://studio" : "://studio:80"));
        EXPECT_EQ(url.scheme, scheme);
        EXPECT_EQ(url.isName(), transport.namesPeers);
        EXPECT_EQ(&transportFor(url), &transport);
        EXPECT_EQ(parseUrl(url.text()).text(), url.text());
        EXPECT_EQ(transport.automatic, transport.choose != nullptr);
        EXPECT_FALSE(transport.availability().reason.empty());
    }
    EXPECT_EQ(findTransport(""), nullptr);
    EXPECT_EQ(findTransport("ftp"), nullptr);
}

TEST(Url, AnAddressWithoutATransportMeansAnyOfThem) {
    const Url url = parseUrl("127.0.0.1:7000");
    EXPECT_THROW(transportFor(url), Error);
    EXPECT_EQ(addressFor(*findTransport("tcp"), url).text(), "tcp://127.0.0.1:7000");
    EXPECT_EQ(addressFor(*findTransport("shm"), url).text(), "shm://port-7000");
    EXPECT_EQ(addressFor(*findTransport("shm"), parseUrl("shm://a")).text(), "shm://a") << "as it is";

    const auto choice = [](const char* scheme, const char* address) {
        return findTransport(scheme)->choose(parseUrl(address), Deadline::in(std::chrono::seconds(20)),
                                             Event());
    };
    EXPECT_TRUE(choice("shm", "127.0.0.1:1").worthTrying);
    EXPECT_TRUE(choice("shm", ":1").worthTrying);
    EXPECT_EQ(choice("shm", "127.0.0.1:1").reason, "both are on this host");
    EXPECT_FALSE(choice("shm", "192.0.2.1:1").worthTrying);
    EXPECT_FALSE(choice("shm", "192.0.2.1:1").reason.empty());
    EXPECT_FALSE(choice("shm", "a-name.invalid:1").worthTrying);
    EXPECT_TRUE(choice("tcp", "192.0.2.1:1").worthTrying);
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
    EXPECT_NE(message("ftp://host").find("shm, "), std::string::npos) << "those that exist";
    EXPECT_NE(message("tcp://host:99999").find("\"99999\""), std::string::npos);
    EXPECT_NE(message("tcp://host:abc").find("\"abc\""), std::string::npos);
    EXPECT_NE(message("tcp://[::1:80").find("bracket"), std::string::npos);
    EXPECT_NE(message("tcp://[::1]x").find("\"x\""), std::string::npos);
    EXPECT_NE(message("shm://").find("name"), std::string::npos);
    EXPECT_NE(message("shm://a/b").find("\"a/b\""), std::string::npos);
    EXPECT_NE(message("host/path").find("path"), std::string::npos);
    EXPECT_NE(message("tcp://h:1?x").find("\"x\""), std::string::npos);
    EXPECT_NE(message("multicast://239.1.2.3%eth0&ttl=4").find("\"eth0&ttl=4\""), std::string::npos);
    EXPECT_NE(message("").find("empty"), std::string::npos);
    EXPECT_NE(message("tcp://a,tcp://b").find("rails"), std::string::npos);
    EXPECT_NE(message("a:1,b:2").find("rails"), std::string::npos);
    EXPECT_NE(message("two words").find("white space"), std::string::npos);
    EXPECT_NE(message("tcp://h:1?gid=3 --output=x").find("white space"), std::string::npos);
    for (const char* option : {"--output=x", "-x", "tcp://--output=x", "-x:1"}) {
        EXPECT_NE(message(option).find("begin with \"-\""), std::string::npos) << option;
    }
    EXPECT_NE(message(("shm://" + std::string(81, 'n')).c_str()).find("1 to 80"), std::string::npos);
}

}  // namespace
}  // namespace verbcast::testing
