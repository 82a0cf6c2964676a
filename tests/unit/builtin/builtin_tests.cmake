# The host side of the built-in workloads, and its kernels run on the CPU: kernels/*.cpp compile the .cu files over the
# stand-ins in emulation/, which are found before the real headers. kernels/host_*.cpp are the model's host code, over the
# CUDA runtime of emulated_gpu.cpp.
perfgate_unit_tests(builtin MODULES builtin)
file(GLOB emulated_kernels CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/kernels/*.cpp)
target_sources(test_builtin PRIVATE ${emulated_kernels})
target_include_directories(test_builtin BEFORE PRIVATE ${CMAKE_CURRENT_LIST_DIR}/emulation)
target_include_directories(test_builtin SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
# Device code is held to nvcc's warnings, not to the host's.
set_source_files_properties(${emulated_kernels} PROPERTIES COMPILE_OPTIONS "-w;-O1")
