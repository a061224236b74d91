#pragma once

#include "crawler/command/command_line.h"

namespace crawler {

// A file COMMAND_command.cc each.

/// `contentseen compare A B`: would B be a duplicate of A, and how near are they?
void AddCompareCommand(CLI::App& app, CommandLine& line);

/// `contentseen config`: prints the configuration as a commented TOML file, as JSON, or as the
/// page docs/options.md.
void AddConfigCommand(CLI::App& app, CommandLine& line);

/// `contentseen crawl SEEDS...`
void AddCrawlCommand(CLI::App& app, CommandLine& line);

/// `contentseen dedup INPUT...`: which documents of existing corpora are duplicates.
void AddDedupCommand(CLI::App& app, CommandLine& line);

/// `contentseen demo-web`: serves a small web on loopback that shows each kind of duplicate.
void AddDemoWebCommand(CLI::App& app, CommandLine& line);

/// `contentseen evaluate`: the detectors against pages that people have judged.
void AddEvaluateCommand(CLI::App& app, CommandLine& line);

/// `contentseen index plan` and `contentseen index join`: the Hamming index from outside.
void AddIndexCommand(CLI::App& app, CommandLine& line);

/// `contentseen lexicon`: the terms that the detector i-match looks at, from a crawl's texts.
void AddLexiconCommand(CLI::App& app, CommandLine& line);

/// `contentseen report`: what a crawl left behind, as one web page.
void AddReportCommand(CLI::App& app, CommandLine& line);

/// `contentseen robots`: whether a robots.txt allows a URL, and by which of its lines.
void AddRobotsCommand(CLI::App& app, CommandLine& line);

/// `contentseen status --data DIR`: where the crawl in a data directory stands, also while a
/// process carries it on.
void AddStatusCommand(CLI::App& app, CommandLine& line);

/// `contentseen texts`: the texts that a crawl kept, for other programs.
void AddTextsCommand(CLI::App& app, CommandLine& line);

/// `contentseen tune DATA`: which k suits the pages of a crawl.
void AddTuneCommand(CLI::App& app, CommandLine& line);

/// `contentseen url`: the one form in which the crawler keeps a URL, or why it refuses it.
void AddUrlCommand(CLI::App& app, CommandLine& line);

}  // namespace crawler
