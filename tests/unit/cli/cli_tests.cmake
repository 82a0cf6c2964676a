# The command line in two binaries: test_cli calls its parts, test_cli_program runs the built perfgate as a user would.
perfgate_unit_tests(cli MODULES cli test_support)

file(GLOB program_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/program/*.cpp)
add_executable(test_cli_program ${program_tests})
target_link_libraries(test_cli_program PRIVATE perfgate_options perfgate_test_options pg_measure pg_baselines pg_test_support
                                               perfgate_sqlitecpp)
perfgate_precompile(test_cli_program)
add_dependencies(test_cli_program perfgate fake_child)
target_compile_definitions(test_cli_program PRIVATE "PERFGATE_PROGRAM=\"$<TARGET_FILE:perfgate>\""
                                                    "PERFGATE_FAKE_CHILD=\"$<TARGET_FILE:fake_child>\"")
add_test(NAME selftest COMMAND perfgate selftest)
add_test(NAME cli_program COMMAND test_cli_program WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
