#include "core/video/frame_md5.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <cerrno>

#include "core/base/os/output_file.h"

namespace verbcast {

std::string frameMd5(const VideoFormat& format, const std::byte* payload) {
    struct Free {
        void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
    };
    const std::unique_ptr<EVP_MD_CTX, Free> context(EVP_MD_CTX_new());
    if (!context || EVP_DigestInit_ex(context.get(), EVP_md5(), nullptr) != 1) {
        throw Error(ErrorKind::Internal, "MD5 is not available in this build of OpenSSL",
                    "OpenSSL in FIPS mode forbids MD5; run without --frame-md5");
    }
    for (std::size_t plane = 0; plane < pixelFormatInfo(format.pixelFormat).planeCount; ++plane) {
        const std::size_t row = tightRowBytes(format, plane);
        const std::size_t rows = planeRows(format, plane);
        const std::byte* data = payload + format.planes[plane].offset;
        const std::size_t stride = format.planes[plane].stride;
        if (stride == row) {
            EVP_DigestUpdate(context.get(), data, row * rows);
            continue;
        }
        for (std::size_t y = 0; y < rows; ++y) {
            EVP_DigestUpdate(context.get(), data + y * stride, row);
        }
    }
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int length = 0;
    EVP_DigestFinal_ex(context.get(), digest, &length);
    std::string text;
    for (unsigned int i = 0; i < length; ++i) {
        text += fmt::format("{:02x}", digest[i]);
    }
    return text;
}

FrameMd5Writer::FrameMd5Writer(const std::string& path) : path_(path) {
    if (path == "-") {
        file_.reset(stdout);
    } else if (UniqueFd opened = openOutput(path)) {
        file_.reset(::fdopen(opened.get(), "w"));
        static_cast<void>(file_ ? opened.release() : 0);
    }
    if (!file_) {
        throwErrno(ErrorKind::Usage, "opening the --frame-md5 file", path, errno,
                   "choose a place that can be written");
    }
    // Somebody following the file sees each frame as it arrives, and a crash leaves whole lines.
    std::setvbuf(file_.get(), nullptr, _IOLBF, BUFSIZ);
    put("#sequence,pts,bytes,md5\n");
}

void FrameMd5Writer::write(const VideoFormat& format, const FrameInfo& info, const std::byte* payload) {
    write(format, info, frameMd5(format, payload));
}

void FrameMd5Writer::write(const VideoFormat& format, const FrameInfo& info, const std::string& md5) {
    put(fmt::format("{},{},{},{}\n", info.sequence, info.pts, tightBytes(format), md5));
}

void FrameMd5Writer::flush() {
    if (file_ && std::fflush(file_.get()) != 0) {
        fail(errno);
    }
}

void FrameMd5Writer::finish() {
    flush();
    // Network file systems tell only now that a disk is full.
    if (std::FILE* const file = file_.release();
        file != nullptr && file != stdout && std::fclose(file) != 0) {
        fail(errno);
    }
}

void FrameMd5Writer::put(const std::string& line) {
    if (std::fputs(line.c_str(), file_.get()) < 0) {
        fail(errno);
    }
}

void FrameMd5Writer::fail(int code) const {
    throwErrno(ErrorKind::Resource, "writing the --frame-md5 file", path_, code, unwrittenRemedy(code));
}

}  // namespace verbcast
