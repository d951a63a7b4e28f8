// What tests expect of texts and errors.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string_view>

#include "core/base/wire.h"

namespace verbcast::testing {

/// Whether the part occurs in the text, which a failure shows.
inline ::testing::AssertionResult contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos
               ? ::testing::AssertionSuccess()
               : ::testing::AssertionFailure() << '"' << part << "\" is not in \"" << text << '"';
}

/// Fails the test if the call throws no Error.
template <typename Call>
Error thrownBy(Call&& call) {
    try {
        call();
    } catch (const Error& error) {
        return error;
    }
    ADD_FAILURE() << "nothing was thrown";
    return {ErrorKind::Internal, "nothing was thrown"};
}

/// Bytes that anybody may have sent are read as a message's fields, or are the peer's fault.
template <typename Message>
void tryReading(std::span<const std::byte> fields) {
    ByteReader reader(fields);
    try {
        static_cast<void>(decodeMessage<Message>(reader));
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Peer) << error.what();
    }
}

}  // namespace verbcast::testing
