#include "commonplace/features/stop_words.h"

#include <array>

#include "commonplace/base/error.h"
#include "commonplace/base/unicode.h"

namespace commonplace {
namespace {

struct StopWordList {
  std::string_view language;
  std::string_view codes;
  std::string_view words;
};

constexpr std::array<StopWordList, 7> kLists = {{
    {"english", "en eng",
     "a about above after again against all also am an and any are aren't as at be because been "
     "before being below between both but by can can't cannot could couldn't did didn't do does "
     "doesn't doing don't down during each few for from further had hadn't has hasn't have haven't "
     "having he he'd he'll he's her here here's hers herself him himself his how how's i i'd i'll "
     "i'm i've if in into is isn't it it'd it'll it's its itself just let's me more most must "
     "mustn't my myself no nor not of off on once only or other ought our ours ourselves out over "
     "own same shall shan't she she'd she'll she's should shouldn't so some such than that that's "
     "the their theirs them themselves then there there's these they they'd they'll they're "
     "they've this those through to too under until up upon us very was wasn't we we'd we'll we're "
     "we've were weren't what what's when when's where where's which while who who's whom whose "
     "why why's will with won't would wouldn't you you'd you'll you're you've your yours yourself "
     "yourselves"},
    {"german", "de deu ger",
     "aber alle allem allen aller alles als also am an ander andere anderem anderen anderer "
     "anderes anders auch auf aus bei beim bin bis bist da damit dann daran darauf darum das dass "
     "daß dazu dein deine deinem deinen deiner deines dem den denen denn der deren des dessen dich "
     "die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer "
     "eines einige einigem einigen einiger einiges er es etwas euch euer eure eurem euren eurer "
     "eures für gegen habe haben habt hast hat hatte hatten hattest hattet hier hin hinter ich ihm "
     "ihn ihnen ihr ihre ihrem ihren ihrer ihres im in indem ins ist jede jedem jeden jeder jedes "
     "jene jenem jenen jener jenes jetzt kann kannst kein keine keinem keinen keiner keines können "
     "könnt könnte man manche manchem manchen mancher manches mein meine meinem meinen meiner "
     "meines mich mir mit muss musste muß nach nicht nichts noch nun nur ob oder ohne sehr sein "
     "seine seinem seinen seiner seines seit selbst sich sie sind so solche solchem solchen "
     "solcher solches soll sollen sollte sondern sonst über um und uns unser unsere unserem "
     "unseren unserer unseres unter viel vom von vor während war waren warst was weg weil weiter "
     "welche welchem welchen welcher welches wenn wer werde werden wie wieder will wir wird wirst "
     "wo wollen wollte wurde wurden würde würden zu zum zur zwar zwischen"},
    {"french", "fr fra fre",
     "a à ai aie aient aies ainsi as au aucun aucune aura aurai auraient aurait auras aurez aurons "
     "auront aussi autre autres aux avaient avais avait avant avec avez avions avoir avons ayant c "
     "ce ceci cela celle celles celui ces cet cette ceux chaque chez comme comment d dans de "
     "depuis "
     "des dont donc du elle elles en encore entre es est et étaient étais était étant été êtes "
     "être "
     "eu eut eux fait fut furent il ils j je jusqu l la là le les leur leurs lorsqu lui m ma mais "
     "me même mêmes mes moi moins mon n ne ni non nos notre nous on ont or ou où par parce pas "
     "pendant peu peut plus pour pourquoi puis puisqu qu quand que quel quelle quelles quels qui "
     "quoi s sa sans se sera serai seraient serait seras serez serons seront ses si soi soient "
     "sois soit sommes son sont sous suis sur t ta tandis te tes toi ton tous tout toute toutes "
     "très tu un une vers vos votre vous y"},
    {"spanish", "es spa esl",
     "a al algo algunas alguno algunos algún ante antes aquel aquella aquellas aquello aquellos "
     "aquí así aun aunque aún cada como con contra cual cuales cuando cuyo cuya de del desde donde "
     "durante e el él ella ellas ello ellos en entre era eran eras eres es esa esas ese eso esos "
     "esta está estaba estaban estado estamos están estar estas este esto estos estoy fue fueron "
     "fui ha había habían haber han has hasta hay he hemos la las le les lo los más me mi mí mía "
     "mías mientras mío míos mis mucho muchos muy nada ni no nos nosotras nosotros nuestra "
     "nuestras "
     "nuestro nuestros o os otra otras otro otros para pero poco por porque pues que qué quien "
     "quién quienes se sea sean ser será si sí sido siendo sin sino sobre son su sus suya suyas "
     "suyo suyos también tan tanto te tenía tengo ti tiene tienen todo todos tu tú tus tuya tuyas "
     "tuyo tuyos u un una unas uno unos vosotras vosotros vuestra vuestras vuestro vuestros y ya "
     "yo"},
    {"italian", "it ita",
     "a abbia abbiamo abbiano ad agl agli ai al all alla alle allo altre altri altro anche ancora "
     "avere aveva avevano avete aveva avrà avuto c che chi ci coi col come con contro cui d da "
     "dagl "
     "dagli dai dal dall dalla dalle dallo degl degli dei del dell della delle dello di dopo dove "
     "e "
     "è ed era erano essa esse essere essi esso fa fino fra fu furono già gli ha hai hanno ho i il "
     "in io l la là le lei li lo loro lui m ma me mentre mi mia mie miei mio molto ne né negl "
     "negli "
     "nei nel nell nella nelle nello no noi non nostra nostre nostri nostro o ogni oppure per "
     "perché più po poi prima pure qua qual quale quali quando quanta quante quanti quanto quell "
     "quella quelle quelli quello questa queste questi questo qui quindi s sarà saranno se sé sei "
     "senza si sia siamo siano siete solo sono sopra sotto stata state stati stato su sua sue sugl "
     "sugli sui sul sull sulla sulle sullo suo suoi t ti tra tu tua tue tuo tuoi tutta tutte tutti "
     "tutto un una uno v vi voi vostra vostre vostri vostro"},
    {"dutch", "nl nld dut",
     "aan al alles als altijd andere ben bent bij daar dan dat de der deze die dit doch doen door "
     "dus een eens en er ge geen geweest haar had hadden heb hebben hebt heeft hem hen het hier "
     "hij hoe hun iemand iets ik in is ja je jij jou jouw jullie kan kon konden kunnen maar me "
     "meer "
     "men met mij mijn moet moeten na naar niet niets nog nu of om omdat onder ons onze ook op "
     "over "
     "reeds te tegen ten ter tot toch toen tussen u uit uw van veel voor waar want waren was wat "
     "we "
     "wel welke werd werden wie wij wil word worden wordt zal ze zei zelf zich zij zijn zo zonder "
     "zou zouden"},
    {"portuguese", "pt por",
     "a à ainda além algum alguma algumas alguns ao aos apenas aquela aquelas aquele aqueles "
     "aquilo as às até cada com como contra cuja cujo da das de dela delas dele deles depois desde "
     "dessa dessas desse desses desta destas deste destes do dos e é ela elas ele eles em entre "
     "era "
     "eram és essa essas esse esses esta está estamos estão estar estas estava estavam este estes "
     "estou eu foi foram for fosse há isso isto já lhe lhes lo mais mas me mesmo meu meus minha "
     "minhas muito na não nas nem nenhum nessa nesse nesta neste no nos nós nossa nossas nosso "
     "nossos num numa o os ou outra outras outro outros para pela pelas pelo pelos perante pois "
     "por "
     "porém porque qual quais quando que quem são se seja sejam sem ser será serão seu seus si "
     "sido "
     "sob sobre somos sou sua suas também tão te tem têm tenho ter teu teus teve ti tinha tinham "
     "tu "
     "tua tuas tudo um uma umas uns você vocês vos vós"},
}};

bool lists(std::string_view words, std::string_view wanted) {
  while (!words.empty()) {
    const std::size_t end = words.find(' ');
    if (words.substr(0, end) == wanted) return true;
    words.remove_prefix(end == std::string_view::npos ? words.size() : end + 1);
  }
  return false;
}

}  // namespace

std::vector<std::string> stop_words(std::string_view language) {
  std::string known;
  for (const StopWordList& list : kLists) {
    if (list.language != language && !lists(list.codes, language)) {
      known += concat(known.empty() ? "" : ", ", list.language);
      continue;
    }
    std::vector<std::string> result;
    for (std::string_view rest = list.words; !rest.empty();) {
      const std::size_t end = rest.find(' ');
      result.push_back(fold(rest.substr(0, end)));
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    return result;
  }
  fail("no stop words for language \"", language, "\"; there are lists for ", known,
       "; turn stop_words off or leave frequent terms out by max_share");
}

}  // namespace commonplace
