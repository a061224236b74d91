#include "crawler/settings/option_table.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>

#include "crawler/io/edit_distance.h"
#include "crawler/settings/options.h"

namespace crawler {
namespace {

using namespace std::chrono_literals;
using List = std::vector<std::string>;

enum class Fruit { kApple, kPear };

/// One option of each kind.
struct Bowl {
  bool washed = false;
  std::uint16_t count = 3;
  std::chrono::milliseconds wait{500};
  std::uint32_t size_bytes = 2048;
  std::string name = "bowl";
  List labels = {"a"};
  Fruit fruit = Fruit::kPear;
};

OptionTable Declared(Bowl& bowl) {
  OptionTable table;
  table.Section("bowl", "What stands on the table.");
  table.Bool({.key = "washed", .help = ""}, bowl.washed);
  table.Integer({.key = "count", .help = "", .unit = "fruits"}, bowl.count, 1, 50'000);
  table.Duration({.key = "wait", .help = ""}, bowl.wait, 10ms, 1h);
  table.Bytes({.key = "size_bytes", .help = ""}, bowl.size_bytes, 1024, 1 << 20);
  table.Text({.key = "name", .help = ""}, bowl.name, "a name", 8,
             [](const std::string& text) { return text.empty() ? "is empty" : ""; });
  table.TextList({.key = "labels", .help = ""}, bowl.labels, "a list of labels", 2, 4);
  table.Choice({.key = "fruit", .help = ""}, bowl.fruit,
               {{"apple", Fruit::kApple}, {"pear", Fruit::kPear}});
  return table;
}

/// What Set() says about a value; empty when it is taken.
std::string Fault(const char* key, const OptionValue& value) {
  Bowl bowl;
  OptionTable table = Declared(bowl);
  base::Status status = table.Find(std::string("bowl.") + key)->set(value);
  return status ? "" : status.error().message;
}

TEST(OptionTable, SetsEveryKind) {
  Bowl bowl;
  OptionTable table = Declared(bowl);
  auto set = [&](const char* key, const OptionValue& value) {
    base::Status status = table.Find(std::string("bowl.") + key)->set(value);
    EXPECT_TRUE(status) << status.error().message;
  };
  set("washed", true);
  set("count", std::int64_t{50'000});
  set("wait", std::string("2s"));
  set("size_bytes", std::string("1 MiB"));
  set("name", std::string("dish"));
  set("labels", List{"x", "y"});
  set("fruit", std::string("apple"));
  EXPECT_TRUE(bowl.washed);
  EXPECT_EQ(bowl.count, 50'000);
  EXPECT_EQ(bowl.wait, 2s);
  EXPECT_EQ(bowl.size_bytes, 1u << 20);
  EXPECT_EQ(bowl.name, "dish");
  EXPECT_EQ(bowl.labels, (List{"x", "y"}));
  EXPECT_EQ(bowl.fruit, Fruit::kApple);
  set("wait", std::int64_t{3});
  EXPECT_EQ(bowl.wait, 3s);
  set("wait", 0.25);
  EXPECT_EQ(bowl.wait, 250ms);
  set("size_bytes", std::int64_t{4000});
  EXPECT_EQ(bowl.size_bytes, 4000u);
}

TEST(OptionTable, SaysWhatIsAllowedInstead) {
  std::string count = "must be a whole number from 1 to 50,000 (fruits), not ";
  EXPECT_EQ(Fault("count", std::int64_t{0}), count + "0");
  EXPECT_EQ(Fault("count", std::int64_t{50'001}), count + "50001");
  EXPECT_EQ(Fault("count", std::string("3")), count + "text");
  EXPECT_EQ(Fault("count", 3.0), count + "a fractional number");
  EXPECT_EQ(Fault("washed", std::int64_t{1}), "must be true or false, not a whole number");
  std::string wait =
      "must be a duration from 10ms to 1h, as \"500ms\", \"2s\", \"5min\" or a number of seconds, "
      "not ";
  EXPECT_EQ(Fault("wait", std::string("2h")), wait + "\"2h\"");
  EXPECT_EQ(Fault("wait", std::string("soon")), wait + "\"soon\"");
  EXPECT_EQ(Fault("wait", std::int64_t{-1}), wait + "-1");
  EXPECT_EQ(Fault("wait", true), wait + "true or false");
  EXPECT_EQ(Fault("wait", std::string("10500us")), "is counted in steps of 1ms, not \"10500us\"");
  EXPECT_EQ(
      Fault("size_bytes", std::string("2 MiB")),
      "must be a size from 1 KiB to 1 MiB, as \"64 KiB\" or a number of bytes, not \"2 MiB\"");
  EXPECT_EQ(Fault("name", std::string()), "must be a name, but the text given is empty");
  EXPECT_EQ(Fault("name", std::string("123456789")),
            "must be a name, but the text given is 9 bytes long, at most 8 are allowed");
  EXPECT_EQ(Fault("name", std::string("a\nb")),
            "must be a name, but the text given contains a control character");
  EXPECT_EQ(Fault("name", std::string("caf\xe9")),
            "must be a name, but the text given is not UTF-8");
  EXPECT_EQ(Fault("labels", List{"\xe9"}), "must be a list of labels, but \"\xe9\" is not UTF-8");
  EXPECT_EQ(Fault("labels", List{"1", "2", "3"}), "has 3 elements, at most 2 are allowed");
  EXPECT_EQ(Fault("labels", List{"12345"}),
            "must be a list of labels, but \"12345\" is 5 bytes long, at most 4 are allowed");
  EXPECT_EQ(Fault("labels", std::string("x")), "must be a list of labels, not text");
  EXPECT_EQ(Fault("fruit", std::string("plum")),
            "must be one of \"apple\", \"pear\", not \"plum\"");
}

// What is kept is kept as TOML.
TEST(Options, OnlyWhatIsNotKeptMayBeNoUtf8) {
  Options options;
  const OptionTable table = DeclareOptions(options);
  EXPECT_TRUE(table.Find("crawl.data")->set(std::string("caf\xe9")));
  EXPECT_TRUE(table.Find("fetch.basic_auth")->set(List{"a.test me:caf\xe9"}));
  for (const char* name : {"fetch.cookies", "fetch.ca_file", "contentseen.lexicon"}) {
    EXPECT_FALSE(table.Find(name)->set(std::string("caf\xe9"))) << name;
  }
}

TEST(OptionTable, ARefusedValueChangesNothing) {
  Bowl bowl;
  OptionTable table = Declared(bowl);
  EXPECT_FALSE(table.Find("bowl.count")->set(std::int64_t{0}));
  EXPECT_EQ(bowl.count, 3);
}

TEST(OptionTable, ReadsArguments) {
  Bowl bowl;
  OptionTable table = Declared(bowl);
  auto value = [&](const char* key, const char* argument) {
    return ValueFromArgument(*table.Find(std::string("bowl.") + key), argument);
  };
  EXPECT_EQ(*value("count", "12"), OptionValue(std::int64_t{12}));
  EXPECT_EQ(*value("washed", "true"), OptionValue(true));
  EXPECT_EQ(*value("labels", "a,b"), OptionValue(List{"a,b"}));
  EXPECT_EQ(*value("labels", ""), OptionValue(List{}));
  EXPECT_EQ(value("count", "12x").error().message,
            "must be a whole number from 1 to 50,000 (fruits), not '12x'");
  EXPECT_EQ(value("washed", "yes").error().message, "must be true or false, not 'yes'");
}

TEST(OptionTable, SpellsToml) {
  EXPECT_EQ(TomlText(true), "true");
  EXPECT_EQ(TomlText(std::int64_t{-5}), "-5");
  EXPECT_EQ(TomlText(2.0), "2.0");
  EXPECT_EQ(TomlText(std::string("a \"b\"")), "\"a \\\"b\\\"\"");
  EXPECT_EQ(TomlText(std::string("^\\d+$")), "'^\\d+$'");
  EXPECT_EQ(TomlText(std::string("\\'")), "\"\\\\'\"");
  EXPECT_EQ(TomlText(List{"a", "b"}), "[\"a\", \"b\"]");
  EXPECT_EQ(TomlText(List{}), "[]");
}

TEST(OptionTable, KnowsWhatWasMeant) {
  Bowl bowl;
  OptionTable table = Declared(bowl);
  EXPECT_EQ(table.Nearest("bowl.cuont"), "bowl.count");
  EXPECT_EQ(table.Nearest("bowl.sizebytes"), "bowl.size_bytes");
  EXPECT_EQ(table.Nearest("dish.fruit"), "bowl.fruit");
  EXPECT_EQ(table.Nearest("labels"), "bowl.labels");
  EXPECT_EQ(table.Nearest("bowl.unrelated"), "");
}

TEST(EditDistance, CountsSlips) {
  EXPECT_EQ(EditDistance("", ""), 0u);
  EXPECT_EQ(EditDistance("abc", ""), 3u);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
  EXPECT_EQ(EditDistance("dealy", "delay"), 1u) << "neighbours swapped";
}

TEST(EditDistance, LongNamesAreNotCompared) {
  const std::string longest(kComparedBytesMax, 'x');
  EXPECT_EQ(EditDistance(longest, longest.substr(1)), 1u);
  EXPECT_EQ(EditDistance(longest + "x", longest), kComparedBytesMax + 1);
  EXPECT_EQ(EditDistance(longest + "x", longest + "x"), 0u);
  const std::string megabyte(std::size_t{1} << 20, 'x');
  EXPECT_EQ(EditDistance(megabyte, megabyte + "x"), megabyte.size() + 1);
}

TEST(EditDistance, IsSymmetricAndBounded) {
  EXPECT_TRUE(rc::check([](const std::string& a, const std::string& b) {
    std::size_t distance = EditDistance(a, b);
    RC_ASSERT(distance == EditDistance(b, a));
    RC_ASSERT((distance == 0) == (a == b));
    RC_ASSERT(distance <= std::max(a.size(), b.size()));
  }));
}

// The real table.

TEST(Options, EveryDefaultIsInRangeAndReadsBack) {
  Options options;
  OptionTable table = DeclareOptions(options);
  for (const Option& option : table.options()) {
    OptionValue value = option.get();
    base::Status status = option.set(value);
    EXPECT_TRUE(status) << option.Name() << " " << (status ? "" : status.error().message);
    EXPECT_EQ(option.get(), value) << option.Name();
  }
  EXPECT_TRUE(Contradictions(options).empty());
}

TEST(Options, NamesAndFlagsAreUniqueAndExplained) {
  Options options;
  OptionTable table = DeclareOptions(options);
  std::set<std::string> names;
  std::set<std::string> flags;
  for (const Option& option : table.options()) {
    EXPECT_TRUE(names.insert(option.Name()).second) << option.Name();
    EXPECT_TRUE(option.flag.empty() || flags.insert(option.flag).second) << option.flag;
    EXPECT_TRUE(option.help.size() > 10 && option.help.back() == '.') << option.Name();
    EXPECT_FALSE(option.allowed.empty()) << option.Name();
  }
}

TEST(Options, ContradictionsAreAboutOptionsThatThereAre) {
  Options options;
  OptionTable table = DeclareOptions(options);
  options.frontier.delay = 10min;
  options.frontier.retry_delay = 10h;
  options.fetch.user_agent = "Other/1.0";
  options.contentseen.features.shingle_weights = {0, 0, 0};
  options.contentseen.verified.host_sketch_kib = 7;
  const std::vector<Contradiction> found = Contradictions(options);
  EXPECT_EQ(found.size(), 5u);
  for (const Contradiction& one : found) {
    EXPECT_FALSE(one.options.empty()) << one.sentence;
    for (const std::string& name : one.options) EXPECT_NE(table.Find(name), nullptr) << name;
  }
}

// "must be a duration ..., as "2s", "5min" ...": each of these is taken.
TEST(Options, TakeTheExamplesThatTheyName) {
  Options options;
  OptionTable table = DeclareOptions(options);
  std::size_t examples = 0;
  for (const Option& option : table.options()) {
    if (option.kind != OptionKind::kDuration && option.kind != OptionKind::kBytes) continue;
    std::string_view rest = option.allowed;
    ASSERT_NE(rest.find(", as "), rest.npos) << option.Name();
    rest.remove_prefix(rest.find(", as "));
    for (std::size_t quote = rest.find('"'); quote != rest.npos; quote = rest.find('"')) {
      rest.remove_prefix(quote + 1);
      const std::string example(rest.substr(0, rest.find('"')));
      rest.remove_prefix(example.size() + 1);
      const base::Status status = option.set(OptionValue(example));
      EXPECT_TRUE(status) << option.Name() << " " << (status ? "" : status.error().message);
      ++examples;
    }
  }
  EXPECT_GT(examples, 50u);
}

TEST(Options, ContradictionsAreNamed) {
  Options options;
  options.frontier.delay = 10min;
  options.fetch.user_agent = "Other/1.0";
  options.contentseen.features.shingle_weights = {0, 0, 0};
  std::vector<Contradiction> found = Contradictions(options);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].sentence,
            "politeness.delay is longer than politeness.delay_max: raise delay_max as well");
}

}  // namespace
}  // namespace crawler
