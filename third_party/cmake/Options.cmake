# The choices of a build and the interface target `ration_flags` with the flags of every C and C++ target.

foreach(part CUDA NCCL MPI OPENMP)
    set(RATION_${part} AUTO CACHE STRING "AUTO: when it is found; ON: it must be; OFF: without")
    set_property(CACHE RATION_${part} PROPERTY STRINGS AUTO ON OFF)
    if(NOT RATION_${part} MATCHES "^(AUTO|ON|OFF)$")
        message(FATAL_ERROR "RATION_${part} is '${RATION_${part}}'; it must be AUTO, ON or OFF")
    endif()
endforeach()

set(RATION_TESTS AUTO CACHE STRING "AUTO: when GoogleTest and Python are found; ON: they must be; OFF: without")
set_property(CACHE RATION_TESTS PROPERTY STRINGS AUTO ON OFF)
option(RATION_WERROR "Warnings are errors" OFF)
set(RATION_SANITIZE "" CACHE STRING "Sanitizers of a build, as -fsanitize= wants them: address,undefined or thread")

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Asserts are promises to ourselves: kept in Debug and sanitizer builds, out of Release.
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g")

add_library(ration_flags INTERFACE)
target_include_directories(ration_flags INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR})
target_compile_definitions(ration_flags INTERFACE $<$<COMPILE_LANGUAGE:C>:_XOPEN_SOURCE=700>)

# One rounding everywhere: no fused multiply-add behind our back, no flags of the building machine.
set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wundef -Wvla -Wwrite-strings
    -Wpointer-arith -Wformat=2)
target_compile_options(ration_flags INTERFACE
    $<$<COMPILE_LANGUAGE:C,CXX>:-ffp-contract=off -fno-math-errno>
    $<$<COMPILE_LANGUAGE:C>:${warnings} -Wstrict-prototypes -Wmissing-prototypes>
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra>
    $<$<AND:$<BOOL:${RATION_WERROR}>,$<COMPILE_LANGUAGE:C,CXX>>:-Werror>)

if(RATION_SANITIZE)
    set(sanitize -fsanitize=${RATION_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_compile_options(ration_flags INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:${sanitize} -g>)
    target_link_options(ration_flags INTERFACE ${sanitize})
endif()

# RATION_HOT: flags of the folders whose loops are measured.
set(RATION_HOT $<$<CONFIG:Release,RelWithDebInfo>:-O3>)
