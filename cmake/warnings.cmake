# Compiler settings that every target of ours shares: verbcast_target(NAME).
function(verbcast_target name)
    target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
    target_compile_options(${name} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)
    if(CMAKE_UNITY_BUILD)
        # Everything there lies in an included file, so that a class with a member of an unnamed namespace looks shared.
        target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
    endif()
    if(VERBCAST_WARNINGS_AS_ERRORS)
        target_compile_options(${name} PRIVATE -Werror)
    endif()
    if(VERBCAST_SANITIZER)
        # Without vptr: it needs a free descriptor to look at an object, and some tests leave none.
        target_compile_options(${name} PRIVATE -fsanitize=${VERBCAST_SANITIZER} -fno-omit-frame-pointer
                               -fno-sanitize-recover=all -fno-sanitize=vptr)
        target_link_options(${name} PUBLIC -fsanitize=${VERBCAST_SANITIZER})
        get_target_property(type ${name} TYPE)
        if(type STREQUAL "EXECUTABLE")
            # At a fixed address: relocating the tables of the sanitizers takes most of a program's start.
            target_link_options(${name} PRIVATE -no-pie)
        endif()
    endif()
endfunction()

# For code that must know: gcc and clang have no macro in common for it.
set(SANITIZED_DEFINITION VERBCAST_SANITIZED=0)
if(VERBCAST_SANITIZER)
    set(SANITIZED_DEFINITION VERBCAST_SANITIZED=1)
endif()
