#include "core/api/python/formats.h"

#include <pybind11/stl.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <verbcast/verbcast.hpp>

#include "core/api/python/errors.h"

namespace py = pybind11;

namespace verbcast::python {
namespace {

using Name = std::pair<int, const char*>;

constexpr std::array kMatrices{Name{VC_MATRIX_DEFAULT, "default"}, Name{VC_MATRIX_BT709, "bt709"},
                               Name{VC_MATRIX_BT601_625, "bt601-625"}, Name{VC_MATRIX_BT601_525, "bt601-525"},
                               Name{VC_MATRIX_BT2020, "bt2020"}};
constexpr std::array kPrimaries{
    Name{VC_PRIMARIES_DEFAULT, "default"},     Name{VC_PRIMARIES_BT709, "bt709"},
    Name{VC_PRIMARIES_BT601_625, "bt601-625"}, Name{VC_PRIMARIES_BT601_525, "bt601-525"},
    Name{VC_PRIMARIES_BT2020, "bt2020"},       Name{VC_PRIMARIES_P3_D65, "p3-d65"}};
constexpr std::array kTransfers{Name{VC_TRANSFER_DEFAULT, "default"}, Name{VC_TRANSFER_BT709, "bt709"},
                                Name{VC_TRANSFER_LINEAR, "linear"},   Name{VC_TRANSFER_SRGB, "srgb"},
                                Name{VC_TRANSFER_PQ, "pq"},           Name{VC_TRANSFER_HLG, "hlg"}};
constexpr std::array kRanges{Name{VC_RANGE_DEFAULT, "default"}, Name{VC_RANGE_LIMITED, "limited"},
                             Name{VC_RANGE_FULL, "full"}};
constexpr std::array kChromaLocations{Name{VC_CHROMA_DEFAULT, "default"}, Name{VC_CHROMA_LEFT, "left"},
                                      Name{VC_CHROMA_CENTRE, "centre"}, Name{VC_CHROMA_TOP_LEFT, "top-left"}};
constexpr std::array kFieldOrders{Name{VC_PROGRESSIVE, "progressive"}, Name{VC_TOP_FIELD_FIRST, "top"},
                                  Name{VC_BOTTOM_FIELD_FIRST, "bottom"}};
constexpr std::array kAlphas{Name{VC_ALPHA_DEFAULT, "default"}, Name{VC_ALPHA_STRAIGHT, "straight"},
                             Name{VC_ALPHA_PREMULTIPLIED, "premultiplied"},
                             Name{VC_ALPHA_IGNORED, "ignored"}};

template <typename Names>
const char* nameIn(const Names& names, int value) {
    for (const auto& [number, name] : names) {
        if (number == value) {
            return name;
        }
    }
    return "unknown";
}

template <typename Enum, typename Names>
Enum valueIn(const Names& names, const char* what, const std::string& given) {
    std::string known;
    for (const auto& [number, name] : names) {
        if (given == name) {
            return static_cast<Enum>(number);
        }
        known += known.empty() ? name : std::string(", ") + name;
    }
    throw py::value_error(std::string(what) + ": " + given + ": one of " + known + " expected");
}

vc_pixel_format pixelFormatFrom(const std::string& name) {
    const vc_pixel_format format = vc_pixel_format_by_name(name.c_str());
    if (format == VC_PIXEL_NONE) {
        std::string known;
        for (int i = 1; const char* each = vc_pixel_format_name(static_cast<vc_pixel_format>(i)); ++i) {
            known += known.empty() ? each : std::string(", ") + each;
        }
        throw py::value_error("pixel_format: " + name + ": one of " + known + " expected");
    }
    return format;
}

/// None: not known.
py::object fractionOf(vc_rational rational) {
    if (rational.numerator == 0 || rational.denominator == 0) {
        return py::none();
    }
    return py::module_::import("fractions").attr("Fraction")(rational.numerator, rational.denominator);
}

/// From what Python's Fraction is made from, or a pair.
vc_rational rationalFrom(const py::object& given, vc_rational none) {
    if (given.is_none()) {
        return none;
    }
    const py::object type = py::module_::import("fractions").attr("Fraction");
    const py::object fraction = py::isinstance<py::tuple>(given)
                                    ? type(*py::reinterpret_borrow<py::tuple>(given))
                                    : type(given).attr("limit_denominator")(1'000'000);
    return {fraction.attr("numerator").cast<std::int32_t>(),
            fraction.attr("denominator").cast<std::int32_t>()};
}

/// The fields of vc_hdr by their names.
template <typename Visit>
void visitHdr(Visit&& visit) {
    visit("red_x", &vc_hdr::red_x);
    visit("red_y", &vc_hdr::red_y);
    visit("green_x", &vc_hdr::green_x);
    visit("green_y", &vc_hdr::green_y);
    visit("blue_x", &vc_hdr::blue_x);
    visit("blue_y", &vc_hdr::blue_y);
    visit("white_x", &vc_hdr::white_x);
    visit("white_y", &vc_hdr::white_y);
    visit("max_luminance", &vc_hdr::max_luminance);
    visit("min_luminance", &vc_hdr::min_luminance);
    visit("max_content_light", &vc_hdr::max_content_light);
    visit("max_frame_average_light", &vc_hdr::max_frame_average_light);
}

/// None: there is none.
py::object dictOf(const vc_hdr& hdr) {
    py::dict dict;
    bool any = false;
    visitHdr([&](const char* name, auto member) {
        dict[name] = hdr.*member;
        any = any || hdr.*member != 0;
    });
    return any ? py::object(dict) : py::none();
}

vc_hdr hdrFrom(const std::optional<py::dict>& given) {
    vc_hdr hdr{};
    std::size_t known = 0;
    visitHdr([&](const char* name, auto member) {
        if (given && given->contains(name)) {
            hdr.*member = (*given)[name].template cast<std::decay_t<decltype(hdr.*member)>>();
            ++known;
        }
    });
    if (given && known != given->size()) {
        throw py::value_error("hdr: " + py::repr(*given).cast<std::string>() + ": fields of vc_hdr expected");
    }
    return hdr;
}

/// The field of that name by one of its names.
template <const auto& Names, auto Member>
const char* named(const vc_video_format& format) {
    return nameIn(Names, format.*Member);
}

template <auto Member>
py::object fraction(const vc_video_format& format) {
    return fractionOf(format.*Member);
}

vc_video_format makeFormat(const std::string& pixelFormat, std::uint32_t width, std::uint32_t height,
                           const py::object& fps, const py::object& timeBase, const py::object& pixelAspect,
                           std::uint32_t rotation, const std::string& matrix, const std::string& primaries,
                           const std::string& transfer, const std::string& range,
                           const std::string& chromaLocation, const std::string& fieldOrder,
                           const std::string& alpha, const std::optional<py::dict>& hdr,
                           std::uint32_t strideAlignment, std::uint32_t planeAlignment) {
    vc_video_format format =
        vc::videoFormat(pixelFormatFrom(pixelFormat), width, height, rationalFrom(fps, {0, 1}));
    format.time_base = rationalFrom(timeBase, {0, 0});
    format.pixel_aspect = rationalFrom(pixelAspect, {0, 0});
    format.rotation = rotation;
    format.matrix = valueIn<vc_matrix>(kMatrices, "matrix", matrix);
    format.primaries = valueIn<vc_primaries>(kPrimaries, "primaries", primaries);
    format.transfer = valueIn<vc_transfer>(kTransfers, "transfer", transfer);
    format.range = valueIn<vc_range>(kRanges, "range", range);
    format.chroma_location = valueIn<vc_chroma_location>(kChromaLocations, "chroma_location", chromaLocation);
    format.field_order = valueIn<vc_field_order>(kFieldOrders, "field_order", fieldOrder);
    format.alpha = valueIn<vc_alpha>(kAlphas, "alpha", alpha);
    format.hdr = hdrFrom(hdr);
    format.stride_alignment = strideAlignment;
    format.plane_alignment = planeAlignment;
    static_cast<void>(vc::checked(vc_describe_format(&format)));  // says what is wrong with it
    return format;
}

py::str describe(const vc_video_format& format) {
    return textFrom(vc::checked(vc_describe_format(&format)));
}

}  // namespace

void addFormats(py::module_& module) {
    using namespace py::literals;
    py::class_<vc_video_format>(module, "VideoFormat")
        .def(py::init(&makeFormat), "pixel_format"_a, "width"_a, "height"_a, "fps"_a = 60, py::kw_only(),
             "time_base"_a = py::none(), "pixel_aspect"_a = py::none(), "rotation"_a = 0,
             "matrix"_a = "default", "primaries"_a = "default", "transfer"_a = "default",
             "range"_a = "default", "chroma_location"_a = "default", "field_order"_a = "progressive",
             "alpha"_a = "default", "hdr"_a = py::none(), "stride_alignment"_a = 0, "plane_alignment"_a = 0)
        .def_property_readonly(
            "pixel_format",
            [](const vc_video_format& format) { return vc_pixel_format_name(format.pixel_format); })
        .def_readonly("width", &vc_video_format::width)
        .def_readonly("height", &vc_video_format::height)
        .def_property_readonly("fps", &fraction<&vc_video_format::frame_rate>)
        .def_property_readonly("time_base", &fraction<&vc_video_format::time_base>)
        .def_property_readonly("pixel_aspect", &fraction<&vc_video_format::pixel_aspect>)
        .def_readonly("rotation", &vc_video_format::rotation)
        .def_property_readonly("matrix", &named<kMatrices, &vc_video_format::matrix>)
        .def_property_readonly("primaries", &named<kPrimaries, &vc_video_format::primaries>)
        .def_property_readonly("transfer", &named<kTransfers, &vc_video_format::transfer>)
        .def_property_readonly("range", &named<kRanges, &vc_video_format::range>)
        .def_property_readonly("chroma_location", &named<kChromaLocations, &vc_video_format::chroma_location>)
        .def_property_readonly("field_order", &named<kFieldOrders, &vc_video_format::field_order>)
        .def_property_readonly("alpha", &named<kAlphas, &vc_video_format::alpha>)
        .def_property_readonly("hdr", [](const vc_video_format& format) { return dictOf(format.hdr); })
        .def("__str__", &describe)
        .def("__repr__", [](const vc_video_format& format) {
            return py::str("<verbcast.VideoFormat {}>").format(describe(format));
        });
}

py::tuple tupleOf(const vc_rect& rect) {
    return py::make_tuple(rect.x, rect.y, rect.width, rect.height);
}

vc_rect rectFrom(const py::handle& numbers) {
    try {
        const auto rect = numbers.cast<std::array<std::uint32_t, 4>>();
        return {rect[0], rect[1], rect[2], rect[3]};
    } catch (const py::cast_error&) {
        throw py::value_error(py::repr(numbers).cast<std::string>() +
                              ": x, y, width and height in pixels expected");
    }
}

}  // namespace verbcast::python
