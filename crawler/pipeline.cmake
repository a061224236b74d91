# The pipeline and the crawl command; included by CMakeLists.txt.
find_package(fmt REQUIRED)
set(PIPELINE_SOURCES
  crawl.cc
  crawl_command.cc
  crawl_log.cc
  crawl_settings.cc
  crawl_state.cc
  crawl_watch.cc
  data_check.cc
  data_directory.cc
  data_lock.cc
  disposition.cc
  journal.cc
  limit_hits.cc
  log_file.cc
  memory_budget.cc
  pipeline.cc
  progress.cc
  restore_documents.cc
  robots_cache.cc
  robots_record.cc
  seeds.cc
  seen_image.cc
  sitemap_links.cc
  soft_404.cc
  statistics.cc
  status_command.cc
  stop_signals.cc
  submission.cc
  suspects.cc
  template_alarm.cc)
set(PIPELINE_LIBS fmt::fmt)
