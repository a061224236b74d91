#include "crawler/command/commands.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "contentseen/compare.h"
#include "contentseen/detectors/detectors.h"
#include "contentseen/digest.h"
#include "crawler/command/read_data.h"
#include "crawler/evaluate/page_source.h"
#include "crawler/io/jsonl.h"
#include "crawler/io/word_diff.h"
#include "crawler/page/submission.h"

namespace crawler {
namespace {

using contentseen::Comparison;
using contentseen::Detector;
using contentseen::Kind;
using contentseen::TextSide;

constexpr std::size_t kContextWords = 8;

struct CompareCommand {
  ConfigArguments config;
  std::string a;
  std::string b;
  bool json = false;
  bool diff = false;
};

/// What the crawler would call B after it has stored A.
Kind KindOf(const Comparison& comparison, const SourcedPage& a, const SourcedPage& b) {
  return a.body == b.body && !comparison.a.empty ? Kind::kExactBytes : comparison.kind;
}

/// Why a page is compared exactly only.
std::string TooShortText(const TextSide& side, const contentseen::ContentSeenOptions& judging) {
  const std::string why = side.features < judging.features_min
                              ? "fewer features than contentseen.features_min"
                              : "too little in it that " + judging.detector + " goes by";
  return "                " + why + ": compared exactly only\n";
}

std::string SideText(char name, const SourcedPage& page, const TextSide& side,
                     const contentseen::ContentSeenOptions& judging) {
  std::string note = page.body_cut ? " (cut at fetch.body_bytes_max)" : "";
  std::string text = fmt::format(
      "{}  {}\n"
      "   title        {}\n"
      "   body         {}  {} bytes{}\n"
      "   text         {}  {} bytes normalised\n"
      "   fingerprint  {}  {} tokens, {} features\n"
      "   compared by  {}\n",
      name, Escaped(page.name), Escaped(page.document.title), contentseen::Sha256(page.body).Hex(),
      page.body.size(), note, side.text_digest.Hex(), side.normalized_bytes,
      contentseen::FormatFingerprint(side.fingerprint), side.tokens, side.features,
      contentseen::Name(side.basis));
  if (side.too_short) text += TooShortText(side, judging);
  return text;
}

/// What the detector found by the measures that decide about these two, and what it asks for.
std::string EvidenceText(const Comparison& comparison, const Detector& detector) {
  if (!comparison.compared) return "nothing to compare by " + std::string(detector.name());
  const std::string least = contentseen::Format(comparison.least);
  if (least.empty()) return contentseen::Format(comparison.evidence);
  contentseen::Evidence decides = comparison.evidence;
  if (comparison.least.first.things.empty()) decides.first = {};
  if (comparison.least.second.things.empty()) decides.second = {};
  return fmt::format("{} ({} asks for {})", contentseen::Format(decides), detector.name(), least);
}

std::string VerdictText(Kind kind, const Comparison& comparison, const Detector& detector) {
  switch (kind) {
    case Kind::kExactBytes:
      return "exact-bytes: the bodies are the same bytes; B would be skipped";
    case Kind::kExactText:
      return "exact-text: other bytes, the same normalised text; B would be skipped";
    case Kind::kNear:
      return "near: " + EvidenceText(comparison, detector) + "; B would be skipped";
    case Kind::kNew:
      break;
  }
  if (comparison.a.empty || comparison.b.empty) {
    return "new: a page without text is never a duplicate";
  }
  if (comparison.a.too_short || comparison.b.too_short) {
    return "new: compared exactly only, and not the same; B would be stored";
  }
  return "new: " + EvidenceText(comparison, detector) + "; B would be stored";
}

std::string Report(const SourcedPage& a, const SourcedPage& b, const Comparison& c,
                   const Detector& detector, const contentseen::ContentSeenOptions& judging) {
  return SideText('A', a, c.a, judging) + SideText('B', b, c.b, judging) +
         fmt::format(
             "\ndistance  {} of 64 bits\n"
             "shared    {} features: {:.1f} % of those in either, {:.1f} % by weight\n"
             "detector  {}: {}\n"
             "verdict   {}\n",
             c.distance, c.shared_features, 100 * c.resemblance, 100 * c.weighted_resemblance,
             detector.name(), EvidenceText(c, detector),
             VerdictText(KindOf(c, a, b), c, detector));
}

std::string SideJson(const SourcedPage& page, const TextSide& side) {
  JsonLine line;
  line.Text("name", page.name);
  line.Text("title", page.document.title);
  line.Text("body_digest", contentseen::Sha256(page.body).Hex());
  line.Number("body_bytes", std::uint64_t{page.body.size()});
  line.Text("text_digest", side.text_digest.Hex());
  line.Number("text_bytes", side.normalized_bytes);
  line.Text("fingerprint", contentseen::FormatFingerprint(side.fingerprint));
  line.Number("tokens", side.tokens);
  line.Number("features", side.features);
  line.Text("basis", contentseen::Name(side.basis));
  line.Raw("too_short", side.too_short ? "true" : "false");
  std::string text = line.Finish();
  text.pop_back();  // the newline
  return text;
}

std::string Json(const SourcedPage& a, const SourcedPage& b, const Comparison& c,
                 const Detector& detector, int k) {
  JsonLine line;
  line.Raw("a", SideJson(a, c.a));
  line.Raw("b", SideJson(b, c.b));
  line.Number("distance", std::int64_t{c.distance});
  line.Number("k", std::int64_t{k});
  line.Number("shared_features", c.shared_features);
  line.Raw("resemblance", fmt::format("{:.6f}", c.resemblance));
  line.Raw("weighted_resemblance", fmt::format("{:.6f}", c.weighted_resemblance));
  line.Text("detector", detector.name());
  line.Text("evidence", c.compared ? contentseen::Format(c.evidence) : "");
  line.Text("asked", c.compared ? contentseen::Format(c.least) : "");
  line.Text("verdict", contentseen::Name(KindOf(c, a, b)));
  return line.Finish();
}

ExitCode Run(const CompareCommand& command, Terminal& terminal) {
  std::optional<Options> options = LoadOptionsOrComplain(command.config, terminal);
  if (!options) return kExitUsage;
  std::vector<std::string> files = {command.a, command.b};
  std::erase_if(files, IsPageUrl);
  if (const ExitCode there = FilesMayBeRead(files, terminal); there != kExitOk) return there;
  const base::SystemClock clock;
  base::Result<SourcedPage> a = SourcePage(command.a, *options, clock);
  if (!a) return Complain(terminal, a.error().message);
  base::Result<SourcedPage> b = SourcePage(command.b, *options, clock);
  if (!b) return Complain(terminal, b.error().message);

  // Two files are taken for pages of one site: those of two seldom are so alike that it matters.
  if (a->host.empty() && b->host.empty()) a->host = b->host = "file";

  const contentseen::ContentSeenOptions& judging = options->contentseen;
  auto detector = contentseen::MakeDetector(judging.detector, judging);
  if (!detector) return Complain(terminal, detector.error().message, kExitUsage);
  SubmissionMaker maker_a;
  SubmissionMaker maker_b;
  const Comparison comparison =
      contentseen::Compare(judging, **detector, maker_a.Make(1, {}, a->document, a->host),
                           maker_b.Make(2, {}, b->document, b->host));
  terminal.out.Write(command.json ? Json(*a, *b, comparison, **detector, judging.k)
                                  : Report(*a, *b, comparison, **detector, judging));
  if (command.diff) {
    terminal.out.Write("\n" + DiffText(DiffWords(a->document.text, b->document.text),
                                       kContextWords, terminal.out.colours()));
  }
  return kExitOk;
}

}  // namespace

void AddCompareCommand(CLI::App& app, CommandLine& line) {
  CLI::App* command = app.add_subcommand(
      "compare", "Compare two pages: would the crawler take one for a duplicate of the other?");
  auto arguments = std::make_shared<CompareCommand>();
  command->add_option("A", arguments->a, "File or URL of the page seen first")
      ->type_name("FILE|URL")
      ->required();
  command
      ->add_option("B", arguments->b,
                   "File or URL of the page to be judged; two files are of one site")
      ->type_name("FILE|URL")
      ->required();
  CLI::Option* json = command->add_flag("--json", arguments->json, "As one JSON object");
  command
      ->add_flag("--diff", arguments->diff,
                 "Also show how the texts differ: [-only A-] {+only B+}")
      ->excludes(json);
  AddConfigArguments(*command, arguments->config);
  AddExamples(*command, {{"contentseen compare old.html https://www.example.org/ --diff",
                          "A file and a page of the web, word by word"}});
  command->callback([&line, arguments] {
    line.run = [arguments](Terminal& terminal) { return Run(*arguments, terminal); };
  });
}

}  // namespace crawler
