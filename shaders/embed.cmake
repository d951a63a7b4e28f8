# Writes OUTPUT, a C++ source that holds the files of SHADERS (a list of paths) as text.
#   cmake -DOUTPUT=FILE -DSHADERS=A;B -P embed.cmake
set(entries "")
foreach(path IN LISTS SHADERS)
    get_filename_component(name ${path} NAME)
    file(READ ${path} text)
    string(APPEND entries "    {\"${name}\", R\"glsl(${text})glsl\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Generated from shaders/ by embed.cmake.
#include \"render/gl/shader_program.h\"

namespace verbcast {

const std::map<std::string_view, std::string_view>& embeddedShaders() {
    static const std::map<std::string_view, std::string_view> shaders{
${entries}    };
    return shaders;
}

}  // namespace verbcast
")
