# The style sheet and the script of the HTML report, out of ci/web into one generated source.
#
# The script has the charts: npm fetches what it is bundled from, exactly as ci/web/package-lock.json has it, into the
# build folder, when CMake configures; the bundle is made when something in ci/web/src changed. Without node or network
# the page has no charts and says so; PERFGATE_WEB=ON makes that an error, OFF never looks.
set(PERFGATE_WEB_SOURCES ${CMAKE_SOURCE_DIR}/ci/web)
set(PERFGATE_WEB_MODULES ${CMAKE_BINARY_DIR}/web/node_modules)

# Sets `result` to "" or to why there are no packages.
function(perfgate_fetch_web_packages result)
  find_program(PERFGATE_NODE NAMES node nodejs)
  find_program(PERFGATE_NPM npm)
  if(NOT PERFGATE_NODE OR NOT PERFGATE_NPM)
    set(${result} "node or npm was not found" PARENT_SCOPE)
    return()
  endif()
  execute_process(COMMAND ${PERFGATE_NODE} --version OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REGEX REPLACE "^v" "" version "${version}")
  if(version VERSION_LESS 18)
    set(${result} "node ${version} is older than 18" PARENT_SCOPE)
    return()
  endif()
  set(folder ${CMAKE_BINARY_DIR}/web)
  file(SHA256 ${PERFGATE_WEB_SOURCES}/package-lock.json lock)
  if(EXISTS ${folder}/fetched-${lock})
    set(${result} "" PARENT_SCOPE)
    return()
  endif()
  file(COPY ${PERFGATE_WEB_SOURCES}/package.json ${PERFGATE_WEB_SOURCES}/package-lock.json DESTINATION ${folder})
  # No scripts of packages run; what is fetched is what the lock file's hashes say.
  execute_process(
    COMMAND ${PERFGATE_NPM} ci --omit=dev --ignore-scripts --no-audit --no-fund --fetch-retries=1 --loglevel=error
    WORKING_DIRECTORY ${folder} TIMEOUT 180 RESULT_VARIABLE failed OUTPUT_QUIET ERROR_FILE ${folder}/npm.log)
  if(NOT failed EQUAL 0)
    set(${result} "npm ci failed, see ${folder}/npm.log" PARENT_SCOPE)
    return()
  endif()
  file(WRITE ${folder}/fetched-${lock} "")
  set(${result} "" PARENT_SCOPE)
endfunction()

# perfgate_page_assets(VARIABLE): names the generated source that defines built_assets().
function(perfgate_page_assets variable)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PERFGATE_WEB_SOURCES}/package-lock.json)
  set(problem "PERFGATE_WEB is OFF")
  if(NOT PERFGATE_WEB STREQUAL "OFF")
    perfgate_fetch_web_packages(problem)
  endif()
  set(style ${PERFGATE_WEB_SOURCES}/src/page.css)
  set(embed ${CMAKE_SOURCE_DIR}/ci/cmake/EmbedPage.cmake)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/page_assets.cpp)
  set(bundle "")
  if(problem STREQUAL "")
    set(bundle ${CMAKE_BINARY_DIR}/web/page.js)
    file(GLOB_RECURSE scripts CONFIGURE_DEPENDS ${PERFGATE_WEB_SOURCES}/src/*.js)
    add_custom_command(OUTPUT ${bundle}
      COMMAND ${PERFGATE_NODE} ${PERFGATE_WEB_SOURCES}/build.mjs ${bundle} ${PERFGATE_WEB_MODULES}
      DEPENDS ${scripts} ${PERFGATE_WEB_SOURCES}/build.mjs ${PERFGATE_WEB_SOURCES}/package-lock.json
      COMMENT "Bundling the script of the HTML report" VERBATIM)
  elseif(PERFGATE_WEB STREQUAL "ON")
    message(FATAL_ERROR "PERFGATE_WEB=ON, but ${problem}. Install node 18 or newer with npm, or use AUTO.")
  else()
    message(STATUS "HTML reports are built without charts: ${problem}.")
  endif()
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DSTYLE=${style} -DSCRIPT=${bundle} -DOUTPUT=${source} -P ${embed}
    DEPENDS ${style} ${bundle} ${embed}
    COMMENT "Embedding the style and the script of the HTML report" VERBATIM)
  set(${variable} ${source} PARENT_SCOPE)
endfunction()
