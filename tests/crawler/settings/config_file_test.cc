#include "crawler/settings/config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <fstream>

#include <nlohmann/json.hpp>

#include "tests/crawler/run_program.h"
#include "tests/temp_folder.h"

namespace crawler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using tests::ProgramRun;
using tests::RunProgram;
using tests::TempFolder;

ConfigProblems Problems(std::string_view text) {
  Options options;
  return ApplyToml("my.toml", text, DeclareOptions(options));
}

TEST(ConfigFile, SetsOptions) {
  Options options;
  OptionTable table = DeclareOptions(options);
  EXPECT_THAT(ApplyToml("my.toml",
                        "[contentseen]\nk = 5\n[politeness]\ndelay = \"250ms\" # gentle\n"
                        "[scope]\nreach = 'any'\nexclude = ['\\.pdf$', \"x\"]\n"
                        "[parser]\nmemory_bytes_max = \"32 MiB\"\n[fetch]\nhttp2 = false\n",
                        table),
              IsEmpty());
  EXPECT_EQ(options.contentseen.k, 5);
  EXPECT_EQ(options.frontier.delay, std::chrono::milliseconds(250));
  EXPECT_EQ(options.scope.reach, frontier::ScopeReach::kAny);
  EXPECT_THAT(options.scope.exclude, ElementsAre("\\.pdf$", "x"));
  EXPECT_EQ(options.parser.memory_bytes_max, 32u << 20);
  EXPECT_FALSE(options.fetch.http2);
}

TEST(ConfigFile, ReadsOtherSpellingsOfTables) {
  Options options;
  OptionTable table = DeclareOptions(options);
  EXPECT_THAT(ApplyToml("my.toml", "contentseen.k = 1\nscope = { depth_max = 2 }\n", table),
              IsEmpty());
  EXPECT_EQ(options.contentseen.k, 1);
  EXPECT_EQ(options.scope.depth_max, 2u);
}

// Row 104 of the hostile inputs.
TEST(ConfigFile, Row104_ToleratesByteOrderMarkCrLfAndEmptiness) {
  EXPECT_THAT(Problems("\xef\xbb\xbf[contentseen]\r\nk = 5\r\n"), IsEmpty());
  EXPECT_THAT(Problems(""), IsEmpty());
  EXPECT_THAT(Problems("# nothing\n\n"), IsEmpty());
}

