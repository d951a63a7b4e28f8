// Writes seeds: inputs that lead a target deep into the code under test.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/wire.h"
#include "core/video/frame_info.h"

namespace verbcast::fuzz {

/// Numbers and bytes in the order in which a Script takes them.
class SeedWriter {
  public:
    SeedWriter& byte(int value) { return put(static_cast<std::uint8_t>(value)); }
    SeedWriter& word(int value) { return put(static_cast<std::uint16_t>(value)); }
    template <typename T>
    SeedWriter& put(T value) {
        writer_.put(value);
        return *this;
    }
    SeedWriter& bytes(std::span<const std::byte> bytes) {
        writer_.putBytes(bytes);
        return *this;
    }
    /// For Script::takeText().
    SeedWriter& text(std::span<const std::byte> bytes) {
        word(static_cast<int>(bytes.size()));
        return this->bytes(bytes);
    }
    /// For Script::takeInfo().
    SeedWriter& info(int epoch, int sequence, std::uint32_t payloadBytes, std::uint32_t pts = 0,
                     int rectCount = 0, int track = 0) {
        return byte(epoch)
            .byte(track)
            .byte(rectCount)
            .byte(0)
            .word(sequence)
            .put(payloadBytes)
            .put(pts)
            .put(std::int32_t{1});
    }
    std::span<const std::byte> seed() const { return writer_.bytes(); }

  private:
    ByteWriter writer_;
};

/// The seeds of one target: one file each, in a folder named after the target.
class SeedFolder {
  public:
    SeedFolder(const std::filesystem::path& seeds, const std::string& target) : folder_(seeds / target) {
        std::filesystem::create_directories(folder_);
    }
    void add(const std::string& name, std::span<const std::byte> bytes) const {
        std::ofstream(folder_ / name, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }
    void add(const std::string& name, std::string_view text) const {
        add(name, std::as_bytes(std::span(text.data(), text.size())));
    }
    void add(const std::string& name, const SeedWriter& writer) const { add(name, writer.seed()); }

  private:
    std::filesystem::path folder_;
};

// One function per source of targets.
void writeDecoderSeeds(const std::filesystem::path& seeds);
void writeTextSeeds(const std::filesystem::path& seeds);
void writeLinkSeeds(const std::filesystem::path& seeds);
void writeTransportSeeds(const std::filesystem::path& seeds);
void writeMulticastSeeds(const std::filesystem::path& seeds);

}  // namespace verbcast::fuzz
