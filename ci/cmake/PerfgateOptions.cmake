# Language level, warnings and sanitizers for all of our own code.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(PERFGATE_CCACHE ccache)
if(PERFGATE_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${PERFGATE_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PERFGATE_CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${PERFGATE_CCACHE})
endif()

add_library(perfgate_options INTERFACE)
target_include_directories(perfgate_options INTERFACE ${CMAKE_SOURCE_DIR})
# nvcc gets no -Wpedantic: it answers each generated line directive with a warning.
target_compile_options(perfgate_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wconversion;-Wshadow;-Werror>
  # Paths of the build machine must not reach the binaries (std::source_location, assert).
  $<$<COMPILE_LANGUAGE:C,CXX>:-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports maybe-uninitialized and restrict inside its own std::variant and std::string at -O2 and -O3 (GCC 105562, 105651).
  target_compile_options(perfgate_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized;-Wno-restrict>)
endif()

if(PERFGATE_SANITIZE)
  string(REPLACE "," ";" sanitizers "${PERFGATE_SANITIZE}")
  list(JOIN sanitizers "," flags)
  add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=${flags}>
                      $<$<COMPILE_LANGUAGE:C,CXX>:-fno-omit-frame-pointer>
                      $<$<COMPILE_LANGUAGE:C,CXX>:-fno-sanitize-recover=all>)
  add_link_options(-fsanitize=${flags})
endif()
