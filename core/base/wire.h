// Little-endian reading and writing of bounded byte ranges: every number that crosses a wire passes through
// here.
//
// A message is a struct with one list of its fields, from which writing and reading derive:
//
//     struct Ping {
//         static constexpr MessageType kType = MessageType::Ping;
//         TimestampNs sentAt = 0;
//         static void fields(auto& self, auto& visit) { visit(self.sentAt); }
//     };
//
// A field is a number, an enumeration, bool, text, an array of bytes, an optional, a WireList, or a struct
// with fields of its own. A struct may have check(), which throws Error{Peer} for impossible values; reading
// calls it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace verbcast {

static_assert(std::endian::native == std::endian::little,
              "the wire is little-endian; a big-endian host needs byte swaps in WireWriter and ByteReader");

/// A list of at most `Max` values that does not allocate.
template <typename T, std::size_t Max>
struct WireList {
    std::array<T, Max> values;
    std::uint16_t count = 0;

    void push(T value) { values[count++] = value; }
    std::span<const T> span() const { return std::span(values).first(count); }
};

namespace wire {

template <typename T>
concept Scalar = std::is_arithmetic_v<T> || std::is_enum_v<T>;
template <typename T>
inline constexpr bool isList = false;
template <typename T, std::size_t Max>
inline constexpr bool isList<WireList<T, Max>> = true;
template <typename T>
inline constexpr bool isOptional = false;
template <typename T>
inline constexpr bool isOptional<std::optional<T>> = true;
template <typename T>
concept Bytes = requires(T& t) {
    std::span(t);
    requires sizeof(*std::data(t)) == 1;
};
template <typename T>
concept Checked = requires(const T& t) {
    t.check();
};

inline constexpr std::size_t kMaxText = 65535;

}  // namespace wire

/// Appends values to a growing buffer.
class ByteWriter {
  public:
    template <typename T>
    requires std::is_arithmetic_v<T>
    void put(T value) { putBytes(std::as_bytes(std::span(&value, 1))); }
    void putBytes(std::span<const std::byte> bytes) {
        if (!bytes.empty()) {  // memcpy takes no null pointer, not even for zero bytes
            const std::size_t end = buffer_.size();
            buffer_.resize(end + bytes.size());
            std::memcpy(buffer_.data() + end, bytes.data(), bytes.size());
        }
    }
    /// At most 65535 bytes; longer text is truncated.
    void putText(std::string_view text) {
        text = text.substr(0, wire::kMaxText);
        put(static_cast<std::uint16_t>(text.size()));
        putBytes(std::as_bytes(std::span(text.data(), text.size())));
    }
    std::span<const std::byte> bytes() const { return buffer_; }
    /// Moves the buffer out and leaves the writer empty.
    std::vector<std::byte> take() { return std::move(buffer_); }

  private:
    std::vector<std::byte> buffer_;
};

/// Reads values from a received buffer. Reading past the end throws Error{Peer}: the peer sent a short
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
            throw peerError("the peer sent a message that ends too early");
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

    /// Reads fields (see above), in this order.
    void operator()(auto&... fields) { (read(fields), ...); }

  private:
    template <typename T>
    void read(T& field) {
        if constexpr (std::is_same_v<T, bool>) {
            field = get<std::uint8_t>() != 0;
        } else if constexpr (std::is_enum_v<T>) {
            field = static_cast<T>(get<std::underlying_type_t<T>>());
        } else if constexpr (std::is_arithmetic_v<T>) {
            field = get<T>();
        } else if constexpr (std::is_same_v<T, std::string>) {
            field = getText();
        } else if constexpr (wire::isOptional<T>) {
            field.reset();
            if (get<std::uint8_t>() != 0) {
                read(field.emplace());
            }
        } else if constexpr (wire::isList<T>) {
            field.count = get<std::uint16_t>();
            if (field.count > field.values.size()) {
                throw peerError("the peer sent a longer list than is allowed");
            }
            const auto bytes = getBytes(field.count * sizeof field.values[0]);
            std::memcpy(field.values.data(), bytes.data(), bytes.size());
        } else if constexpr (std::is_same_v<T, std::vector<std::byte>>) {
            const auto bytes = getBytes(get<std::uint16_t>());
            field.assign(bytes.begin(), bytes.end());
        } else if constexpr (wire::Bytes<T>) {
            const auto target = std::as_writable_bytes(std::span(field));
            std::ranges::copy(getBytes(target.size()), target.begin());
        } else {
            T::fields(field, *this);
            if constexpr (wire::Checked<T>) {
                field.check();
            }
        }
    }

    std::span<const std::byte> rest_;
};

