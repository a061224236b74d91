#pragma once

#include "crawler/command/command_line.h"

namespace crawler {

/// `contentseen lexicon`: the terms that the detector i-match looks at, from a crawl's texts.
void AddLexiconCommand(CLI::App& app, CommandLine& line);

}  // namespace crawler