TEST(ConfigFile, Row104_NamesPlaceKeyRangeAndNearestKey) {
  struct Case {
    const char* text;
    const char* problem;
  };
  for (
      const Case& c : {
          Case{"[contentseen]\nk = 99\n",
               "my.toml:2:5: contentseen.k must be a whole number from 0 to 10 (bits), not 99"},
          Case{"[contentseen]\nk = \"3\"\n",
               "my.toml:2:5: contentseen.k must be a whole number from 0 to 10 (bits), not text"},
          Case{"[contentseen]\nk = 1979-05-27\n",
               "my.toml:2:5: contentseen.k must be a whole number from 0 to 10 (bits), not this "
               "date"},
          Case{"[politeness]\ndealy = \"1s\"\n",
               "my.toml:2:1: unknown key politeness.dealy; did you mean politeness.delay?"},
          Case{"[crawl]\n  k = 3\n",
               "my.toml:2:3: unknown key crawl.k; did you mean contentseen.k?"},
          Case{"[crawl]\nzzzzzz = 3\n", "my.toml:2:1: unknown key crawl.zzzzzz"},
          Case{"k = 3\n", "my.toml:1:1: unknown key k; did you mean k under [contentseen]?"},
          Case{"[polite]\ndelay = 1\n", "my.toml:1:2: unknown section [polite]"},
          Case{"[contentsen]\nk = 1\n",
               "my.toml:1:2: unknown section [contentsen]; did you mean [contentseen]?"},
          Case{"contentseen = 3\n",
               "my.toml:1:1: contentseen is a section: write [contentseen] and its keys below it"},
          Case{"[[contentseen]]\nk = 3\n",
               "my.toml:1:3: contentseen is a section: write [contentseen] and its keys below it"},
          Case{"[contentseen.k]\nx = 3\n",
               "my.toml:1:1: contentseen.k must be a whole number from 0 to 10 (bits), not this "
               "table"},
          Case{
              "[scope]\ninclude = [\"a\", 1]\n",
              "my.toml:2:11: scope.include must be a list of regular expressions, not this array"},
          Case{
              "[fetch]\nallow_networks = [\"10.0.0.0/33\"]\n",
              "my.toml:2:18: fetch.allow_networks must be a list of networks as \"10.0.0.0/8\" or "
              "\"fd00::/8\", but \"10.0.0.0/33\" is none: \"10.0.0.0/33\" has no prefix length "
              "from 0 to 32"},
          Case{"[fetch]\nallow_ports = [6379]\n",
               "my.toml:2:15: fetch.allow_ports must be a list of ports, each in quotes: "
               "[\"6379\"], not this array"},
          Case{"[fetch]\nresolve = [\"b\u00fccher.test.:80:127.0.0.1\"]\n",
               "my.toml:2:11: fetch.resolve must be a list of \"host:port:address[,address...]\", "
               "but \"b\u00fccher.test.:80:127.0.0.1\" names a host that no URL has in this form: "
               "write xn--bcher-kva.test"},
          Case{"[scope]\nexclude = [\"a(\"]\n",
               "my.toml:2:11: scope.exclude must be a list of regular expressions, but \"a(\" is "
               "none: the regular expression 'a(' is wrong at character 2: "
               "U_REGEX_MISMATCHED_PAREN"},
          Case{"[contentseen]\nk = 3\nk = 4\n",
               "my.toml:3:5: given twice: cannot redefine existing integer 'k'"},
          Case{"[contentseen]\nk = \n", "my.toml:2:5: not TOML: expected value, saw '\\n'"},
          Case{"[crawl\nx = 1\n", "my.toml:1:7: not TOML: expected ']', saw '\\n'"},
          Case{"\xff\xfe[\0", "my.toml:1:1: not TOML: Encountered invalid utf-8 sequence"},
      }) {
    EXPECT_THAT(Problems(c.text), ElementsAre(c.problem)) << c.text;
  }
}

TEST(ConfigFile, ReportsAllProblemsInTheOrderOfTheFile) {
  EXPECT_THAT(
      Problems("[contentseen]\nk = 99\nfeatures_mn = 3\nk = 2\n[crawl\ndata = 5\n"
               "[scope]\nreach = \"all\"\n= 3\n[fetch]\nhttp2 = 1\n"),
      ElementsAre(HasSubstr("my.toml:2:5: contentseen.k must be"),
                  HasSubstr("my.toml:3:1: unknown key contentseen.features_mn; did you "
                            "mean contentseen.features_min?"),
                  HasSubstr("my.toml:4:5: given twice"), HasSubstr("my.toml:5:7: not TOML"),
                  HasSubstr("my.toml:8:9: scope.reach must be one of \"host\""),
                  HasSubstr("my.toml:9:1: not TOML"),
                  HasSubstr("my.toml:11:9: fetch.http2 must be true or false")));
}

