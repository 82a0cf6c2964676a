# cmake -DSTYLE=FILE -DSCRIPT=FILE|"" -DOUTPUT=FILE -P EmbedPage.cmake: writes a source with both as string literals.
function(literal_of file text hash)
  set(${text} "" PARENT_SCOPE)
  set(${hash} "" PARENT_SCOPE)
  if(NOT file)
    return()
  endif()
  file(READ "${file}" content)
  string(FIND "${content}" ")page\"" ends)
  if(NOT ends EQUAL -1)
    message(FATAL_ERROR "${file} contains the end of a literal: )page\"")
  endif()
  file(SHA256 "${file}" digest)
  set(${text} "${content}" PARENT_SCOPE)
  set(${hash} "${digest}" PARENT_SCOPE)
endfunction()

literal_of("${STYLE}" style style_hash)
literal_of("${SCRIPT}" script script_hash)
file(WRITE "${OUTPUT}.new"
  "// Generated from ci/web. Do not edit.\n"
  "#include \"reporters/render/html/assets.h\"\n\n"
  "namespace perfgate::render::html {\n\n"
  "Assets built_assets() {\n"
  "  return {{R\"page(${style})page\", \"${style_hash}\"},\n"
  "          {R\"page(${script})page\", \"${script_hash}\"}};\n"
  "}\n\n"
  "}  // namespace perfgate::render::html\n")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
