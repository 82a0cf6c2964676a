# The probe, in programs of its own that know no GPU.
set(test_folder ${CMAKE_SOURCE_DIR}/tests/unit/probe)
file(GLOB test_sources CONFIGURE_DEPENDS ${test_folder}/*.cpp)

# A program with NVTX ranges, and a stand-in for libcupti that delivers scripted records.
add_executable(probe_nvtx_program ${test_folder}/programs/nvtx_program.cpp)
add_executable(probe_cuda_program ${test_folder}/programs/cuda_program.cpp)
add_library(probe_fake_cupti SHARED ${test_folder}/programs/fake_cupti.cpp)
foreach(target probe_nvtx_program probe_cuda_program probe_fake_cupti)
  target_link_libraries(${target} PRIVATE perfgate_options ${CMAKE_DL_LIBS} Threads::Threads)
  target_include_directories(${target} SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
endforeach()

add_executable(test_probe ${test_sources})
target_link_libraries(test_probe PRIVATE perfgate_options perfgate_test_options pg_probe_parts)
target_compile_definitions(test_probe PRIVATE
  PERFGATE_TEST_PROBE="$<TARGET_FILE:perfgate_probe>"
  PERFGATE_TEST_NVTX_PROGRAM="$<TARGET_FILE:probe_nvtx_program>"
  PERFGATE_TEST_CUDA_PROGRAM="$<TARGET_FILE:probe_cuda_program>"
  PERFGATE_TEST_FAKE_CUPTI="$<TARGET_FILE:probe_fake_cupti>")
add_dependencies(test_probe perfgate_probe probe_nvtx_program probe_cuda_program probe_fake_cupti)
add_test(NAME probe COMMAND test_probe WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