/// Writes fields into a caller's buffer. Overflowing it is a bug: Error{Internal}.
class WireWriter {
  public:
    explicit WireWriter(std::span<std::byte> buffer) : buffer_(buffer) {}

    template <typename T>
    requires std::is_arithmetic_v<T>
    void put(T value) { putBytes(std::as_bytes(std::span(&value, 1))); }
    void putBytes(std::span<const std::byte> bytes) {
        if (bytes.size() > buffer_.size() - size_) {
            throw Error(ErrorKind::Internal, "a message that does not fit its buffer");
        }
        if (!bytes.empty()) {  // memcpy takes no null pointer, not even for zero bytes
            std::memcpy(buffer_.data() + size_, bytes.data(), bytes.size());
            size_ += bytes.size();
        }
    }
    std::span<const std::byte> bytes() const { return buffer_.first(size_); }

    void operator()(const auto&... fields) { (write(fields), ...); }

  private:
    template <typename T>
    void write(const T& field) {
        if constexpr (std::is_same_v<T, bool>) {
            put(static_cast<std::uint8_t>(field ? 1 : 0));
        } else if constexpr (std::is_enum_v<T>) {
            put(static_cast<std::underlying_type_t<T>>(field));
        } else if constexpr (std::is_arithmetic_v<T>) {
            put(field);
        } else if constexpr (std::is_same_v<T, std::string>) {
            putCounted(std::as_bytes(std::span(field.data(), std::min(field.size(), wire::kMaxText))));
        } else if constexpr (wire::isOptional<T>) {
            put(static_cast<std::uint8_t>(field ? 1 : 0));
            if (field) {
                write(*field);
            }
        } else if constexpr (wire::isList<T>) {
            put(field.count);
            putBytes(std::as_bytes(field.span()));
        } else if constexpr (std::is_same_v<T, std::vector<std::byte>>) {
            putCounted(field);
        } else if constexpr (wire::Bytes<const T>) {
            putBytes(std::as_bytes(std::span(field)));
        } else {
            T::fields(field, *this);
        }
    }
    void putCounted(std::span<const std::byte> bytes) {
        put(static_cast<std::uint16_t>(bytes.size()));
        putBytes(bytes);
    }

    std::span<std::byte> buffer_;
    std::size_t size_ = 0;
};

/// The largest message that encodeMessage() makes.
inline constexpr std::size_t kMaxEncodedBytes = 4096;

/// Writes the message's type and fields into the caller's buffer. No allocation.
template <typename Message>
std::span<const std::byte> encodeInto(std::span<std::byte> buffer, const Message& message) {
    WireWriter writer(buffer);
    writer(Message::kType);
    writer(message);
    return writer.bytes();
}

template <typename Message>
std::vector<std::byte> encodeMessage(const Message& message) {
    std::array<std::byte, kMaxEncodedBytes> buffer;
    const auto bytes = encodeInto(buffer, message);
    return {bytes.begin(), bytes.end()};
}

/// Reads the fields after the type byte, which has been read already. Trailing bytes are ignored, so that a
/// later version may add fields. Throws Error{Peer}.
template <typename Message>
Message decodeMessage(ByteReader& reader) {
    Message message;
    reader(message);
    return message;
}

}  // namespace verbcast
