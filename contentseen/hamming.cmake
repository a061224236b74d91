# The Hamming index's sources, relative to contentseen/; included by contentseen/CMakeLists.txt.
set(HAMMING_SOURCES
  hamming_code.cc
)
