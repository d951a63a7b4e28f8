#include "capture/output/encoder_choice.h"

extern "C" {
#include <libavutil/opt.h>
}

#include <fmt/format.h>

#include "core/base/error.h"

namespace verbcast {
namespace {

bool hasOption(const AVCodec& codec, const char* name) {
    const AVClass* own = codec.priv_class;
    const AVClass* general = avcodec_get_class();
    return av_opt_find(static_cast<void*>(&general), name, nullptr, 0, AV_OPT_SEARCH_FAKE_OBJ) != nullptr ||
           (own != nullptr &&
            av_opt_find(static_cast<void*>(&own), name, nullptr, 0, AV_OPT_SEARCH_FAKE_OBJ) != nullptr);
}

}  // namespace

EncoderChoice chooseEncoder(const char* option, AVMediaType kind, const std::string& asked,
                            const AVOutputFormat& muxer, std::string_view ours) {
    EncoderChoice choice{.codec = nullptr, .name = asked.substr(0, asked.find(',')), .options = nullptr};
    const std::string& name = choice.name;
    choice.codec = avcodec_find_encoder_by_name(name.c_str());
    if (choice.codec == nullptr || choice.codec->type != kind) {
        throw Error(ErrorKind::Usage,
                    fmt::format("{} {}: this FFmpeg has no encoder for {} of that name", option, name,
                                kind == AVMEDIA_TYPE_VIDEO ? "video" : "sound"),
                    "choose one that it has: ffmpeg -hide_banner -encoders");
    }
    if (avformat_query_codec(&muxer, choice.codec->id, FF_COMPLIANCE_NORMAL) == 0) {
        throw Error(ErrorKind::Usage,
                    fmt::format("{} {}: {} does not hold {}", option, name, muxer.name,
                                avcodec_get_name(choice.codec->id)),
                    "record into Matroska (.mkv)");
    }
    const std::string options = asked.size() > name.size() ? asked.substr(name.size() + 1) : "";
    AVDictionary* parsed = nullptr;
    const int code = av_dict_parse_string(&parsed, options.c_str(), "=", ",", 0);
    choice.options.reset(parsed);
    const std::string remedy = fmt::format("its options: ffmpeg -hide_banner -h encoder={}", name);
    if (code < 0) {
        throw Error(ErrorKind::Usage, fmt::format("{} {},{}: NAME=VALUE expected", option, name, options),
                    remedy);
    }
    for (const AVDictionaryEntry* each = nullptr;
         (each = av_dict_get(parsed, "", each, AV_DICT_IGNORE_SUFFIX)) != nullptr;) {
        if (each->key != ours && !hasOption(*choice.codec, each->key)) {
            throw Error(ErrorKind::Usage, fmt::format("{} {}: it has no option {}", option, name, each->key),
                        remedy);
        }
    }
    return choice;
}

}  // namespace verbcast
