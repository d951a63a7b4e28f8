#include "core/session/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace verbcast {
namespace {

Role counterpart(Role role) {
    switch (role) {
        case Role::Sender:
            return Role::Receiver;
        case Role::Receiver:
            return Role::Sender;
        case Role::PipeSender:
            return Role::PipeReceiver;
        case Role::PipeReceiver:
            return Role::PipeSender;
    }
    return role;
}

bool isOfPipe(Role role) {
    return role == Role::PipeSender || role == Role::PipeReceiver;
}

}  // namespace

std::string cleanText(std::string text) {
    text.resize(std::min<std::size_t>(text.size(), 400));
    for (char& c : text) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
            c = '?';
        }
    }
    return text;
}

std::string_view roleName(Role role) {
    switch (role) {
        case Role::Sender:
            return "sender";
        case Role::Receiver:
            return "viewer";
        case Role::PipeSender:
            return "pipe's sending end";
        case Role::PipeReceiver:
            return "pipe's receiving end";
    }
    return "program of an unknown kind";
}

std::optional<std::string> roleMismatch(Role ours, Role peers) {
    if (peers == counterpart(ours)) {
        return std::nullopt;
    }
    if (peers == ours) {
        return fmt::format("both sides are a {}: one must send and one must {}", roleName(ours),
                           isOfPipe(ours) ? "receive" : "view");
    }
    return fmt::format("a {} and a {} do not fit together: verbcast pipe talks to verbcast pipe only",
                       roleName(ours), roleName(peers));
}

std::vector<std::byte> encodeMessage(const Hello& m) {
    ByteWriter writer = beginMessage(MessageType::Hello);
    writer.put(m.magic);
    writer.put(m.version);
    writer.put(static_cast<std::uint8_t>(m.role));
    writer.put(static_cast<std::uint8_t>(m.authentication));
    writer.put(m.features);
    writer.putBytes(std::as_bytes(std::span(m.host.bytes)));
    writer.put(m.slots);
    writer.putText(cleanText(m.name));
    writer.putText(m.software);
    writer.putBytes(m.nonce);
    return writer.take();
}

Hello decodeHello(ByteReader& reader) {
    Hello m;
    m.magic = reader.get<std::uint32_t>();
    m.version = reader.get<std::uint16_t>();
    if (m.magic != kProtocolMagic || m.version != kProtocolVersion) {
        return m;  // the rest may look different in another version
    }
    m.role = static_cast<Role>(reader.get<std::uint8_t>());
    m.authentication = static_cast<Authentication>(reader.get<std::uint8_t>());
    m.features = reader.get<std::uint64_t>();
    std::memcpy(m.host.bytes, reader.getBytes(sizeof m.host.bytes).data(), sizeof m.host.bytes);
    m.slots = reader.get<std::uint32_t>();
    m.name = cleanText(reader.getText());
    m.software = cleanText(reader.getText());
    std::ranges::copy(reader.getBytes(m.nonce.size()), m.nonce.begin());
    return m;
}

std::vector<std::byte> encodeMessage(const Proof& m) {
    ByteWriter writer = beginMessage(MessageType::Proof);
    writer.putBytes(m.proof);
    return writer.take();
}

Proof decodeProof(ByteReader& reader) {
    Proof m;
    std::ranges::copy(reader.getBytes(m.proof.size()), m.proof.begin());
    return m;
}

std::vector<std::byte> encodeMessage(const Refuse& m) {
    ByteWriter writer = beginMessage(MessageType::Refuse);
    writer.put(static_cast<std::uint16_t>(m.code));
    writer.putText(cleanText(m.text));
    return writer.take();
}

Refuse decodeRefuse(ByteReader& reader) {
    Refuse m;
    m.code = static_cast<RefuseCode>(reader.get<std::uint16_t>());
    m.text = cleanText(reader.getText());
    return m;
}

std::vector<std::byte> encodeMessage(const FormatMessage& m) {
    ByteWriter writer = beginMessage(MessageType::Format);
    writer.put(m.epoch);
    writer.put(static_cast<std::uint8_t>(m.lossless ? 1 : 0));
    writer.put(m.framesBefore);
    encode(writer, m.format);
    return writer.take();
}

FormatMessage decodeFormat(ByteReader& reader) {
    FormatMessage m;
    m.epoch = reader.get<std::uint32_t>();
    m.lossless = reader.get<std::uint8_t>() != 0;
    m.framesBefore = reader.get<std::uint64_t>();
    m.format = decodeVideoFormat(reader);
    return m;
}

std::vector<std::byte> encodeMessage(const Accept& m) {
    ByteWriter writer = beginMessage(MessageType::Accept);
    writer.put(m.epoch);
    writer.put(m.generation);
    return writer.take();
}

Accept decodeAccept(ByteReader& reader) {
    Accept m;
    m.epoch = reader.get<std::uint32_t>();
    m.generation = reader.get<std::uint32_t>();
    return m;
}

