# A relocatable tree: bin/perfgate, bin/perfgate-workload, lib/libperfgate_probe.so, share/perfgate/workloads.
# perfgate finds the rest beside its own executable (../lib, ../share/perfgate).
include(GNUInstallDirs)

install(TARGETS perfgate RUNTIME DESTINATION bin)
if(TARGET perfgate-workload)
  install(TARGETS perfgate-workload RUNTIME DESTINATION bin)
endif()
if(TARGET perfgate_probe)
  install(TARGETS perfgate_probe LIBRARY DESTINATION lib)
endif()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/workloads/ DESTINATION share/perfgate/workloads
  FILES_MATCHING PATTERN "*.yaml" PATTERN "tuning/*" PATTERN "recordings/*" PATTERN "python/*.py"
  PATTERN "spec" EXCLUDE PATTERN "builtin" EXCLUDE PATTERN "kinds" EXCLUDE)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/README.md DESTINATION share/doc/perfgate)

set(CPACK_PACKAGE_NAME perfgate)
set(CPACK_PACKAGE_VENDOR "perfgate")
set(CPACK_PACKAGE_CONTACT "perfgate maintainers <maintainers@perfgate.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Performance-regression gate for GPU programs")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_FILE_NAME perfgate-${PROJECT_VERSION}-linux-x86_64)
set(CPACK_PACKAGING_INSTALL_PREFIX /opt/perfgate)
set(CPACK_GENERATOR TGZ;DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.34), libgcc-s1")
include(CPack)
