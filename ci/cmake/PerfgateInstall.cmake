# A relocatable tree: bin/perfgate, bin/perfgate-workload, lib/libperfgate_probe.so, share/perfgate/workloads.
# perfgate finds the rest beside its own executable (../lib, ../share/perfgate), so the folders are fixed.
#
# Target perfgate_shipped builds what is installed, and nothing else.
add_custom_target(perfgate_shipped DEPENDS perfgate)
install(TARGETS perfgate RUNTIME DESTINATION bin)
if(TARGET perfgate-workload)
  install(TARGETS perfgate-workload RUNTIME DESTINATION bin)
  add_dependencies(perfgate_shipped perfgate-workload)
endif()
if(TARGET perfgate_probe)
  install(TARGETS perfgate_probe LIBRARY DESTINATION lib)
  add_dependencies(perfgate_shipped perfgate_probe)
endif()
# The workload files and their data; the folders of sources beside them stay behind.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/workloads/ DESTINATION share/perfgate/workloads
  FILES_MATCHING PATTERN "*.yaml"
  PATTERN "spec" EXCLUDE PATTERN "builtin" EXCLUDE PATTERN "kinds" EXCLUDE
  PATTERN "tuning" EXCLUDE PATTERN "recordings" EXCLUDE PATTERN "python" EXCLUDE)
foreach(folder tuning recordings python)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/workloads/${folder} DESTINATION share/perfgate/workloads OPTIONAL
    PATTERN __pycache__ EXCLUDE)
endforeach()
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/workloads/results_file.md
  DESTINATION share/doc/perfgate)

# `cpack --config build/release/CPackConfig.cmake` makes both packages. The tar.gz unpacks anywhere, the deb goes to /usr.
set(CPACK_GENERATOR TGZ DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_NAME perfgate)
set(CPACK_PACKAGE_VENDOR "perfgate")
set(CPACK_PACKAGE_CONTACT "perfgate maintainers <maintainers@perfgate.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Performance-regression gate for GPU programs")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_FILE_NAME perfgate-${PROJECT_VERSION}-linux-x86_64)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.34), libgcc-s1")
# git names the commit of a result; it may be absent.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "git, libcurl4 | libcurl4t64, ca-certificates")
include(CPack)
