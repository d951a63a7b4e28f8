#include "app/report_error.h"

#include <fmt/format.h>

#include <cstdio>
#include <new>

#include "core/base/clean_text.h"
#include "core/base/error.h"

namespace verbcast {

int reportCurrentError() {
    try {
        throw;
    } catch (const Error& error) {
        fmt::print(stderr, "verbcast: {}\n", cleanLine(error.what()));
        if (!error.remedy().empty()) {
            fmt::print(stderr, "  try: {}\n", cleanLine(error.remedy()));
        }
        return error.exitCode();
    } catch (const std::bad_alloc&) {
        fmt::print(stderr, "verbcast: out of memory\n");
        return static_cast<int>(ErrorKind::Resource);
    } catch (const std::exception& error) {
        fmt::print(stderr, "verbcast: internal error: {}\n", cleanLine(error.what()));
        return static_cast<int>(ErrorKind::Internal);
    }
}

}  // namespace verbcast
