#include "app/copy/copy_stream.h"
#include "core/base/checksum.h"
#include "tests/fuzz/seed_writer.h"

namespace verbcast::fuzz {
namespace {

SeedWriter& copyRecord(SeedWriter& writer, CopyRecord type, std::span<const std::byte> payload = {}) {
    return writer.byte(static_cast<int>(type)).put(static_cast<std::uint32_t>(payload.size())).bytes(payload);
}

SeedWriter copyEntry(CopyKind kind, const char* path, std::uint64_t size = 0, const char* target = "") {
    const auto bytes = [](std::string_view text) {
        return std::as_bytes(std::span(text.data(), text.size()));
    };
    SeedWriter entry;
    entry.byte(static_cast<int>(kind))
        .text(bytes(path))
        .put(std::uint32_t{0644})
        .put(std::int64_t{1})
        .put(0U);
    entry.put(size).text(bytes(target));
    return entry;
}

}  // namespace

void writeCopySeeds(const std::filesystem::path& seeds) {
    const SeedFolder folder(seeds, "copy_receiver");
    SeedWriter whole;
    whole.byte(2);
    copyRecord(whole, CopyRecord::Entry, copyEntry(CopyKind::Folder, "a").seed());
    copyRecord(whole, CopyRecord::Entry, copyEntry(CopyKind::File, "a/f", 4).seed());
    copyRecord(whole, CopyRecord::Entry, copyEntry(CopyKind::Link, "a/l", 0, "../trap").seed());
    copyRecord(whole, CopyRecord::ListEnd);
    copyRecord(whole, CopyRecord::Begin, SeedWriter().put(std::uint64_t{0}).seed());
    copyRecord(whole, CopyRecord::Data, SeedWriter().put(std::uint64_t{0}).put(std::uint32_t{7}).seed());
    const std::uint32_t data = 7;
    const std::uint64_t checksum = checksumOf(std::as_bytes(std::span(&data, 1)));
    copyRecord(whole, CopyRecord::FileEnd, SeedWriter().put(checksum).seed());
    folder.add("whole", copyRecord(whole, CopyRecord::End));
    SeedWriter trap;
    trap.byte(3);
    copyRecord(trap, CopyRecord::Entry, copyEntry(CopyKind::File, "trap/precious", 1).seed());
    copyRecord(trap, CopyRecord::ListEnd);
    copyRecord(trap, CopyRecord::Begin, SeedWriter().put(std::uint64_t{0}).seed());
    folder.add("trap", copyRecord(trap, CopyRecord::Abandoned));
}

}  // namespace verbcast::fuzz
