#pragma once

#include <string>

#include "crawler/io/terminal.h"

namespace crawler {

/// Shows `text` on `out`; where that is a terminal with fewer lines, through the program that
/// PAGER names ("less" when it names none; no program at all for an empty PAGER or "cat"), as git
/// does: LESS=FRX unless LESS is set, so that colours pass and a short text just stays. Where the
/// pager cannot be started the text is written as it is.
///
///     WritePaged(terminal.out, table.Text(terminal.out.Width(), terminal.out.colours()));
///
/// Thread safety: none; SIGINT is the pager's while it runs. Cost: a process where one is needed.
void WritePaged(Output& out, const std::string& text);

}  // namespace crawler
