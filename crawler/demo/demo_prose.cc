#include "crawler/demo/demo_prose.h"

#include <array>
#include <span>

#include "base/check.h"

namespace crawler {
namespace {

using Texts = std::span<const std::string_view>;

// In a sentence, `%` and a letter is drawn anew each time: %p a person, %l a place, %n a figure,
// %m a month, %t a thing of the sea, %f a feeling, %d a day of the week.

constexpr std::string_view kPeople[] = {
    "Ines Vardy",     "Tom Okafor",     "Margit Lind",  "Ewan Sallow",   "Priya Nair",
    "Luca Ferrante",  "Hester Quayle",  "Jonas Brandt", "Aoife Doran",   "Samir Haddad",
    "Wilma Torrance", "Pieter de Wit",  "Noor Aziz",    "Callum Reeve",  "Beatriz Salgado",
    "Henrik Moller",  "Dorothy Pell",   "Yusuf Karaca", "Agnes Whitlow", "Rafael Montes",
    "Greta Holm",     "Bernard Tuttle", "Lin Xiaoyu",   "Oskar Nyman",   "Kitty Marlowe"};
constexpr std::string_view kPlaces[] = {
    "Fishergate",      "the North Mole",  "Saltpan Lane",  "Lantern Hill",   "the old ropewalk",
    "Gull Street",     "Custom House",    "Tanners' Yard", "the east quay",  "Widow's Steps",
    "Chandler Square", "the tidal basin", "Beacon Road",   "the coal wharf", "Mill Bridge",
    "St Brannock's",   "the long jetty",  "Pilot Terrace", "Cooper's Close", "the net lofts"};
constexpr std::string_view kMonths[] = {"January", "February", "March",     "April",
                                        "May",     "June",     "July",      "August",
                                        "October", "November", "September", "December"};
constexpr std::string_view kDays[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                      "Friday", "Saturday", "Sunday"};
constexpr std::string_view kThings[] = {
    "mooring chain", "brass lantern", "herring barrel", "storm shutter", "rowing skiff",
    "oak capstan",   "signal flag",   "crab pot",       "canvas awning", "pilot cutter",
    "tar brush",     "cork float",    "iron bollard",   "hemp cable",    "deck pump"};
constexpr std::string_view kFeelings[] = {"relieved",  "puzzled",  "delighted", "unconvinced",
                                          "impatient", "cheerful", "cautious",  "grateful",
                                          "surprised", "resigned"};

constexpr std::string_view kGeneral[] = {
    "%p, who has lived near %l since %m, said the change was overdue and left most people %f.",
    "A notice went up on %l early on %d, and within the hour somebody had corrected its spelling.",
    "Of the %n households asked, fewer than half could say what had been decided the year before.",
    "The last time anyone tried this, in %m, the argument ended with a %t thrown into the basin.",
    "%p keeps a ledger of such things and counts %n of them between %l and the station.",
    "There was tea afterwards, and the question of who would pay for it was put off until %d.",
    "Visitors who came by the early train walked down %l and asked where everybody was.",
    "The figures, which %p read aloud twice, show a rise of %n in a hundred against last %m.",
    "Nobody from %l had been invited, although %p came anyway and stood at the back.",
    "By %d the queue reached as far as %l, and the baker had sold %n loaves before nine.",
    "%p remembers when the same room held a single desk, a stove and a borrowed %t.",
    "The work should be finished in %m, weather permitting, at a cost of %n thousand crowns.",
    ("Children from the school at %l drew what they thought it would look like; %n drawings "
     "remain."),
    "Asked whether it might happen again, %p looked %f and said only that the sea decides.",
    "A second meeting has been called for %d, this time in the hall beside %l.",
    "It is the kind of story that grows at %l, where %p has told it %n times by her own account.",
    "The insurance covers the %t but not the %t, a distinction that took most of %d to explain.",
    "In the archive there is a photograph from %m that shows %p as a boy, holding a %t.",
    "People on %l have signed a petition of %n names, some of them, it turned out, twice.",
    "For now the gate at %l stays closed from dusk, and the key hangs where it always hung.",
    "Somebody had chalked the number %n on the wall at %l, and nobody would own to it.",
    "Old %p disagrees: in her view the town was noisier, poorer and better company before %m.",
    ("A van with the name of %p on its side blocked %l for %n minutes while the matter was "
     "settled."),
    "What was left of the %t has been given to the school, which asked for something to draw.",
    "The minutes, which nobody reads, record that %p thanked the cook and broke a chair.",
    "Rain began at noon, and those who had brought umbrellas to %l became popular at once.",
    "It was %p who noticed that the two clocks on %l had not agreed since %m.",
    "Letters to this page ran %n to one against, though several were in the same hand."};

constexpr std::string_view kHarbour[] = {
    "The ferry from the islands came in %n minutes late on %d because a %t had fouled her screw.",
    "Harbour master %p ordered the fairway off %l sounded again after two boats touched bottom.",
    "Since %m the dredger has lifted %n tonnes of silt and one unexploded joke from the basin.",
    "A trawler landed %n boxes of whiting at %l, the best %d catch anyone there could recall.",
    "The lamp at %l will be changed in %m for one that burns a tenth of the current.",
    "Pilots complain that the new buoy off %l drags in a southerly and shows its back to the bay.",
    "%p mends nets in the loft above %l and says plastic twine has ruined the eyes of her trade.",
    "The slipway closes in %m so that its rails, laid when ships were wood, can be taken up.",
    "Two seals have moved in under %l and take, by the count of %p, %n fish a day.",
    "Yachts of more than %n feet must now berth by the outer wall and book before %d.",
    "Divers found a %t and a bicycle where the chart of %m promised clean sand.",
    "The tide gauge at %l has failed again; the clerk reads the wall with a %t and a torch.",
    ("An eel as long as a %t blocked the intake of the fish dock and stopped the pumps for %n "
     "minutes."),
    "Captain %p retires after %n crossings, having hit the quay, he says, only when it moved.",
    "The customs launch chased a suspicious dinghy past %l and found it full of onions.",
    "Ice from the works at %l now costs the fleet %n crowns a tonne, and tempers have warmed.",
    "Whoever borrowed the spare propeller from the shed at %l is asked to bring it back by %d.",
    "A survey of the sea wall shows %n loose stones, each of which %p has painted yellow.",
    "The cannery took on %n hands for the sprat season and let the gulls go hungry.",
    "Below %l the old lock gates, sunk in a %m flood, came up with their paint still bright.",
    "Radio silence on the islands lasted until %p climbed the mast with a %t between her teeth.",
    "Smacks from the south undersold the market on %d and were repaid in kind by %m."};
constexpr std::string_view kCouncil[] = {
    "Councillor %p moved that the roof of the market hall be mended before another %m.",
    "The budget leaves %n thousand crowns for paving, most of it already promised to %l.",
    "After %n minutes of silence the chair ruled that the amendment had been seconded by nobody.",
    "A by-law from the age of steam still forbids leading geese along %l on a %d.",
    "The clerk reported that %n letters had come about the lamps and one in praise of them.",
    "%p voted against, then asked that it be written down that she had been %f throughout.",
    ("Rents on the stalls at %l rise in %m by less than the traders feared and more than they "
     "like."),
    "The surveyor wants the retaining wall below %l watched with a gauge and a %t.",
    "Of %n applications to build behind %l the committee refused three and lost one.",
    "The mayor, %p, called the vote a beginning; the benches opposite looked %f.",
    "Bins will be emptied on %d in the lower town and whenever possible on the hill.",
    "An audit found that the town owns %n benches, a %t and half of a bandstand.",
    "A motion to rename %l after %p failed because two other streets already bear that name.",
    "The treasurer found %n crowns in an envelope marked %m and has asked whose they are.",
    "Residents want the night bus to stop at %l, where at present it only hesitates.",
    "Planning officers measured the shed three times and got three sizes, all of them illegal.",
    "%p asked why the fountain runs in %m and stops for the festival; no answer was minuted.",
    "Dogs may bathe again off %l before eight, by %n votes to a handful.",
    "The school roll has grown by %n, and a classroom will be made of the old %t store.",
    "A consultant from the capital spent %n days here and recommended a smaller consultant.",
    "The cemetery wall leans towards %l by the width of a hand more than last %m.",
    "Standing orders were suspended, as was %p, who had thrown his papers at the clock."};
constexpr std::string_view kCulture[] = {
    "The choir of %l sings its new cantata on %d, with %p at an organ short of %n pipes.",
    "%p has painted the same view of %l every %m for %n years, and no two of them agree.",
    "The museum opens a room about rope: how it was laid, what it held, whom it hanged.",
    "A novel by %p turns the winter at %l into a comedy in which nobody ever leaves the house.",
    "Rehearsals moved to the chapel after a %t came through the ceiling of the theatre.",
    "The brass band lost %n valves to rust and won a cup in %m all the same.",
    "Dancers from the islands taught a step that starts like limping and ends like flight.",
    "At the reading on %d %p forgot the last page and made up a better one.",
    "The cinema shows silent films with a pianist, %p, who has never seen them before either.",
    "A carved %t from the wreck goes on show, lit so that the worm holes look like stars.",
    "The library lends %n instruments; the one accordion has been out since %m.",
    "Critics were %f, but the gallery at %l stayed full until the caretaker rang a bell.",
    ("Potters at %l fire their kiln with driftwood, which leaves salt and a little mystery in the "
     "glaze."),
    "The festival of short plays lasted %n hours, the shortest of them being about a %t.",
    "%p translated the ballads of the islands and found that half of them are recipes.",
    "A mural at %l, whitewashed in %m, has begun to show through like a bad conscience.",
    "Two fiddlers tuned to different pianos met at %l and divided the audience between them.",
    "The photographer %p waited %n days for the light and then took the picture at night.",
    "Costumes for the carnival were sewn in a sail loft; one mask is made from a %t.",
    "An echo at %l holds a chord for %n seconds, and a composer has written for it.",
    "The puppet theatre lost its villain overboard in %m and has been kinder since.",
    "School poets read on %d; the rhyme for herring was greeted with applause."};
constexpr std::string_view kSport[] = {
    "The rowing club beat its neighbours by %n lengths after their cox steered for %l.",
    "%p ran the sea wall from %l and back in %n minutes, with the wind both ways, she insists.",
    "Football resumed on %d, on a pitch that had been under water for most of %m.",
    "The goalkeeper, %p, saved a penalty with his knee and the return with a borrowed %t.",
    "Swimmers meet at %l before dawn and do not discuss the temperature.",
    "The regatta drew %n boats, four of which finished and one of which had entered.",
    "Coach %p calls the defence honest, a word she reserves for players who are slow.",
    "A chess match against the islands, begun in %m by post, ended on %d in a draw.",
    "Bowls on the green by %l was stopped by hail, resumed, and stopped again by lunch.",
    "The cycling club climbs %l every %d in memory of a race nobody won.",
    "Under floodlights lent by the shipyard the home side scored %n times and were %f.",
    "The relay will be run with a %t instead of a baton, as it was in the year of the storm.",
    "Gymnasts trained in the rope shed, %n steps long, until the floor at %l was declared safe.",
    "Referee %p stopped the match to free a gull from the net and lost count of the score.",
    "The walkers of %l have covered %n miles since %m without once agreeing on lunch.",
    "A new hockey stick, carved by %p from a broken %t, scored on its first afternoon.",
    "The tug-of-war against the fire brigade was won by whoever stood uphill.",
    "Sailors of the junior class capsized in turn off %l and were marked for style.",
    "Archers must now shoot away from %l, following an understandable complaint by %p.",
    "Table tennis at the mission has %n members and one ball that bounces true.",
    "The marathon will turn at %l, not before it, the organisers having bought a longer tape.",
    "In the veterans' final %p, who is over %n by her own reckoning, served four aces."};
constexpr std::string_view kWeather[] = {
    "The station at %l stands %n metres above the chart datum, beside a %t nobody will move.",
    "Its longest run without rain was %n days, ended one %d in %m by a single loud hour.",
    ("Readings are taken by %p, who inherited the screen, the gauges and the habit of rising "
     "early."),
    "Wind from the south funnels past %l and arrives with %n knots more than forecast.",
    "Fog lies here on %n mornings of the year, thickest in %m when the water is coldest.",
    "Snow has been measured %n times since the record began and photographed far more often.",
    "The barometer fell %n points on the %d of the great gale, then stuck.",
    "A rain gauge was once found full of %m cider, a week that %p has struck from the averages.",
    "Grass temperature dips below the air by %n degrees on still nights near %l.",
    "The sunshine card of a clear %d burns from end to end; in %m it hardly scorches.",
    "Old observers noted the swallows' arrival; %p keeps the column and adds the first ice cream.",
    "Lightning struck %l in %m and welded the vane to point for ever at the bakery.",
    "Hoar frost drew ferns on the glass screen in %m, and the thermometer read them as zero.",
    "The evaporation pan loses most to a blackbird that %p has named after a minister.",
    "A waterspout passed %n cables off %l and took away a hat, a kite and a sandwich board.",
    "Clouds are drawn by hand; the album for %m runs to %n pages of grey.",
    "On still evenings smoke from %l stands up straight, and gales follow within %n hours.",
    "The anemometer came from a wrecked yacht and still points a little to port.",
    "Its soil probe, pushed down beside a %t, has not felt frost below the first hand since %m.",
    "Sea breezes reach this far by %n minutes past noon, later when the %d ferry is late.",
    "%p once read the gauge by lantern every hour for %n hours to catch a single cloudburst.",
    "Halos round the moon are entered in red; three in a row sent the fleet back to %l."};
constexpr std::string_view kSeamanship[] = {
    "Before casting off, look to the %t first, for it is the one thing %l cannot lend you.",
    "A bowline holds because its turns grip each other; tie %n of them blindfold before %m.",
    "When two vessels meet head on, both go to starboard, whatever the other skipper shouts.",
    "Let out cable to %n times the depth at high water, and more if %p is anchored up wind.",
    "Reef early: nobody at %l was ever laughed at for arriving with dry %d washing.",
    "The rule of twelfths says how fast the tide fills; the third hour brings three of them.",
    "Take a bearing of %l, then of the beacon, then a third, and distrust the smallest triangle.",
    "Coil a rope with the sun, and a %t with patience; both remember how they were treated.",
    "In fog make %n knots or fewer, sound the horn, and put your best ears in the bow.",
    "A lee shore forgives no one; %p lost a %t, a mast and an argument there in %m.",
    "Scrub the hull every %m, and look at the fastenings while you are on your back.",
    "Keep the log in pencil, for ink runs, and write down what you saw, not what it meant.",
    "Stow the %t low and the bread high, and know in the dark where each of them lies.",
    "The chart shows a wreck by %l drying %n feet at springs; believe it before you see it.",
    "A boat on the starboard tack may stand on, but %p stands on far too long, so watch him.",
    "Heave to when tired: helm down, jib aback, kettle on, and %n minutes of peace.",
    "If the engine coughs off %l, anchor first and think second.",
    ("Check the bilge each %d, and smell it as well, for petrol sinks and does not announce "
     "itself."),
    "Ferries turn wide round %l; a prudent skipper has finished admiring them by then.",
    "Splices want three tucks in hemp and five in anything that %p would call modern.",
    "Wear the harness when alone, at night, or when somebody has said that it is not needed.",
    "Of %n strandings in the pilot's book for %m, nearly all began with the words I thought."};
constexpr std::string_view kGoods[] = {
    "Each one is turned from a single piece by %p, in the workshop behind %l, %n a week.",
    "The handle is ash, steamed over a kettle and bent round a %t until it remembers.",
    "It carries a warranty of %n years, honoured on any %d that the shop is open.",
    "We tested it on %l in %m, left it out in the spray, and brought it home working.",
    "The brass is lacquered at first; after a winter it takes the colour of the harbour.",
    "It folds to the size of a loaf and weighs no more than %n crowns in copper.",
    "Customers write that it outlived the boat, the %t and in one case the marriage.",
    "Spare parts are kept since %m and sent by return, wrapped in last week's Gazette.",
    "%p designed it for her father, who dropped things, and it has been dropped from %l since.",
    "The canvas is woven %n threads to the inch and proofed with wax, never with spray.",
    "Do not leave it near the %t; the one accident on record was entirely the dog's.",
    "It comes in the grey of %l, in signal red, and in a blue that %p mixes on %d only.",
    "The hinge is bronze, the pin is steel, and %p will show you why that matters.",
    "A size smaller is made for children, who use it at %l to catch crabs and annoy their uncles.",
    "Oil it every %m; the tin that comes with it lasts %n voyages or one careless afternoon.",
    "Returned once, by a gentleman from %l who had hoped for something that floated.",
    "It was drawn from memory after a %t lost in the great gale and improved by a rivet.",
    "The lid screws down tight enough to keep matches dry for %n days under water.",
    "Its stitching runs at %n to the hand, waxed, doubled and finished with a knot of our own.",
    "Sailmakers keep one beside the %t, cooks beside the stove, and %p in her coat.",
    "The first dozen went to the pilots on a %d and were never seen on land again.",
    "Please state left or right hand when you order; until %m we shall ask anyway."};

struct Subject {
  Texts sentences;
  std::string_view headline;
};

Subject SubjectOf(DemoTopic topic) {
  switch (topic) {
    case DemoTopic::kHarbour:
      return {kHarbour, "%d at %l: what the tide left"};
    case DemoTopic::kCouncil:
      return {kCouncil, "Council looks again at %l"};
    case DemoTopic::kCulture:
      return {kCulture, "%p and the sound of %l"};
    case DemoTopic::kSport:
      return {kSport, "%n up at %l, and a %f crowd"};
    case DemoTopic::kWeather:
      return {kWeather, "The station at %l"};
    case DemoTopic::kSeamanship:
      return {kSeamanship, "Of the %t and its uses"};
    case DemoTopic::kGoods:
      return {kGoods, "%t, as used at %l"};
  }
  CHECK(!"a DemoTopic without sentences");
  return {};
}

/// SplitMix64 (Steele, Lea, Flood: OOPSLA 2014): alike on every machine, as the standard
/// library's distributions are not.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}
  std::uint64_t Below(std::uint64_t bound) {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (z ^ (z >> 31)) % bound;
  }
  std::string_view Of(Texts texts) { return texts[Below(texts.size())]; }

