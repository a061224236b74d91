# The Hamming index's sources, relative to contentseen/; included by contentseen/CMakeLists.txt.
set(HAMMING_SOURCES
  batch_join.cc
  compressed_tables.cc
  hamming_bag.cc
  hamming_cells.cc
  hamming_code.cc
  hamming_heavy.cc
  hamming_image.cc
  hamming_index.cc
  hamming_lookup.cc
  hamming_memory.cc
  hamming_overflow.cc
  hamming_part.cc
  hamming_plan.cc
  hamming_scan.cc
  hamming_scan_avx2.cc
  hamming_scan_avx512.cc
  hamming_table.cc
  hamming_table_batch.cc
  hamming_table_growth.cc
  hamming_table_insert.cc
  hamming_windows.cc
  manku_tables.cc
  rotate_join.cc
)
# One file for each instruction set; which one runs is chosen at run time.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(hamming_scan_avx2.cc PROPERTIES COMPILE_OPTIONS -mavx2)
  set_source_files_properties(hamming_scan_avx512.cc PROPERTIES
    COMPILE_OPTIONS "-mavx512f;-mavx512bw;-mavx512vl;-mavx512vpopcntdq")
endif()
