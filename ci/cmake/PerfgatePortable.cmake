# perfgate_portable(TARGET): links an executable or shared library so that it runs wherever glibc >= 2.34 is.
#
# libstdc++ is linked statically (no GLIBCXX requirement), libgcc_s dynamically: the static unwinder of g++ 12 takes
# _dl_find_object from glibc 2.35. arc4random comes from our own file. Nothing static is re-exported.
# tests/package/symbols.sh reads the result.
add_library(perfgate_arc4random OBJECT ${CMAKE_SOURCE_DIR}/ci/portable/arc4random.c)

function(perfgate_portable target)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:perfgate_arc4random>)
  if(NOT PERFGATE_SANITIZE)
    target_link_options(${target} PRIVATE -static-libstdc++ -shared-libgcc
      LINKER:--exclude-libs,ALL LINKER:--gc-sections LINKER:--as-needed)
  endif()
endfunction()
