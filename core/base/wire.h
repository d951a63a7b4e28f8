// Little-endian reading and writing of bounded byte ranges: every number that crosses a wire passes here.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace verbcast {

static_assert(std::endian::native == std::endian::little,
              "the wire is little-endian; a big-endian host needs byte swaps in ByteWriter and ByteReader");

/// Appends values to a growing buffer.
class ByteWriter {
  public:
    ByteWriter() { buffer_.reserve(256); }  // most messages: one allocation

    template <typename T>
    requires std::is_arithmetic_v<T>
    void put(T value) { putBytes(std::as_bytes(std::span(&value, 1))); }
    void putBytes(std::span<const std::byte> bytes) {
        if (bytes.empty()) {
            return;  // memcpy takes no null pointer, not even for no bytes
        }
        const std::size_t end = buffer_.size();
        buffer_.resize(end + bytes.size());
        std::memcpy(buffer_.data() + end, bytes.data(), bytes.size());
    }
    /// At most 65535 bytes; longer text is cut.
    void putText(std::string_view text) {
        text = text.substr(0, 65535);
        put(static_cast<std::uint16_t>(text.size()));
        putBytes(std::as_bytes(std::span(text.data(), text.size())));
    }
    std::span<const std::byte> bytes() const { return buffer_; }
    /// The buffer; the writer is empty then.
    std::vector<std::byte> take() { return std::move(buffer_); }

  private:
    std::vector<std::byte> buffer_;
};

/// A writer whose first byte says what the message is.
template <typename Type>
requires std::is_enum_v<Type> ByteWriter beginMessage(Type type) {
    ByteWriter writer;
    writer.put(static_cast<std::uint8_t>(type));
    return writer;
}

/// Takes values from a received buffer. Running past the end throws Error{Peer}: the peer sent a short
/// message.
class ByteReader {
  public:
    explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

    template <typename T>
    requires std::is_arithmetic_v<T> T get() {
        T value;
        std::memcpy(&value, getBytes(sizeof value).data(), sizeof value);
        return value;
    }
    std::span<const std::byte> getBytes(std::size_t count) {
        if (count > rest_.size()) {
            throw Error(ErrorKind::Peer, "the peer sent a message that ends too early");
        }
        auto head = rest_.first(count);
        rest_ = rest_.subspan(count);
        return head;
    }
    std::string getText() {
        const auto bytes = getBytes(get<std::uint16_t>());
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    std::size_t remaining() const { return rest_.size(); }

  private:
    std::span<const std::byte> rest_;
};

}  // namespace verbcast