std::size_t encodeCredit(std::span<std::byte, kMaxCreditBytes> buffer, std::uint32_t generation,
                         std::span<const std::uint16_t> slots) {
    const auto type = MessageType::Credit;
    const auto count = static_cast<std::uint16_t>(slots.size());
    std::memcpy(buffer.data(), &type, 1);
    std::memcpy(buffer.data() + 1, &generation, 4);
    std::memcpy(buffer.data() + 5, &count, 2);
    std::memcpy(buffer.data() + 7, slots.data(), slots.size_bytes());
    return 7 + slots.size_bytes();
}

std::vector<std::byte> encodeMessage(const Ping& m) {
    ByteWriter writer = beginMessage(MessageType::Ping);
    writer.put(m.sentAt);
    return writer.take();
}

Ping decodePing(ByteReader& reader) {
    return {reader.get<TimestampNs>()};
}

std::vector<std::byte> encodeMessage(const Pong& m) {
    ByteWriter writer = beginMessage(MessageType::Pong);
    writer.put(m.pingSentAt);
    writer.put(m.receivedAt);
    writer.put(m.sentAt);
    return writer.take();
}

Pong decodePong(ByteReader& reader) {
    Pong m;
    m.pingSentAt = reader.get<TimestampNs>();
    m.receivedAt = reader.get<TimestampNs>();
    m.sentAt = reader.get<TimestampNs>();
    return m;
}

std::vector<std::byte> encodeMessage(const EndOfStream& m) {
    ByteWriter writer = beginMessage(MessageType::EndOfStream);
    writer.put(m.frames);
    writer.putText(cleanText(m.reason));
    return writer.take();
}

EndOfStream decodeEndOfStream(ByteReader& reader) {
    EndOfStream m;
    m.frames = reader.get<std::uint64_t>();
    m.reason = cleanText(reader.getText());
    return m;
}

std::vector<std::byte> encodeMessage(const Report& m) {
    ByteWriter writer = beginMessage(MessageType::Report);
    writer.put(m.received);
    writer.put(m.shown);
    writer.put(m.skipped);
    writer.put(m.latency.count);
    for (double value : {m.latency.p50, m.latency.p99, m.latency.p999, m.latency.max, m.clockErrorUs}) {
        writer.put(value);
    }
    return writer.take();
}

Report decodeReport(ByteReader& reader) {
    Report m;
    m.received = reader.get<std::uint64_t>();
    m.shown = reader.get<std::uint64_t>();
    m.skipped = reader.get<std::uint64_t>();
    m.latency.count = reader.get<std::uint64_t>();
    for (double* value : {&m.latency.p50, &m.latency.p99, &m.latency.p999, &m.latency.max, &m.clockErrorUs}) {
        *value = reader.get<double>();
        if (!(*value >= 0 && *value < 1e15)) {
            throw Error(ErrorKind::Peer, "the peer reports a latency that is not a number");
        }
    }
    return m;
}

std::vector<std::byte> encodeMessage(const InputMessage& m) {
    const InputEvent& event = m.event;
    ByteWriter writer = beginMessage(MessageType::Input);
    writer.put(m.sequence);
    writer.put(static_cast<std::uint8_t>(event.kind));
    writer.put(static_cast<std::uint8_t>(event.pressed ? 1 : 0));
    writer.put(event.code);
    for (const float value : {event.x, event.y, event.dx, event.dy}) {
        writer.put(value);
    }
    writer.put(static_cast<std::uint16_t>(event.data.size()));
    writer.putBytes(event.data);
    return writer.take();
}

InputMessage decodeInput(ByteReader& reader) {
    InputMessage m;
    InputEvent& event = m.event;
    m.sequence = reader.get<std::uint64_t>();
    const auto kind = reader.get<std::uint8_t>();
    if (kind < static_cast<std::uint8_t>(InputKind::Key) ||
        kind > static_cast<std::uint8_t>(InputKind::Application)) {
        throw Error(ErrorKind::Peer, "the peer sends input of an unknown kind");
    }
    event.kind = static_cast<InputKind>(kind);
    event.pressed = reader.get<std::uint8_t>() != 0;
    event.code = reader.get<std::uint32_t>();
    for (float* value : {&event.x, &event.y, &event.dx, &event.dy}) {
        *value = reader.get<float>();
        if (!(std::abs(*value) <= 1e6F)) {
            throw Error(ErrorKind::Peer, "the peer sends input at a place that cannot be");
        }
    }
    const auto data = reader.getBytes(reader.get<std::uint16_t>());
    if (data.size() > kMaxInputData) {
        throw Error(ErrorKind::Peer, "the peer sends more input at once than is allowed");
    }
    event.data.assign(data.begin(), data.end());
    return m;
}

std::vector<std::byte> encodeMessage(const Bye& m) {
    ByteWriter writer = beginMessage(MessageType::Bye);
    writer.putText(cleanText(m.reason));
    return writer.take();
}

Bye decodeBye(ByteReader& reader) {
    return {cleanText(reader.getText())};
}

}  // namespace verbcast
