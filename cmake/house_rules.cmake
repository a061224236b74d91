# What every target of this house is built with. Included by the top CMakeLists.txt and by
# contentseen/CMakeLists.txt when that library is configured alone.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()

option(CONTENTSEEN_WERROR "Warnings are errors" OFF)
set(CONTENTSEEN_SANITIZE "" CACHE STRING "Value for -fsanitize=, e.g. address,undefined or thread")

find_program(CONTENTSEEN_CCACHE ccache)
if(CONTENTSEEN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CONTENTSEEN_CCACHE})
endif()

add_library(house_rules INTERFACE)
target_compile_options(house_rules INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor)
if(CONTENTSEEN_WERROR)
  target_compile_options(house_rules INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  target_compile_options(house_rules INTERFACE -Wthread-safety)
endif()
if(CONTENTSEEN_SANITIZE)
  add_compile_options(-fsanitize=${CONTENTSEEN_SANITIZE} -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${CONTENTSEEN_SANITIZE})
endif()