 private:
  std::uint64_t state_;
};

void AppendDrawn(char what, Draw& draw, std::string& out) {
  switch (what) {
    case 'p':
      out += draw.Of(kPeople);
      return;
    case 'l':
      out += draw.Of(kPlaces);
      return;
    case 'n':
      out += std::to_string(3 + draw.Below(180));
      return;
    case 'm':
      out += draw.Of(kMonths);
      return;
    case 't':
      out += draw.Of(kThings);
      return;
    case 'f':
      out += draw.Of(kFeelings);
      return;
    case 'd':
      out += draw.Of(kDays);
      return;
    default:
      CHECK(!"a placeholder without words");
  }
}

std::string Fill(std::string_view sentence, Draw& draw) {
  std::string filled;
  for (std::size_t i = 0; i < sentence.size(); ++i) {
    if (sentence[i] != '%') {
      filled.push_back(sentence[i]);
    } else {
      AppendDrawn(sentence[++i], draw, filled);
    }
  }
  if (filled[0] >= 'a' && filled[0] <= 'z') filled[0] = static_cast<char>(filled[0] - 'a' + 'A');
  return filled;
}

/// The texts in an order of their own each time all were used.
class Deck {
 public:
  explicit Deck(Texts texts) : texts_(texts.begin(), texts.end()) {}
  std::string_view Next(Draw& draw) {
    if (next_ == 0) next_ = texts_.size();
    const std::size_t chosen = draw.Below(next_);
    std::swap(texts_[chosen], texts_[--next_]);
    return texts_[next_];
  }

 private:
  std::vector<std::string_view> texts_;
  std::size_t next_ = 0;  // texts before this one were not used in this round
};

std::uint64_t SeedOf(DemoTopic topic, std::uint64_t seed) {
  return seed * 1000003 + static_cast<std::uint64_t>(topic);
}

}  // namespace

std::vector<std::string> DemoProse(DemoTopic topic, std::uint64_t seed, std::size_t sentences) {
  Draw draw(SeedOf(topic, seed));
  Deck own(SubjectOf(topic).sentences);
  Deck general(kGeneral);
  std::vector<std::string> paragraphs;
  for (std::size_t i = 0; i < sentences; ++i) {
    if (i % 4 == 0) paragraphs.emplace_back();
    std::string& paragraph = paragraphs.back();
    if (!paragraph.empty()) paragraph += ' ';
    // Sentences of the subject in turn with such as would fit any.
    paragraph += Fill((i % 2 == 0 ? own : general).Next(draw), draw);
  }
  return paragraphs;
}

std::string DemoHeadline(DemoTopic topic, std::uint64_t seed) {
  Draw draw(~SeedOf(topic, seed));
  return Fill(SubjectOf(topic).headline, draw);
}

}  // namespace crawler
