#include "crawler/report/skipped_diff.h"

#include <optional>
#include <utility>

#include "crawler/io/jsonl.h"
#include "crawler/io/terminal.h"

namespace crawler {
namespace {

constexpr std::size_t kContextWords = 8;

base::Result<std::string> TextOf(const TextStore& texts, std::uint64_t id, std::string_view whose,
                                 const std::string& url) {
  std::string missing =
      "the text of the " + std::string(whose) + " " + url + " was not kept (texts.keep)";
  if (id == 0) return base::Fail(missing);
  base::Result<std::optional<std::string>> text = texts.Get(id);
  if (!text) return base::Fail(text.error().message);
  if (!*text) return base::Fail(missing);
  return std::move(**text);
}

std::string Count(std::size_t words, std::string_view what) {
  return std::to_string(words) + (words == 1 ? " word " : " words ") + std::string(what);
}

std::string_view RunName(DiffRun::Kind kind) {
  constexpr std::string_view kNames[] = {"same", "removed", "added"};
  return kNames[static_cast<std::size_t>(kind)];
}

/// What speaks for the two being one.
std::string Reason(const SkipRecord& page) {
  if (!page.evidence.empty()) return page.evidence + " equal; " + page.basis;
  return std::to_string(page.distance) + " of 64 bits differ, k = " + std::to_string(page.k);
}

}  // namespace

base::Result<std::unique_ptr<const SkippedDiff>> DiffOf(const SkipRecord& page,
                                                        const TextStore& texts) {
  base::Result<std::string> original =
      TextOf(texts, page.original_text_id, "original", page.original_url);
  if (!original) return base::Fail(original.error().message);
  // Of the same bytes no second text is kept.
  if (page.text_id == 0 && page.kind == contentseen::Kind::kExactBytes) {
    return std::make_unique<const SkippedDiff>(*original, *original);
  }
  base::Result<std::string> text = TextOf(texts, page.text_id, "skipped page", page.url);
  if (!text) return base::Fail(text.error().message);
  return std::make_unique<const SkippedDiff>(std::move(*original), std::move(*text));
}

std::string DiffReport(const SkipRecord& page, const SkippedDiff& diff, bool colours) {
  std::string report;
  report += Coloured("- " + Escaped(page.original_url), Colour::kRed, colours) + "  (original)\n";
  report += Coloured("+ " + Escaped(page.final_url.empty() ? page.url : page.final_url),
                     Colour::kGreen, colours) +
            "  (skipped: " + std::string(contentseen::Name(page.kind)) + ", " + Reason(page) +
            ")\n";
  report += "  " + Count(diff.words.same, "in both, ") +
            Count(diff.words.removed, "only in the original, ") +
            Count(diff.words.added, "only in the skipped page") + "\n\n";
  if (diff.words.removed + diff.words.added == 0) return report + "The texts are the same.\n";
  return report + DiffText(diff.words, kContextWords, colours);
}

std::string DiffJson(std::size_t number, const SkipRecord& page, const SkippedDiff& diff) {
  JsonLine line;
  line.Number("n", std::uint64_t{number});
  line.Text("url", page.url);
  line.Text("original_url", page.original_url);
  line.Text("kind", contentseen::Name(page.kind));
  line.Number("distance", std::int64_t{page.distance});
  line.Text("evidence", page.evidence);
  line.Text("basis", page.basis);
  line.Number("words_same", std::uint64_t{diff.words.same});
  line.Number("words_removed", std::uint64_t{diff.words.removed});
  line.Number("words_added", std::uint64_t{diff.words.added});
  std::string runs = "[";
  for (const DiffRun& run : diff.words.runs) {
    if (runs.size() > 1) runs += ',';
    JsonLine object;
    object.Text(RunName(run.kind), JoinedWords(run.words));
    std::string text = object.Finish();
    text.pop_back();  // the newline
    runs += text;
  }
  line.Raw("runs", runs + "]");
  return line.Finish();
}

}  // namespace crawler
