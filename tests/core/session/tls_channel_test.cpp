// A session's messages inside TLS: between two ends, and with an attacker between them.
#include "core/session/trust/tls_channel.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <algorithm>
#include <random>
#include <span>

#include "core/base/error.h"
#include "tests/core/session/memory_channel.h"
#include "tests/support/expectations.h"

namespace verbcast::testing {
namespace {

using Message = MemoryChannel::Message;

Message messageOf(const std::string& text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

struct Ear : MessageHandler {
    void onMessage(std::span<const std::byte> message) override {
        heard.emplace_back(message.begin(), message.end());
    }
    std::vector<Message> heard;
};

/// Two ends connected by a wire.
class Tls : public ::testing::Test {
  protected:
    Tls() { connect(key, key); }

    void connect(const SessionKey& callers, const std::optional<SessionKey>& listeners) {
        std::tie(callerWire, listenerWire) = MemoryChannel::pair();
        caller = std::make_unique<TlsChannel>(callerWire, NamedKey{"shared", callers});
        listener = std::make_unique<TlsChannel>(listenerWire, [listeners](std::string_view name) {
            return name == "shared" ? listeners : std::nullopt;
        });
        caller->setHandler(&callersEar);
        listener->setHandler(&listenersEar);
    }
    void carry() {
        while (caller->process() == Progress::Worked || listener->process() == Progress::Worked) {
        }
    }
    /// Why either end gives up; empty if neither does.
    std::string failure() {
        try {
            carry();
            return "";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Peer);
            return error.what();
        }
    }

    const SessionKey key = SessionKey::random();
    std::shared_ptr<MemoryChannel> callerWire, listenerWire;  // shared with the channels above them
    std::unique_ptr<TlsChannel> caller, listener;
    Ear callersEar, listenersEar;
};

TEST_F(Tls, WhatIsSaidEarlyWaitsForTheKeyToBeProven) {
    EXPECT_EQ(caller->send(messageOf("first")), Status::Ok);
    carry();
    EXPECT_TRUE(caller->established());
    EXPECT_TRUE(listener->established());
    EXPECT_EQ(listener->keyName(), "shared");
    EXPECT_EQ(listenersEar.heard, std::vector<Message>{messageOf("first")});
    EXPECT_EQ(listener->send(messageOf("answer")), Status::Ok);
    carry();
    EXPECT_EQ(callersEar.heard, std::vector<Message>{messageOf("answer")});
}

TEST_F(Tls, MessagesOfEverySizeComeWholeAndNeverInTheClear) {
    carry();
    std::mt19937 random(1);
    std::vector<Message> said;
    for (const std::size_t size : {std::size_t{1}, std::size_t{2}, std::size_t{100}, std::size_t{4000},
                                   kMaxMessageBytes - 1, kMaxMessageBytes}) {
        Message message(size);
        for (auto& byte : message) {
            byte = static_cast<std::byte>(random());
        }
        said.push_back(message);
        ASSERT_EQ(caller->send(message), Status::Ok);
    }
    for (const Message& sent : *listenerWire->in) {
        EXPECT_LE(sent.size(), kMaxMessageBytes);
        for (const Message& message : said) {
            if (message.size() >= 100) {
                EXPECT_EQ(std::search(sent.begin(), sent.end(), message.begin(), message.begin() + 16),
                          sent.end());
            }
        }
    }
    carry();
    EXPECT_EQ(listenersEar.heard, said);
}

TEST_F(Tls, ABusyChannelLosesNothing) {
    carry();
    callerWire->room = 3;
    std::vector<Message> said;
    for (int i = 0; i < 200; ++i) {
        const Message message = messageOf("message " + std::to_string(i) + std::string(3000, 'x'));
        Status status = caller->send(message);
        while (status == Status::Busy) {
            EXPECT_FALSE(caller->hasRoomToSpare());
            listener->process();
            caller->process();
            status = caller->send(message);
        }
        said.push_back(message);
    }
    carry();
    EXPECT_EQ(listenersEar.heard, said);
}

TEST_F(Tls, AnotherKeyIsTold) {
    connect(key, SessionKey::random());
    EXPECT_EQ(failure(), "the two sides have different keys") << "at the listener";
    EXPECT_FALSE(listener->established());
    EXPECT_EQ(failure(), "the two sides have different keys") << "at the caller, by the alert";
    EXPECT_FALSE(caller->established());
    connect(key, std::nullopt);
    EXPECT_EQ(failure(), "the two sides have different keys") << "no key of that name";
    EXPECT_EQ(failure(), "the two sides have different keys");
    EXPECT_TRUE(callersEar.heard.empty());
}

/// The caller's first message with `copies` key names instead of one, each with its proof.
Message helloWithNames(const Message& hello, std::size_t copies) {
    const Message name = messageOf("shared");
    const auto at = std::search(hello.begin(), hello.end(), name.begin(), name.end());
    const auto names = static_cast<std::size_t>(at - hello.begin()) - 2;  // before the first name's length
    const auto from = [&](std::size_t begin, std::size_t end) {
        return Message(hello.begin() + static_cast<std::ptrdiff_t>(begin),
                       hello.begin() + static_cast<std::ptrdiff_t>(end));
    };
    const Message one = from(names, names + 2 + name.size() + 4);
    const Message proof = from(names + one.size() + 2, hello.size());
    Message grown = from(0, names);
    const auto append = [&grown](const Message& part) {
        grown.insert(grown.end(), part.begin(), part.end());
    };
    const auto putLength = [&grown](std::size_t place, std::size_t value) {
        grown[place] = static_cast<std::byte>(value >> 8U);
        grown[place + 1] = static_cast<std::byte>(value & 0xffU);
    };
    for (std::size_t i = 0; i < copies; ++i) {
        append(one);
    }
    append(Message(2));
    putLength(grown.size() - 2, copies * proof.size());
    for (std::size_t i = 0; i < copies; ++i) {
        append(proof);
    }
    const auto lengthAt = [&](std::size_t place) {
        return std::to_integer<std::size_t>(hello[place]) << 8U |
               std::to_integer<std::size_t>(hello[place + 1]);
    };
    const std::size_t session = std::to_integer<std::size_t>(hello[43]);
    const std::size_t suites = 44 + session;
    const std::size_t extensions = suites + 2 + lengthAt(suites) + 2;  // after one compression method
    putLength(names - 2, copies * one.size());
    for (const std::size_t place : {std::size_t{3}, std::size_t{7}, extensions, names - 4}) {
        putLength(place, lengthAt(place) + grown.size() - hello.size());
    }
    return grown;
}

TEST_F(Tls, OneCallerAsksForFewKeys) {
    // Each lookup may read a file, and OpenSSL looks up every name in a hello until one is known.
    for (const std::size_t names : {std::size_t{1}, std::size_t{50}}) {
        int lookUps = 0;
        const auto wires = MemoryChannel::pair();
        TlsChannel busy(wires.second, [&](std::string_view name) -> std::optional<SessionKey> {
            EXPECT_EQ(name, "shared") << "or this test's hello is none";
            ++lookUps;
            return std::nullopt;
        });
        Ear ear;
        busy.setHandler(&ear);
        const Message hello = helloWithNames(listenerWire->in->front(), names);
        for (std::size_t sent = 0; sent < hello.size(); sent += kMaxMessageBytes) {
            ASSERT_EQ(wires.first->send(
                          std::span(hello).subspan(sent, std::min(kMaxMessageBytes, hello.size() - sent))),
                      Status::Ok);
        }
        EXPECT_THROW(while (busy.process() == Progress::Worked){}, Error);
        EXPECT_EQ(lookUps, names == 1 ? 1 : 2);
    }
}

TEST_F(Tls, WordsInTheClearArriveButProveNothing) {
    const Message word = messageOf("hello");
    ASSERT_EQ(caller->sendInTheClear(word), Status::Ok);
    listenerWire->in->pop_front();  // the TLS message before it
    listener->process();
    EXPECT_EQ(listenersEar.heard, std::vector<Message>{word});
    EXPECT_FALSE(listener->established());
    EXPECT_EQ(listener->send(messageOf("go away")), Status::Ok);
    EXPECT_EQ(callerWire->in->back(), messageOf("go away"));
    while (caller->process() == Progress::Worked) {
    }
    EXPECT_EQ(callersEar.heard, std::vector<Message>{messageOf("go away")});
    EXPECT_FALSE(caller->established());
}

TEST_F(Tls, OnceEstablishedNothingInTheClearIsHeard) {
    carry();
    ASSERT_EQ(callerWire->send(messageOf("in the clear")), Status::Ok);
    EXPECT_EQ(listener->process(), Progress::Closed) << "as if it had been cut";
    EXPECT_TRUE(contains(listener->closeReason(), "a message was changed on its way"));
    EXPECT_EQ(listener->send(messageOf("good-bye")), Status::Closed) << "nothing more can be said";
    EXPECT_TRUE(listenersEar.heard.empty());
}

TEST_F(Tls, EveryChangedBitIsNoticed) {
    // During the handshake, in both directions, and afterwards.
    for (int victim = 0; victim < 4; ++victim) {
        std::size_t length = 1;
        for (std::size_t byte = 0; byte < length; byte += victim == 0 ? 1 : 7) {
            connect(key, key);
            callersEar.heard.clear();
            listenersEar.heard.clear();
            ASSERT_EQ(caller->send(messageOf("a secret message")), Status::Ok);
            if (victim >= 1) {
                listener->process();  // the answer is in flight
            }
            if (victim >= 2) {
                caller->process();  // the caller's proof and its message are in flight
            }
            auto& wire = victim == 1 ? *callerWire->in : *listenerWire->in;
            ASSERT_FALSE(wire.empty());
            Message& message = victim == 3 ? wire.back() : wire.front();
            length = message.size();
            if (victim == 0 && (byte == 1 || byte == 2)) {
                continue;  // a version that is meaningless and must be ignored (RFC 8446, 5.1)
            }
            message[byte] ^= static_cast<std::byte>(1U << (byte % 8));
            std::string why;
            try {
                carry();
            } catch (const Error& error) {
                why = error.what();
                EXPECT_EQ(error.kind(), ErrorKind::Peer);
            }
            EXPECT_EQ(std::ranges::count(listenersEar.heard, messageOf("a secret message")), 0)
                << "place " << victim << ", byte " << byte;
        }
    }
}

TEST_F(Tls, WhatWasHeardOnceServesNoOtherListener) {
    ASSERT_EQ(caller->send(messageOf("let me in")), Status::Ok);
    std::vector<Message> recorded(listenerWire->in->begin(), listenerWire->in->end());
    listener->process();
    caller->process();
    recorded.insert(recorded.end(), listenerWire->in->begin(), listenerWire->in->end());
    carry();
    ASSERT_EQ(listenersEar.heard.size(), 1U);
    const auto other = MemoryChannel::pair();
    TlsChannel second(other.second, [this](std::string_view) { return std::optional(key); });
    Ear ear;
    second.setHandler(&ear);
    for (const Message& message : recorded) {
        ASSERT_EQ(other.first->send(message), Status::Ok);
    }
    EXPECT_THROW(while (second.process() == Progress::Worked){}, Error);
    EXPECT_FALSE(second.established());
    EXPECT_TRUE(ear.heard.empty());
}

TEST_F(Tls, ACallersOwnWordsAreNoAnswerToIt) {
    callerWire->in->insert(callerWire->in->end(), listenerWire->in->begin(), listenerWire->in->end());
    EXPECT_THROW(caller->process(), Error);
    EXPECT_FALSE(caller->established());
}

TEST_F(Tls, ExportedKeysAreOfThisSessionAndPurpose) {
    carry();
    const std::array<std::byte, 2> one{std::byte{1}, std::byte{2}};
    const std::array<std::byte, 2> two{std::byte{1}, std::byte{3}};
    const ExportedKey mine = caller->exportKey("EXPORTER-a", one);
    EXPECT_EQ(mine, listener->exportKey("EXPORTER-a", one));
    EXPECT_NE(mine, caller->exportKey("EXPORTER-a", two));
    EXPECT_NE(mine, caller->exportKey("EXPORTER-b", one));
    connect(key, key);
    carry();
    EXPECT_NE(mine, caller->exportKey("EXPORTER-a", one)) << "the same key, another session";
}

/// An ordinary TLS server or client in place of one end.
class Impostor {
  public:
    Impostor(std::shared_ptr<MemoryChannel> wire, bool serves, int version) : wire_(std::move(wire)) {
        context_.reset(SSL_CTX_new(serves ? TLS_server_method() : TLS_client_method()));
        SSL_CTX_set_max_proto_version(context_.get(), version);
        if (serves) {
            certify();
        }
        ssl_.reset(SSL_new(context_.get()));
        SSL_set_bio(ssl_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
        serves ? SSL_set_accept_state(ssl_.get()) : SSL_set_connect_state(ssl_.get());
    }
    void turn() {
        for (; !wire_->in->empty(); wire_->in->pop_front()) {
            BIO_write(SSL_get_rbio(ssl_.get()), wire_->in->front().data(),
                      static_cast<int>(wire_->in->front().size()));
        }
        SSL_do_handshake(ssl_.get());
        Message piece(kMaxMessageBytes);
        for (int got = 0; (got = BIO_read(SSL_get_wbio(ssl_.get()), piece.data(), kMaxMessageBytes)) > 0;) {
            EXPECT_EQ(wire_->send(std::span(piece).first(static_cast<std::size_t>(got))), Status::Ok);
        }
    }

  private:
    void certify() {
        const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> pair(EVP_EC_gen("P-256"), EVP_PKEY_free);
        const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), X509_free);
        X509_set_version(certificate.get(), 2);
        X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
        X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
        X509_set_pubkey(certificate.get(), pair.get());
        X509_sign(certificate.get(), pair.get(), EVP_sha256());
        SSL_CTX_use_certificate(context_.get(), certificate.get());
        SSL_CTX_use_PrivateKey(context_.get(), pair.get());
    }

    std::shared_ptr<MemoryChannel> wire_;  // shared with the end that it talks to
    std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_{nullptr, SSL_CTX_free};
    std::unique_ptr<SSL, decltype(&SSL_free)> ssl_{nullptr, SSL_free};
};

TEST_F(Tls, AListenerThatShowsACertificateInsteadIsNotBelieved) {
    listener.reset();
    Impostor impostor(listenerWire, true, TLS1_3_VERSION);
    EXPECT_THROW(
        for (int i = 0; i < 10; ++i) {
            impostor.turn();
            while (caller->process() == Progress::Worked) {
            }
        },
        Error);
    EXPECT_FALSE(caller->established());
}

TEST_F(Tls, OlderVersionsAndCallersWithoutAKeyAreRefused) {
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        connect(key, key);
        caller.reset();
        callerWire->out->clear();
        Impostor impostor(callerWire, false, version);
        EXPECT_THROW(
            for (int i = 0; i < 10; ++i) {
                impostor.turn();
                while (listener->process() == Progress::Worked) {
                }
            },
            Error);
        EXPECT_FALSE(listener->established());
    }
}

}  // namespace
}  // namespace verbcast::testing