TEST(ConfigFile, EndsOnAnyNonsense) {
  std::string many;
  for (int i = 0; i < 1'000; ++i) many += "= =\n";
  EXPECT_LE(Problems(many).size(), 20u);
  EXPECT_FALSE(Problems(std::string(50'000, '[')).empty());
  EXPECT_FALSE(Problems("k = \"" + std::string(50'000, 'x')).empty());
  EXPECT_FALSE(Problems("a = " + std::string(50'000, '[')).empty());
}

// toml++ would take the stack down with tables as deep as these.
TEST(ConfigFile, NoKeyIsTooDeep) {
  const auto dotted = [](std::string_view part, int count) {
    std::string key(part);
    for (int i = 1; i < count; ++i) key.append(".").append(part);
    return key;
  };
  const std::string deep = dotted("a", 100'000);
  const std::string expected =
      "my.toml:2:1: a key of too many parts: write [section], and below it its keys without a dot";
  for (const std::string& text :
       {"\n" + deep + " = 1\n", "\n[" + deep + "]\nx = 1\n", "\nx = { " + deep + " = 1 }\n",
        "\n" + dotted("\"=\"", 100'000) + " = 1\n", "\n" + dotted(" '#' ", 100'000) + " = 1\n",
        "\nx = { y = \"\"\"a\"\"\"\", " + deep + " = 1 }\n",
        // What hides such a key may go, being wrong itself.
        "= '''\n" + deep + " = 1\n'''\n"}) {
    EXPECT_THAT(Problems(text), testing::Contains(expected)) << text.substr(0, 40);
  }
  // As deep as inline tables may make it.
  std::string nested;
  for (int i = 0; i < 200; ++i) nested += dotted("a", 9) + " = { ";
  EXPECT_THAT(Problems(nested + "a = 1" + std::string(200, '}')),
              ElementsAre("my.toml:1:1: unknown section [a]"));
}

TEST(ConfigFile, DotsOfValuesAndCommentsAreNoDepth) {
  const std::string dots(1'000, '.');
  std::string list;
  for (int i = 0; i < 1'000; ++i) list += "'a.b', \"c.\\\".d\", ";
  for (const std::string& text :
       {"# " + dots + "\n[scope]\n", "[scope]\nexclude = ['" + dots + "'] # " + dots + "\n",
        "[scope]\nexclude = [\"\"\"\n" + dots + "\\\"\"\"\"\"\", '''" + dots + "''''']\n",
        "[scope]\nexclude = [" + list + "]\n"}) {
    for (const std::string& problem : Problems(text)) {
      EXPECT_THAT(problem, Not(HasSubstr("too many parts"))) << text.substr(0, 60);
      EXPECT_THAT(problem, Not(HasSubstr("not TOML"))) << text.substr(0, 60);
    }
  }
}

TEST(ConfigFile, LongKeysAreNeitherComparedNorShownWhole) {
  const std::string key(500'000, 'k');
  for (const std::string& text :
       {key + " = 1\n", "[" + key + "]\n", "[scope]\n" + key + " = 1\n"}) {
    const ConfigProblems problems = Problems(text);
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_THAT(problems[0], HasSubstr("unknown"));
    EXPECT_THAT(problems[0], HasSubstr("kkk..."));
    EXPECT_LT(problems[0].size(), 130u);
  }
  Options options;
  const OptionTable table = DeclareOptions(options);
  EXPECT_LT(ApplyAssignments({{key, "1"}}, table)[0].size(), 130u);
}

TEST(ConfigFile, AFloodOfUnknownKeysIsNamedInOrderButNotGuessedAt) {
  std::string text = "[contentseen]\n";
  for (int i = 0; i < 20'000; ++i) text += "kk" + std::to_string(i) + " = 1\n";
  const ConfigProblems problems = Problems(text);
  ASSERT_EQ(problems.size(), 20'000u);
  EXPECT_THAT(problems.front(), HasSubstr("my.toml:2:1: unknown key contentseen.kk0"));
  EXPECT_EQ(problems.back(), "my.toml:20001:1: unknown key contentseen.kk19999");
}

TEST(ConfigFile, AssignmentsOfTheCommandLine) {
  Options options;
  OptionTable table = DeclareOptions(options);
  options.scope.include = {"from the file"};
  EXPECT_THAT(ApplyAssignments({{"contentseen.k", "1"},
                                {"contentseen.k", "2"},
                                {"scope.include", "a{1,2}"},
                                {"scope.include", "b"},
                                {"scope.exclude", "c"},
                                {"scope.exclude", ""},
                                {"politeness.delay", "0.5"}},
                               table),
              IsEmpty());
  EXPECT_EQ(options.contentseen.k, 2);
  EXPECT_THAT(options.scope.include, ElementsAre("a{1,2}", "b"));
  EXPECT_THAT(options.scope.exclude, IsEmpty());
  EXPECT_EQ(options.frontier.delay, std::chrono::milliseconds(500));
  EXPECT_THAT(
      ApplyAssignments({{"contentseen.kk", "1"}, {"contentseen.k", "x"}, {"crawl.data", ""}},
                       table),
      ElementsAre(
          "command line: unknown option contentseen.kk; did you mean contentseen.k?",
          "command line: contentseen.k must be a whole number from 0 to 10 (bits), not 'x'",
          "command line: crawl.data must be the name of a directory, but the text given is "
          "empty"));
}

TEST(ConfigFile, NamesAFileThatCannotBeRead) {
  TempFolder folder;
  std::string none = (folder / "none.toml").string();
  auto missing = LoadOptions({.file = none, .assignments = {}});
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error(),
              ElementsAre(none + ": cannot read the configuration: No such file or directory "
                                 "(contentseen config prints one to begin with)"));
  auto directory = LoadOptions({.file = folder.path().string(), .assignments = {}});
  ASSERT_FALSE(directory);
  EXPECT_THAT(directory.error(), ElementsAre(HasSubstr("it is a directory")));
  tests::WriteFile(folder / "big.toml", std::string(kConfigBytesMax + 1, '#'));
  auto big = LoadOptions({.file = (folder / "big.toml").string(), .assignments = {}});
  ASSERT_FALSE(big);
  EXPECT_THAT(big.error(), ElementsAre(HasSubstr("larger than 1 MiB")));
}

TEST(ConfigFile, WhatIsRememberedStandsBelowWhatIsSaidAndIsAskedForOnce) {
  int asked = 0;
  const auto remember = [&asked](const Options& options) {
    ++asked;
    EXPECT_EQ(options.frontier.delay, std::chrono::seconds(90));
    return KeptOptions{{"gone.option", "1"},
                       {"politeness.delay", "\"1s\""},
                       {"politeness.delay_max", "\"2min\""}};
  };
  // Only with the longest delay that is remembered is this one no contradiction.
  auto loaded = LoadOptions({.file = "", .assignments = {{"politeness.delay", "90s"}}}, remember);
  ASSERT_TRUE(loaded) << loaded.error().front();
  EXPECT_EQ(loaded->options.frontier.delay, std::chrono::seconds(90));
  EXPECT_EQ(loaded->options.frontier.delay_max, std::chrono::minutes(2));
  EXPECT_THAT(loaded->given, ElementsAre(testing::Pair("politeness.delay", "command line")));
  EXPECT_EQ(asked, 1);
}

TEST(ConfigFile, TheDefaultFileLoadsBackToTheDefaults) {
  Options fresh;
  OptionTable defaults = DeclareOptions(fresh);
  std::string text = ConfigText(defaults, defaults);
  // Every option set to something else first, so that a key left out would show.
  Options options;
  OptionTable table = DeclareOptions(options);
  for (const Option& option : table.options()) {
    if (option.kind == OptionKind::kBool) {
      ASSERT_TRUE(option.set(!std::get<bool>(option.get())));
    } else if (option.kind == OptionKind::kTextList) {
      // One of these suits every list: networks, ports, fields, what is sent to one host, where
      // one is.
      bool set = false;
      for (const char* value : {"10.0.0.0/8", "6379", "X-A: b", "a.example X-A: b",
                                "a.example b:c", "a.example:80:192.0.2.1"}) {
        set = set || option.set(std::vector<std::string>{value});
      }
      EXPECT_TRUE(set) << option.Name();
    } else if (option.kind == OptionKind::kInteger) {
      auto value = std::get<std::int64_t>(option.get());
      EXPECT_TRUE(option.set(value + 1) || option.set(value - 1)) << option.Name();
    }
  }
  EXPECT_THAT(ApplyToml("default", text, table), IsEmpty());
  for (const Option& option : table.options()) {
    EXPECT_EQ(option.get(), defaults.Find(option.Name())->get()) << option.Name();
  }
}

TEST(ConfigFile, OtherValuesSurviveTheFileToo) {
  Options options;
  options.scope.include = {"^https?://[^/]*\\.example/", "it's \"quoted\" \\d"};
  options.fetch.contact_url = "https://example.org/crawler";
  options.frontier.delay = std::chrono::microseconds(1'234'567);
  OptionTable table = DeclareOptions(options);
  Options fresh;
  OptionTable defaults = DeclareOptions(fresh);
  std::string text = ConfigText(table, defaults);
  EXPECT_THAT(ApplyToml("mine", text, defaults), IsEmpty());
  EXPECT_EQ(fresh.scope.include, options.scope.include);
  EXPECT_EQ(fresh.fetch.contact_url, options.fetch.contact_url);
  EXPECT_EQ(fresh.frontier.delay, options.frontier.delay);
}

TEST(ConfigFile, TheDocumentationIsCurrent) {
  Options fresh;
  EXPECT_EQ(tests::ReadFile(std::filesystem::path(CONTENTSEEN_SOURCE) / "docs/options.md"),
            ConfigMarkdown(DeclareOptions(fresh)))
      << "write it anew: contentseen config --markdown > docs/options.md";
}

TEST(ConfigCommand, PrintsTheCommentedFile) {
  ProgramRun run = RunProgram({"config"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(run.out, HasSubstr("\n\n# Largest Hamming distance"));
  EXPECT_THAT(run.out, HasSubstr("\nk = 3\n"));
  for (std::size_t at = 0; at < run.out.size();) {
    std::size_t end = run.out.find('\n', at);
    if (run.out[at] == '#') {
      EXPECT_LE(end - at, 100u) << run.out.substr(at, end - at);
    }
    at = end + 1;
  }
}

TEST(ConfigCommand, TakesFileAndFlags) {
  TempFolder folder;
  tests::WriteFile(folder / "my.toml", "[contentseen]\nk = 5\nfeatures_min = 7\n");
  ProgramRun run = RunProgram({"config", "--config", (folder / "my.toml").string(), "--k", "2",
                               "--set", "politeness.delay=2s", "--json"});
  EXPECT_EQ(run.code, 0) << run.err;
  auto rows = nlohmann::json::parse(run.out);
  auto value = [&](const char* name) {
    for (const auto& row : rows) {
      if (row["name"] == name) return row["value"];
    }
    return nlohmann::json();
  };
  EXPECT_EQ(value("contentseen.k"), 2);
  EXPECT_EQ(value("contentseen.features_min"), 7);
  EXPECT_EQ(value("politeness.delay"), "2s");
}

TEST(ConfigCommand, ReportsProblemsAndPrintsNothing) {
  TempFolder folder;
  tests::WriteFile(folder / "my.toml", "[contentseen]\nk = 99\nz\x1b = 1\n");
  ProgramRun run = RunProgram({"config", "--config", "my.toml"}, folder.path().string());
  EXPECT_EQ(run.code, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err,
              HasSubstr("my.toml:2:5: contentseen.k must be a whole number from 0 to 10"));
  EXPECT_THAT(run.err, HasSubstr("my.toml:3:"));
  EXPECT_EQ(run.err.find('\x1b'), std::string::npos);
}

TEST(CommandLine, HelpVersionAndMistakes) {
  ProgramRun run = RunProgram({"--help"});
  EXPECT_EQ(run.code, 0);
  EXPECT_THAT(run.out, HasSubstr("  1  something failed while running"));
  for (const char* command : {"crawl", "skipped", "config"}) {
    EXPECT_THAT(run.out, HasSubstr(command));
    EXPECT_EQ(RunProgram({command, "--help"}).code, 0) << command;
  }
  run = RunProgram({"--version"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.out.rfind("contentseen ", 0), 0u);
  for (std::vector<std::string> wrong :
       {std::vector<std::string>{}, {"crawll"}, {"config", "--set", "k"}, {"config", "extra"}}) {
    run = RunProgram(wrong);
    EXPECT_EQ(run.code, 2);
    EXPECT_NE(run.err, "");
    EXPECT_EQ(run.out, "");
  }
}

TEST(LoadOptions, ContradictionsHaveTheirPlace) {
  const std::string file = testing::TempDir() + "contradiction.toml";
  std::ofstream(file) << "[contentseen]\nk = 3\nhost_sketch_kib = 7\n";
  const auto loaded = LoadOptions({.file = file, .assignments = {{"politeness.delay", "400s"}}});
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error(),
              ElementsAre(HasSubstr("command line: politeness.delay is longer"),
                          HasSubstr("contradiction.toml:3:19: contentseen.host_sketch_kib must")));
}

}  // namespace
}  // namespace crawler
