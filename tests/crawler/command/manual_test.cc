#include "crawler/command/manual.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "crawler/command/command_line.h"
#include "crawler/command/completion.h"
#include "tests/crawler/run_program.h"
#include "tests/temp_folder.h"

namespace crawler {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using tests::ProgramRun;
using tests::RunProgram;

/// The program's declarations and their description.
class ManualTest : public testing::Test {
 protected:
  std::vector<std::string> WordsFor(const std::vector<std::string>& words) {
    std::vector<std::string> found;
    for (const Completion::Word& word : Complete(root_, table_, words).words) {
      found.push_back(word.text);
    }
    return found;
  }
  Completion::Paths PathsFor(const std::vector<std::string>& words) {
    return Complete(root_, table_, words).paths;
  }
  const CommandText& Command(const std::string& name) {
    for (const CommandText* command : crawler::AllOf(root_)) {
      if (command->name == name) return *command;
    }
    ADD_FAILURE() << "no command " << name;
    return root_;
  }

  CommandLine line_;
  const std::unique_ptr<CLI::App> app_ = MakeApp(line_);
  const CommandText root_ = DescribeCommand(*app_);
  Options options_;
  const OptionTable table_ = DeclareOptions(options_);
};

/// `page` as text: the escapes of roff undone.
std::string Plain(const std::string& page) {
  std::string text;
  for (std::size_t i = 0; i < page.size(); ++i) {
    if (page[i] != '\\') {
      text += page[i];
    } else if (page[i + 1] == 'f') {
      i += 2;
    } else if (page[i + 1] == '(') {
      const std::string name = page.substr(i + 2, 2);
      text += name == "aq" ? '\'' : name == "ga" ? '`' : name == "ha" ? '^' : '~';
      i += 3;
    } else {
      ++i;
      if (page[i] != '&') text += page[i] == 'e' ? '\\' : page[i];
    }
  }
  return text;
}

TEST_F(ManualTest, DescribesADeclaration) {
  CLI::App app("Do things", "tool");
  CLI::App* command = app.add_subcommand("go", "Go somewhere");
  std::string text;
  std::vector<std::string> many;
  int number = 7;
  bool fast = false;
  CLI::Option* flag = command->add_flag("--fast", fast, "Hurry");
  command->add_option("-s,--steps", number, "So far")->check(CLI::Range(1, 9))->needs(flag);
  command->add_option("PLACE", many, "Where to")->type_name("DIR")->required();
  command->get_option("--steps")->capture_default_str();
  command->add_option("--secret", text, "Not shown")->group("");
  AddExamples(*command, {{"tool go home", "Go home"}});
  app.add_subcommand("hidden", "Not shown")->group("");

  const CommandText root = DescribeCommand(app);
  ASSERT_EQ(root.commands.size(), 1U);
  const CommandText& go = root.commands[0];
  EXPECT_EQ(go.OwnName(), "go");
  EXPECT_EQ(Synopsis(go), "tool go [OPTION]... PLACE...");
  EXPECT_EQ(Synopsis(root), "tool [OPTION]... COMMAND");
  ASSERT_EQ(go.arguments.size(), 4U);  // --help is one
  EXPECT_EQ(ArgumentHelp(go.arguments[1]), "Hurry");
  EXPECT_THAT(go.arguments[2].names, ElementsAre("-s", "--steps"));
  EXPECT_EQ(go.arguments[2].value, "N");
  EXPECT_EQ(ArgumentHelp(go.arguments[2]), "So far. From 1 to 9. Default: 7. Only with --fast.");
  EXPECT_EQ(go.arguments[3].value, "DIR");
  EXPECT_TRUE(go.arguments[3].repeats);
  ASSERT_EQ(go.notes.size(), 1U);
  EXPECT_EQ(go.notes[0].heading, "Examples");
  EXPECT_EQ(go.notes[0].body, "  Go home:\n      tool go home\n");
}

TEST_F(ManualTest, EveryArgumentStandsInItsPage) {
  for (const CommandText* command : crawler::AllOf(root_)) {
    const std::string page = Plain(ManualPage(*command, root_));
    EXPECT_THAT(page, HasSubstr(Synopsis(*command)));
    EXPECT_FALSE(command->help.empty()) << command->name;
    EXPECT_THAT(command->help, Not(testing::EndsWith("."))) << command->name;
    for (const ArgumentText& argument : command->arguments) {
      EXPECT_THAT(page, HasSubstr("\n" + argument.names[0])) << command->name;
      EXPECT_THAT(page, HasSubstr("\n" + ArgumentHelp(argument) + "\n")) << command->name;
    }
    for (const CommandNote& note : command->notes) EXPECT_THAT(page, HasSubstr(note.body));
  }
  const std::string file = Plain(ConfigManualPage(table_));
  for (const Option& option : table_.options()) {
    EXPECT_THAT(file, HasSubstr("\n" + option.key + " = " + TomlText(option.get()) + "\n"));
    EXPECT_THAT(file, HasSubstr(option.help));
  }
}

TEST_F(ManualTest, EveryCommandHasAnExampleThatParses) {
  for (const CommandText* command : crawler::AllOf(root_)) {
    if (!command->commands.empty()) continue;
    std::size_t examples = 0;
    for (const CommandNote& note : command->notes) {
      std::istringstream lines(note.heading == "Examples" ? note.body : "");
      for (std::string text; std::getline(lines, text);) {
        const std::size_t begin = text.find("contentseen ");
        if (!text.starts_with("      ") || begin == text.npos) continue;
        ++examples;
        text = text.substr(begin + sizeof "contentseen");
        text.resize(std::min({text.find(" >"), text.find(" |"), text.find(')'), text.size()}));
        CommandLine line;
        EXPECT_NO_THROW(MakeApp(line)->parse(text, false)) << text;
        EXPECT_TRUE(line.run) << text;
      }
    }
    EXPECT_GT(examples, 0U) << command->name;
  }
}

TEST_F(ManualTest, TheDocumentationIsCurrent) {
  EXPECT_EQ(tests::ReadFile(std::filesystem::path(CONTENTSEEN_SOURCE) / "docs/commands.md"),
            RunProgram({"man", "--markdown"}).out)
      << "write it anew: contentseen man --markdown > docs/commands.md";
}

TEST(ManCommand, PrintsAPage) {
  EXPECT_THAT(RunProgram({"man"}).out, HasSubstr(".TH contentseen 1"));
  const ProgramRun inner = RunProgram({"man", "index", "plan"});
  EXPECT_EQ(inner.code, 0);
  EXPECT_THAT(Plain(inner.out), HasSubstr(".TH contentseen-index-plan 1"));
  EXPECT_THAT(RunProgram({"man", "--config-file"}).out, HasSubstr(".TH contentseen.toml 5"));
  const ProgramRun none = RunProgram({"man", "nothing"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("there is no command 'contentseen nothing'"));
}

TEST(ManCommand, WritesAllPages) {
  tests::TempFolder folder;
  const std::filesystem::path made = folder.path() / "a" / "man";
  EXPECT_EQ(RunProgram({"man", "--directory", made.string()}).code, 0);
  for (const char* name : {"contentseen.1", "contentseen-crawl.1", "contentseen-index-join.1",
                           "contentseen.toml.5"}) {
    EXPECT_TRUE(std::filesystem::exists(made / name)) << name;
  }
  const ProgramRun refused =
      RunProgram({"man", "--directory", (made / "contentseen.1" / "x").string()});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("contentseen.1"));
}

TEST_F(ManualTest, CompletesCommandsAndOptions) {
  EXPECT_THAT(WordsFor({""}), AllOf(Contains("crawl"), Contains("completion"),
                                    Not(Contains("complete")), Not(Contains("--help"))));
  EXPECT_THAT(WordsFor({"st"}), ElementsAre("status"));
  EXPECT_THAT(WordsFor({"index", ""}), ElementsAre("plan", "join"));
  EXPECT_THAT(WordsFor({"--v"}), ElementsAre("--version"));
  EXPECT_THAT(WordsFor({"skipped", "--ki"}), ElementsAre("--kind"));
  EXPECT_THAT(WordsFor({"nonsense", "x"}), IsEmpty());
  EXPECT_THAT(WordsFor({}), Contains("crawl"));
  for (const CommandText* command : crawler::AllOf(root_)) {
    std::vector<std::string> words;
    std::istringstream names(command->name);
    for (std::string name; names >> name;) words.push_back(name);
    words.erase(words.begin());
    words.emplace_back("-");
    std::vector<std::string> expected;
    for (const ArgumentText& argument : command->arguments) {
      if (argument.positional) continue;
      expected.insert(expected.end(), argument.names.begin(), argument.names.end());
    }
    EXPECT_EQ(WordsFor(words), expected) << command->name;
  }
}

TEST_F(ManualTest, CompletesValues) {
  EXPECT_THAT(WordsFor({"crawl", "--detector", "sim"}), ElementsAre("simhash"));
  EXPECT_THAT(WordsFor({"crawl", "--detector=sim"}), ElementsAre("--detector=simhash"));
  EXPECT_THAT(WordsFor({"evaluate", "--detector", "a"}), Contains("all"));
  EXPECT_THAT(WordsFor({"skipped", "--group-by", ""}),
              ElementsAre("original", "host", "distance"));
  EXPECT_THAT(WordsFor({"crawl", "--set", "warc.", "--se"}), ElementsAre("--set"));
  EXPECT_THAT(WordsFor({"crawl", "--set", "scope.r"}), ElementsAre("scope.reach="));
  EXPECT_THAT(WordsFor({"crawl", "--set", "scope.reach="}),
              ElementsAre("scope.reach=host", "scope.reach=domain", "scope.reach=any"));
  EXPECT_THAT(WordsFor({"crawl", "--set", "fetch.http2="}),
              ElementsAre("fetch.http2=true", "fetch.http2=false"));
  EXPECT_THAT(WordsFor({"man", "re"}), ElementsAre("report"));
  EXPECT_THAT(WordsFor({"completion", ""}), ElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(WordsFor({"crawl", "--k", ""}), IsEmpty());
}

TEST_F(ManualTest, KnowsWherePathsStand) {
  using Paths = Completion::Paths;
  EXPECT_EQ(PathsFor({"crawl", ""}), Paths::kFiles);
  EXPECT_EQ(PathsFor({"crawl", "a", "b", ""}), Paths::kFiles);
  EXPECT_EQ(PathsFor({"crawl", "--config", ""}), Paths::kFiles);
  EXPECT_EQ(PathsFor({"crawl", "--data", ""}), Paths::kDirectories);
  EXPECT_EQ(PathsFor({"crawl", "--data=x"}), Paths::kDirectories);
  EXPECT_EQ(PathsFor({"skipped", ""}), Paths::kDirectories);
  EXPECT_EQ(PathsFor({"skipped", "data", ""}), Paths::kNone);
  EXPECT_EQ(PathsFor({"compare", "a", ""}), Paths::kFiles);
  EXPECT_EQ(PathsFor({"crawl", "--", "--x"}), Paths::kFiles);
  EXPECT_EQ(PathsFor({"crawl", "--k", ""}), Paths::kNone);
}

// Words that a parser of options would take for its own.
TEST(CompleteCommand, TakesAnyWords) {
  EXPECT_EQ(RunProgram({"complete", "crawl", "--detector", "simh"}).out, "simhash\n");
  EXPECT_THAT(RunProgram({"complete", ""}).out, HasSubstr("crawl\t"));
  EXPECT_EQ(RunProgram({"complete", "crawl", "--json", "--help", "[x]", "--", ""}).out,
            ":files\n");
  EXPECT_EQ(RunProgram({"complete", "skipped", "--help", "--kin"}).code, 0);
  EXPECT_THAT(RunProgram({"complete"}).out, HasSubstr("crawl\t"));
}

TEST(CompletionCommand, RefusesAnotherShell) {
  const ProgramRun run = RunProgram({"completion", "tcsh"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("tcsh"));
}

}  // namespace
}  // namespace crawler
