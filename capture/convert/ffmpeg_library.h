// FFmpeg's libraries, loaded when something of theirs is first called: a hundred other libraries come with
// them, which takes longer than all else that most commands do at start.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/audio_fifo.h>
#include <libavutil/avstring.h>
#include <libavutil/display.h>
#include <libavutil/hwcontext.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>
}

#include "capture/late_function.h"

namespace verbcast {

enum class FfmpegLibrary { Codec, Format, Resample, Scale, Util };

/// A function's address. Throws Error{Device}, saying what to install, if there is no such library of the
/// version that this program was compiled for.
void* findInFfmpeg(FfmpegLibrary library, const char* name);

/// Loads all of them, so that nothing fails for want of them later. Throws as findInFfmpeg() does.
void loadFfmpeg();

/// A function of FFmpeg. Code in this namespace that calls one below by its name calls this object. From any
/// thread. Throws as findInFfmpeg() does, but not once any function of the library has been called.
template <typename Signature>
using FfmpegFunction = LateFunction<findInFfmpeg, FfmpegLibrary, Signature>;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wignored-attributes"  // warn_unused_result: the objects are not warned about
// All that is used; others do not link.
// NOLINTBEGIN(bugprone-macro-parentheses): names, not expressions
#define VERBCAST_FFMPEG(library, name)                       \
    inline constinit FfmpegFunction<decltype(::name)> name { \
        FfmpegLibrary::library, #name                        \
    }
// NOLINTEND(bugprone-macro-parentheses)
VERBCAST_FFMPEG(Codec, av_codec_is_decoder);
VERBCAST_FFMPEG(Codec, av_codec_iterate);
VERBCAST_FFMPEG(Codec, av_new_packet);
VERBCAST_FFMPEG(Codec, av_packet_alloc);
VERBCAST_FFMPEG(Codec, av_packet_clone);
VERBCAST_FFMPEG(Codec, av_packet_free);
VERBCAST_FFMPEG(Codec, av_packet_move_ref);
VERBCAST_FFMPEG(Codec, av_packet_ref);
VERBCAST_FFMPEG(Codec, av_packet_rescale_ts);
VERBCAST_FFMPEG(Codec, av_packet_unref);
VERBCAST_FFMPEG(Codec, avcodec_align_dimensions2);
VERBCAST_FFMPEG(Codec, avcodec_alloc_context3);
VERBCAST_FFMPEG(Codec, avcodec_default_get_buffer2);
VERBCAST_FFMPEG(Codec, avcodec_descriptor_get);
VERBCAST_FFMPEG(Codec, avcodec_find_best_pix_fmt_of_list);
VERBCAST_FFMPEG(Codec, avcodec_find_decoder);
VERBCAST_FFMPEG(Codec, avcodec_find_encoder_by_name);
VERBCAST_FFMPEG(Codec, avcodec_flush_buffers);
VERBCAST_FFMPEG(Codec, avcodec_free_context);
VERBCAST_FFMPEG(Codec, avcodec_get_class);
VERBCAST_FFMPEG(Codec, avcodec_get_hw_config);
VERBCAST_FFMPEG(Codec, avcodec_get_name);
VERBCAST_FFMPEG(Codec, avcodec_open2);
VERBCAST_FFMPEG(Codec, avcodec_parameters_alloc);
VERBCAST_FFMPEG(Codec, avcodec_parameters_copy);
VERBCAST_FFMPEG(Codec, avcodec_parameters_free);
VERBCAST_FFMPEG(Codec, avcodec_parameters_from_context);
VERBCAST_FFMPEG(Codec, avcodec_parameters_to_context);
VERBCAST_FFMPEG(Codec, avcodec_pix_fmt_to_codec_tag);
VERBCAST_FFMPEG(Codec, avcodec_profile_name);
VERBCAST_FFMPEG(Codec, avcodec_receive_frame);
VERBCAST_FFMPEG(Codec, avcodec_receive_packet);
VERBCAST_FFMPEG(Codec, avcodec_send_frame);
VERBCAST_FFMPEG(Codec, avcodec_send_packet);
VERBCAST_FFMPEG(Codec, avcodec_version);
VERBCAST_FFMPEG(Format, av_demuxer_iterate);
VERBCAST_FFMPEG(Format, av_find_best_stream);
VERBCAST_FFMPEG(Format, av_find_input_format);
VERBCAST_FFMPEG(Format, av_guess_format);
VERBCAST_FFMPEG(Format, av_guess_frame_rate);
VERBCAST_FFMPEG(Format, av_guess_sample_aspect_ratio);
VERBCAST_FFMPEG(Format, av_probe_input_format3);
VERBCAST_FFMPEG(Format, av_read_frame);
VERBCAST_FFMPEG(Format, av_stream_get_side_data);
VERBCAST_FFMPEG(Format, av_stream_new_side_data);
VERBCAST_FFMPEG(Format, av_write_frame);
VERBCAST_FFMPEG(Format, av_write_trailer);
VERBCAST_FFMPEG(Format, avformat_alloc_context);
VERBCAST_FFMPEG(Format, avformat_alloc_output_context2);
VERBCAST_FFMPEG(Format, avformat_close_input);
VERBCAST_FFMPEG(Format, avformat_find_stream_info);
VERBCAST_FFMPEG(Format, avformat_free_context);
VERBCAST_FFMPEG(Format, avformat_new_stream);
VERBCAST_FFMPEG(Format, avformat_open_input);
VERBCAST_FFMPEG(Format, avformat_query_codec);
VERBCAST_FFMPEG(Format, avformat_seek_file);
VERBCAST_FFMPEG(Format, avformat_version);
VERBCAST_FFMPEG(Format, avformat_write_header);
VERBCAST_FFMPEG(Format, avio_alloc_context);
VERBCAST_FFMPEG(Format, avio_size);
VERBCAST_FFMPEG(Format, avio_context_free);
VERBCAST_FFMPEG(Format, avio_find_protocol_name);
VERBCAST_FFMPEG(Format, avio_flush);
VERBCAST_FFMPEG(Resample, swr_alloc_set_opts2);
VERBCAST_FFMPEG(Resample, swr_convert);
VERBCAST_FFMPEG(Resample, swr_free);
VERBCAST_FFMPEG(Resample, swr_get_out_samples);
VERBCAST_FFMPEG(Resample, swr_init);
VERBCAST_FFMPEG(Scale, sws_alloc_context);
VERBCAST_FFMPEG(Scale, sws_freeContext);
VERBCAST_FFMPEG(Scale, sws_getCoefficients);
VERBCAST_FFMPEG(Scale, sws_init_context);
VERBCAST_FFMPEG(Scale, sws_scale_frame);
VERBCAST_FFMPEG(Scale, sws_setColorspaceDetails);
VERBCAST_FFMPEG(Util, av_audio_fifo_alloc);
VERBCAST_FFMPEG(Util, av_audio_fifo_free);
VERBCAST_FFMPEG(Util, av_audio_fifo_read);
VERBCAST_FFMPEG(Util, av_audio_fifo_size);
VERBCAST_FFMPEG(Util, av_audio_fifo_write);
VERBCAST_FFMPEG(Util, av_buffer_create);
VERBCAST_FFMPEG(Util, av_buffer_unref);
VERBCAST_FFMPEG(Util, av_channel_layout_copy);
VERBCAST_FFMPEG(Util, av_channel_layout_default);
VERBCAST_FFMPEG(Util, av_channel_layout_from_mask);
VERBCAST_FFMPEG(Util, av_compare_ts);
VERBCAST_FFMPEG(Util, av_dict_free);
VERBCAST_FFMPEG(Util, av_dict_get);
VERBCAST_FFMPEG(Util, av_dict_parse_string);
VERBCAST_FFMPEG(Util, av_dict_set);
VERBCAST_FFMPEG(Util, av_dict_set_int);
VERBCAST_FFMPEG(Util, av_display_matrix_flip);
VERBCAST_FFMPEG(Util, av_display_rotation_get);
VERBCAST_FFMPEG(Util, av_frame_alloc);
VERBCAST_FFMPEG(Util, av_frame_apply_cropping);
VERBCAST_FFMPEG(Util, av_frame_copy);
VERBCAST_FFMPEG(Util, av_frame_copy_props);
VERBCAST_FFMPEG(Util, av_frame_free);
VERBCAST_FFMPEG(Util, av_frame_get_buffer);
VERBCAST_FFMPEG(Util, av_frame_get_side_data);
VERBCAST_FFMPEG(Util, av_frame_move_ref);
VERBCAST_FFMPEG(Util, av_frame_unref);
VERBCAST_FFMPEG(Util, av_free);
VERBCAST_FFMPEG(Util, av_freep);
VERBCAST_FFMPEG(Util, av_get_packed_sample_fmt);
VERBCAST_FFMPEG(Util, av_get_pix_fmt);
VERBCAST_FFMPEG(Util, av_get_pix_fmt_name);
VERBCAST_FFMPEG(Util, av_get_sample_fmt_name);
VERBCAST_FFMPEG(Util, av_hwdevice_ctx_create);
VERBCAST_FFMPEG(Util, av_hwdevice_find_type_by_name);
VERBCAST_FFMPEG(Util, av_hwframe_transfer_data);
VERBCAST_FFMPEG(Util, av_image_copy_plane);
VERBCAST_FFMPEG(Util, av_image_fill_arrays);
VERBCAST_FFMPEG(Util, av_image_fill_linesizes);
VERBCAST_FFMPEG(Util, av_image_fill_plane_sizes);
VERBCAST_FFMPEG(Util, av_log_format_line2);
VERBCAST_FFMPEG(Util, av_log_get_level);
VERBCAST_FFMPEG(Util, av_log_set_callback);
VERBCAST_FFMPEG(Util, av_log_set_level);
VERBCAST_FFMPEG(Util, av_malloc);
VERBCAST_FFMPEG(Util, av_match_name);
VERBCAST_FFMPEG(Util, av_opt_find);
VERBCAST_FFMPEG(Util, av_opt_set_int);
VERBCAST_FFMPEG(Util, av_pix_fmt_desc_get);
VERBCAST_FFMPEG(Util, av_read_image_line);
VERBCAST_FFMPEG(Util, av_reduce);
VERBCAST_FFMPEG(Util, av_rescale);
VERBCAST_FFMPEG(Util, av_rescale_q);
VERBCAST_FFMPEG(Util, av_strerror);
VERBCAST_FFMPEG(Util, av_version_info);
#undef VERBCAST_FFMPEG
#pragma GCC diagnostic pop

}  // namespace verbcast
