#include "core/question_rules.h"

#include <stddef.h>

#include "core/scenario.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* An unsigned number as people write it: 60, 22.5, 22,5, 10,000, 1 000, .5. */
#define NUM                                                                                        \
    "((?:[1-9]\\d{0,2}(?:,\\d{3})+(?!\\d)(?:\\.\\d+)?|[1-9]\\d{0,2}(?: 000)+(?!\\d)|"              \
    "\\d+(?:[.,]\\d+)?(?![.,]?\\d)|\\d+|\\.\\d+)(?:e[+-]?\\d{1,2}(?!\\w))?)"
/* A number that stands on its own. */
#define FREE "(?<![\\w.])" NUM
/* The same with a sign, which is none after a number, a unit or a bracket ("22.5-50"). */
#define SIGNED                                                                                     \
    "(?<![\\w.])((?:(?<![\\w\xc2\xb0%).}])[-+])?(?:[1-9]\\d{0,2}(?:,\\d{3})+(?!\\d)(?:\\.\\d+)?|"  \
    "[1-9]\\d{0,2}(?: 000)+(?!\\d)|\\d+(?:[.,]\\d+)?(?![.,]?\\d)|\\d+|\\.\\d+)"                    \
    "(?:e[+-]?\\d{1,2}(?!\\w))?)"
/* One percentile, and several. */
#define PN "\\d{1,3}(?:[.,]\\d{1,6})?(?:st|nd|rd|th|er|eme|e|\\.)?(?![\\d])"
#define PLIST                                                                                      \
    PN "(?:(?:\\s*,\\s*(?:and |or )?|\\s*(?:/|&)\\s*|\\s+(?:and|or|und|y|et|to)\\s+(?:the )?)" PN  \
       "){0,31}"
#define PWORD                                                                                      \
    "(?:percentil\\w*|centil\\w*|perzentil\\w*|quantil\\w*|pctl?|%[- "                             \
    "]?iles?|\xe7\x99\xbe\xe5\x88\x86\xe4\xbd\x8d|\xe5\x88\x86\xe4\xbd\x8d)"

#define LATENCY_WORD                                                                               \
    "(?:latenc\\w*|latenz\\w*|lag|delays?|response(?: "                                            \
    "times?)?|reads?|writes?|tail|requests?|i/?os?|\xe5\xbb\xb6\xe8\xbf\x9f)"
#define DRIVE_NOUN                                                                                 \
    "(?:(?:the|an?|my|your|our|this|that|these|those|each|every|per|of|flash|storage|state|boot|"  \
    "which|tlc|mlc|"                                                                               \
    "slc|qlc|consumer|enterprise|industrial|client|nvme|sata)[- ]drives?|drive's|(?<!test "        \
    ")drives)\\b"

#define VIB_WORD                                                                                   \
    "(?:vibr\\w*|shak(?:e|es|en|ing|er|y)|shook|erschutter\\w*|gerutt?elt\\w*|ruttel\\w*|"         \
    "vibracion\\w*|"                                                                               \
    "sacudid\\w*|secou\\w*|oscillat\\w*|jolt\\w*|rattl\\w*|tremor\\w*|\xe6\x8c\xaf\xe5\x8a\xa8|"   \
    "\xe9\x9c\x87\xe5\x8a\xa8)"

const struct q_word_rule q_word_rules[] = {
    /* ---- topic ---- */
    {Q_STRONG, 0,
     "\\b(?:ssds?|nand|flash|nvme|solid[- "
     "]state|m\\.2|u\\.2|[pse]?[smtq]lcs?|u\\.3|e1\\.s|ftl|estado solido|etat solide)\\b",
     NULL},
    {Q_STRONG, 0, "\xe5\x9b\xba\xe6\x80\x81|\xe9\x97\xaa\xe5\xad\x98",
     NULL}, /* solid-state, flash */
    {Q_STRONG, 0,
     "\\b(?:vendors? [abc]|[89][0-9]0 (?:evo|pro|qvo)|tmt[12]|wctemp|read[- ]retr\\w*)\\b", NULL},
    {Q_WEAK, 16, "\\bthrottl\\w*", NULL},
    {Q_WEAK, 1, "\\b(?:latenc\\w*|latenz\\w*|p\\d{2,}|percentile\\w*|iops)\\b", NULL},
    {Q_WEAK, 2, "\\b(?:bandwidth|throughput|storage|raid|i/o)\\b", NULL},
    {Q_WEAK, 4, DRIVE_NOUN, NULL},
    {Q_WEAK, 8, "\\b(?:reads?|writes?|tail)\\b", NULL},
    {Q_DISK, 0, "\\bdis[kc]s?\\b", NULL},
    {Q_HDD, 0,
     "\\b(?:hdds?|hard[- ]?(?:dis[kc]|drive)s?|spinning "
     "(?:dis[kc]|drive|rust)s?|(?:magnetic|mechanical) (?:dis[kc]|drive)s?|festplatten?|disques? "
     "durs?|discos? duros?)\\b",
     NULL},
    {Q_HDD, 0, "(?:\xe6\x9c\xba\xe6\xa2\xb0)\xe7\xa1\xac\xe7\x9b\x98",
     NULL}, /* mechanical hard disk */
    {Q_OFF, 0,
     "\\b(?:weather|network|cook\\w*|oven|recipe|egg|tapes?|dram|ddr\\d?|sd[- "
     "]?cards?|usb|emmc|ufs|cpus?|gpus?|internet|wifi|wlan|ping|floppy|cd|dvd|printer|phone|"
     "battery)\\b",
     NULL},

    /* ---- cell type; the first row that matches a place has it ---- */
    {Q_REFUSE, 0,
     "\\b(?:plc (?:nand|flash|ssds?|drives?|cells?)|penta[- ]level|5[- ]bits?(?: per)?[- "
     "](?:cells?|mlc|nand|flash))\\b",
     "no such cell was ever measured or modelled here; allowed are slc, mlc, tlc, qlc"},
    {Q_REFUSE, 0, "\\b(?:optane|3d[- ]?x-?point|xpoint)\\b",
     "this is not NAND flash; a question must be about an SSD with slc, mlc, tlc or qlc NAND"},
    {Q_SKIP, Q_G_NAND, "\\b[ps]?slc[- ](?:write[- ])?(?:cach\\w*|buffer\\w*)\\b", NULL},
    {Q_NAND, WI_NAND_TLC,
     "\\b(?:tlcs?|3[- ]?bits?(?:[- /]+(?:per[- ])?cell)?(?:[- ]mlc)?\\b|(?:triple|tri|three|3)[- "
     "]?level(?:[- ]cells?)?)\\b",
     NULL},
    {Q_NAND, WI_NAND_QLC,
     "\\b(?:qlcs?|4[- ]?bits?(?:[- /]+(?:per[- ])?cell)?(?:[- "
     "]mlc)?\\b|(?:quad|quadruple|four|4)[- ]?level(?:[- ]cells?)?)\\b",
     NULL},
    {Q_NAND, WI_NAND_MLC,
     "\\b(?:e?mlcs?|2[- ]?bits?(?:[- /]+(?:per[- ])?cell)?(?:[- "
     "]mlc)?\\b|(?:multi|multiple|two|2)[- ]?level(?:[- ]cells?)?)\\b",
     NULL},
    {Q_NAND, WI_NAND_SLC, "\\b(?:p-?slcs?|pseudo[- ]slc)\\b", "is read as SLC"},
    {Q_NAND, WI_NAND_SLC,
     "\\b(?:slcs?|(?:1|one|single)[- ]?bits?(?:[- /]+(?:per[- ])?cell)?\\b|single[- ]?level(?:[- "
     "]cells?)?)\\b",
     NULL},
    {Q_CONSTRUCTION, 0, "\\b(?:v-?nand|3d[- ](?:nand|flash)|bics)\\b",
     "names a construction, not the bits per cell; slc, mlc, tlc or qlc would narrow the answer"},

    /* ---- operation ---- */
    {Q_OP, WI_OP_MIXED,
     "\\bmixed\\b(?: (?:random )?(?:reads?[-/ and]{1,5}writes?|workloads?|io|i/o))?", NULL},
    {Q_OP, WI_OP_MIXED,
     "\\b\\d{1,3} ?(?:%|percent)? ?(?:random )?reads?(?:,| and| /|/)? ?\\d{1,3} ?(?:%|percent)? "
     "?(?:random )?writes?\\b",
     NULL},
    {Q_OP, WI_OP_MIXED,
     "\\b\\d{1,3} ?[:/] ?\\d{1,3} (?:(?:random )?reads?[-/ and]{1,5}writes?|mix(?:ed)?(?: "
     "reads?[-/ and]{1,5}writes?)?)\\b",
     NULL},
    {Q_OP, WI_OP_MIXED,
     "\\b(?:reads?|lesen|lectura|lecture)\\s*[-/"
     "]\\s*(?:writes?|schreiben|escritura|ecriture)\\b(?: (?:mix|workloads?|traffic))?",
     NULL},
    {Q_OP, WI_OP_READ, "\\b100 ?(?:%|percent) (?:random |sequential )?reads?\\b", NULL},
    {Q_OP, WI_OP_WRITE, "\\b100 ?(?:%|percent) (?:random |sequential )?writes?\\b", NULL},
    {Q_OP, WI_OP_MIXED, "\\b\\d{1,2} ?(?:%|percent) (?:random |sequential )?(?:reads?|writes?)\\b",
     NULL},
    {Q_OP, WI_OP_READ,
     "\\b(?:reads?|reading|retriev\\w*|lese\\w*|lectura[s]?|leer|lectures?|lire)\\b|\xe8\xaf\xbb",
     NULL},
    {Q_OP, WI_OP_WRITE,
     "\\b(?:writes?|writing|wrote|written|schreib\\w*|escrituras?|escribir|ecritures?|ecrire|(?:"
     "page )?program(?:ming)? (?:latenc\\w*|times?|operations?|suspend))\\b|\xe5\x86\x99",
     NULL},

    /* ---- metric ---- */
    {Q_LATENCY, 0,
     "\\b\\w*(?:latenc\\w*|latenz\\w*)|\\btails?\\b|\\bresponse "
     "times?\\b|\\b(?:slower|slow|slowest|slows|slowdown|delays?|langsamer|lag)\\b|\\bp\\d{2,}"
     "|" PWORD "|\xe5\xbb\xb6\xe8\xbf\x9f|\xe6\x97\xb6\xe5\xbb\xb6",
     NULL},
    {Q_BANDWIDTH, 0,
     "\\b(?:bandwidths?|throughput|transfer (?:rate|speed)s?|data "
     "rates?|[mg]i?b/s|[mg]bps|bandbreiten?|durchsatz|ancho de banda|bande "
     "passante|debit)\\b|(?:read|write) "
     "speeds?\\b|\xe5\xb8\xa6\xe5\xae\xbd|\xe5\x90\x9e\xe5\x90\x90",
     NULL},
    {Q_BANDWIDTH, 0, "\\biops\\b", "is read as bandwidth"},
    {Q_WARN, 0, "\\b(?:mean|average|avg)\\b(?= (?:\\w+ ){0,3}?" LATENCY_WORD ")",
     "is not predicted: the answer gives percentiles"},

    /* ---- percentiles ---- */
    {Q_PCTL_P, 0, "(?<![\\w=])p ?(\\d+(?:[.,]\\d+)?)(?![\\w.]*=)(?!\\w)", NULL},
    {Q_PCTL_LIST, 0, "(?<![\\w.])(" PLIST ")(?: |-)?(?:" PWORD ")", NULL},
    {Q_PCTL_LIST, 0, PWORD "s?:? (?:of |de )?(" PLIST ")", NULL},
    {Q_PCTL_LIST, 0,
     "(?<![\\w.])(9\\d(?:[.,]\\d{1,5})?) ?%[- ](?:of )?(?:(?:the )?(?:ssd |random "
     ")?(?:read|write)s? )?(?:latenc\\w*|tail)",
     NULL},
    /* "die 99,9-Latenz"; the second in Chinese: 99.9 % (of) (random) read, write latency */
    {Q_PCTL_LIST, 0, "(?<![\\w.])(9\\d[.,]\\d{1,5})(?:er)?[- ](?:\\w+)?(?:latenc|latenz)\\w*",
     NULL},
    {Q_PCTL_LIST, 0,
     "(?<![\\d.])(9\\d(?:[.,]\\d{1,5})?) ?% ?(?:\xe7\x9a\x84)?(?:\xe9\x9a\x8f\xe6\x9c\xba)?"
     "(?:\xe8\xaf\xbb|\xe5\x86\x99)?(?:\xe5\x8f\x96|\xe5\x85\xa5)?\xe5\xbb\xb6\xe8\xbf\x9f",
     NULL},
    {Q_PCTL_LIST, 0,
     "(?:\\btail\\w*|\\blatenc\\w*)\\s*(?:at |of |: ?|, ?)?(9\\d\\.\\d{1,5}(?:(?:,|/| and|, and| "
     "or) ?9\\d\\.\\d{1,5}){0,8})(?!\\d)(?! ?(?:\xc2\xb0|[cfkhd]\\b|%|deg|hz))",
     NULL},
    {Q_PCTL_LIST, 0, "(?:\\btail\\w*|\\blatenc\\w*)\\s*\\((" PLIST ")\\)", NULL},
    {Q_PCTL_NINES, 0, "(?<![\\w.])(\\d)[- ]nines?\\b", NULL},
    {Q_PCTL_SLOWEST, 0, "\\b(?:slowest|worst|top) " NUM " ?%", NULL},
    {Q_PCTL_ONE_IN, 0, "\\b(?:1|one) (?:in|out of) (?:an? )?" NUM "(?!\\d)", NULL},
    {Q_PCTL, 50, "\\bmedian\\w*|\\bmediana\\b|\xe4\xb8\xad\xe4\xbd\x8d", NULL},
    {Q_PCTL, 100,
     "\\b(?:max(?:imum|imal\\w*|ima)?|worst(?:[- ]case)?|longest|peak)[- ](?:\\w+ "
     "){0,3}?(?:latenc\\w*|latenz\\w*|response|delay)|\\blatenc\\w* "
     "max(?:imum|ima|imale)?\\b|\xe6\x9c\x80\xe5\xa4\xa7\xe5\xbb\xb6\xe8\xbf\x9f",
     NULL},

    /* ---- vibration ---- */
    {Q_VIB_NONE, 0,
     "\\b(?:no|without(?: any)?|zero|0|ohne|sin|sans|free (?:of|from)) (?:\\w+ )?" VIB_WORD
     "|\\bvibration[- ]free|\\b(?:motionless|stationary|standing still|not "
     "(?:vibrating|shaken|shaking))\\b|\\bparked\\b|\xe6\x97\xa0\xe6\x8c\xaf\xe5\x8a\xa8",
     NULL},
    {Q_VIB, 0, VIB_WORD, NULL},
    {Q_VIB_IMPLIED, 0,
     "\\b(?:in|on|inside|aboard|onboard|im|en|dans) "
     "(?:(?:an?|the|my|our|einem|un|une|der|moving|driving) ){0,2}(?:\\w+ "
     ")?(?:trucks?|lorr(?:y|ies)|vans?|cars?|bus(?:es)?|trains?|trams?|ships?|boats?|(?:air)?"
     "planes?|aircrafts?|helicopters?|drones?|rockets?|tractors?|forklifts?|locomotives?|motor(?:"
     "cycle|bike)s?|"
     "bikes?|bicycles?|excavators?|vehicles?|lkw|auto|zug|camion|tren|coche|voiture)\\b",
     "is read as vibration of unknown strength, frequency and direction"},
    {Q_VIB_IMPLIED, 0,
     "\\b(?:loud|noisy|noise|nois(?:e|y) "
     "level|acoustic\\w*|shout\\w*|scream\\w*|loudspeakers?|subwoofers?|"
     "sirens?)\\b",
     "is read as vibration of unknown strength, frequency and direction"},
    {Q_VIB_IMPLIED, 0,
     "\\b(?:bumpy|rough) (?:roads?|rides?|terrain)|\\bwashing machine|\\b(?:mechanical "
     ")?shocks?\\b|\xe5\x8d\xa1\xe8\xbd\xa6",
     "is read as vibration of unknown strength, frequency and direction"},
    {Q_SKIP, Q_G_AXIS,
     "\\b(?:in parallel(?! (?:direction|to))|parallel "
     "(?:reads?|writes?|ios?|i/os?|threads?|requests?|jobs?|access\\w*|workloads?))\\b",
     NULL},
    {Q_AXIS, WI_AXIS_PERPENDICULAR,
     "\\b(?:perpendicular\\w*|perpendiculaire\\w*|orthogonal\\w*|upright|on (?:its "
     ")?edge|senkrecht\\w*|at right angles)\\b|\xe2\x8a\xa5|\xe5\x9e\x82\xe7\x9b\xb4",
     NULL},
    {Q_AXIS, WI_AXIS_PARALLEL,
     "\\b(?:parallel\\w*|paralel[oa]s?|in[- ]plane|(?:lying|lies|mounted|laid|lay) flat|flat "
     "on)\\b|\xe2\x88\xa5|\xe5\xb9\xb3\xe8\xa1\x8c",
     NULL},
    {Q_WARN, 0, "\\b(?:[xyz][- ]axis|(?:vertical|horizontal)ly?(?= (?:\\w+ )?vibr))\\b",
     "does not say how it lies to the drive; say parallel or perpendicular"},

    /* ---- device ---- */
    {Q_VENDOR, 0, "\\bvendors? ([a-z])\\b", NULL},
    /* The others of "vendors A, B and C"; a look behind, since a place belongs to one row only. */
    {Q_VENDOR, 0,
     "(?:(?<=vendor [a-z] and )|(?<=vendor [a-z] or )|(?<=vendor [a-z], )|(?<=vendor [a-z] vs "
     ")|(?<=vendor [a-z] vs\\. )|(?<=vendor [a-z] versus )|(?<=vendor [a-z] than )|(?<=vendors "
     "[a-z] and )|(?<=vendors [a-z] or )|(?<=vendors [a-z], )|(?<=vendors [a-z] vs )|(?<=vendors "
     "[a-z] vs\\. )|(?<=vendors [a-z] versus )|(?<=vendors [a-z] than ))([a-z])\\b",
     NULL},
    {Q_VENDOR, 0,
     "(?:(?<=vendor [a-z], [a-z] and )|(?<=vendor [a-z], [a-z] or )|(?<=vendor [a-z], [a-z], and "
     ")|(?<=vendor [a-z], [a-z], or )|(?<=vendors [a-z], [a-z] and )|(?<=vendors [a-z], [a-z] or "
     ")|(?<=vendors [a-z], [a-z], and )|(?<=vendors [a-z], [a-z], or ))([a-z])\\b",
     NULL},
    {Q_INTERFACE, 0, "\\bu\\.[23]\\b(?: nvme)?", "U.2"},
    {Q_INTERFACE, 0, "\\bm\\.2\\b(?: nvme)?", "M.2"},
    {Q_INTERFACE, 0, "\\be1\\.[sl]\\b(?: nvme)?", "E1.S"},
    {Q_INTERFACE, 0, "\\be3\\.[sl]\\b(?: nvme)?", "E3.S"},
    {Q_INTERFACE, 0, "\\bnvme\\b(?: \\d(?:\\.\\d)?)?", "NVMe"},
    {Q_INTERFACE, 0,
     "\\bsata\\b(?:[- ]?(?:iii|ii|i\\b|[123](?:\\.\\d)?))?(?: 6 ?gb(?:/s|ps|it/s))?", "SATA"},
    {Q_INTERFACE, 0, "\\bsas\\b", "SAS"},
    {Q_INTERFACE, 0, "\\bpcie?\\b(?:[- ]?(?:gen ?)?\\d(?:\\.\\d)?)?(?: ?x ?\\d{1,2})?", "PCIe"},
    {Q_SKIP, 0, "\\bgen ?\\d\\b|\\b(?:m|u)\\.[23]\\b|\\b3d\\b|\\b24/7\\b|\\be1\\.s\\b", NULL},
    {Q_CAPACITY, 1,
     FREE
     " ?gi?b\\b(?!/|ps)(?=[ -](?:[\\w.]+[ -]){0,4}?(?:ssds?|drives?|nvme|sata|[smtq]lc|dis[kc]s?))",
     NULL},
    {Q_CAPACITY, 1000,
     FREE
     " ?ti?b\\b(?!/|ps)(?=[ -](?:[\\w.]+[ -]){0,4}?(?:ssds?|drives?|nvme|sata|[smtq]lc|dis[kc]s?))",
     NULL},
    {Q_CAPACITY, 1, "\\bcapacity (?:of )?" NUM " ?gb\\b", NULL},
    {Q_PE_CYCLES, 1,
     FREE " ?(?:p ?/?-? ?e|program(?:/|-|-?and-| and | )erase|erase|wear)[- ]?cycles?\\b", NULL},
    {Q_PE_CYCLES, 1000,
     FREE " ?k (?:p ?/?-? ?e|program(?:/|-|-?and-| and | )erase|erase|wear)[- ]?cycles?\\b", NULL},
    {Q_CONFIDENCE, 0,
     FREE " ?(?:%|percent) (?:confidence|credible|ci\\b|prediction interval|de confiance|de "
          "confianza|konfidenz)",
     NULL},
    {Q_CONFIDENCE, 0, "\\bconfidence (?:level |interval )?(?:of |at )?" NUM " ?(?:%|percent)",
     NULL},
    {Q_CLIMATE, 0, "(?<![\\w./])(85) ?/ ?(85)(?![\\w./])", NULL},

    /* ---- stress without a figure ---- */
    {Q_HEAT_WORD, 0,
     "\\b(?:hot|hotter|heat\\w*|warm\\w*|cold\\w*|cool\\w*|freez\\w*|frozen|temperatur\\w*|"
     "thermal\\w*|overheat\\w*|summer|winter|sauna|arctic|hitze|kalte|warme|chaleur|froid|calor|"
     "frio)\\b|\xe6\xb8\xa9\xe5\xba\xa6|\xe9\xab\x98\xe6\xb8\xa9|\xe4\xbd\x8e\xe6\xb8\xa9",
     NULL},
    {Q_HUMID_WORD, 0,
     "\\b(?:humid\\w*|moist\\w*|damp\\w*|condensation|wet|dry|tropic\\w*|luftfeucht\\w*|feucht\\w*|"
     "humedad|humidite)\\b|\xe6\xb9\xbf\xe5\xba\xa6|\xe6\xbd\xae\xe6\xb9\xbf",
     NULL},

    {Q_WARN, 0,
     "\\bdew[- ]?points?(?: temperature)?(?: (?:of|at|is|around|about))? ?-?\\d+(?:[.,]\\d+)? "
     "?(?:\xc2\xb0 ?[cf]?|degrees?(?: [cf]\\b)?|[cf]\\b)?",
     "is a dew point, not a temperature or relative humidity, and is not used"},
    {Q_WARN, 0,
     "\\b(?:composite|junction|controller|die|nand|internal|case|smart|flash|hotspot) "
     "temp(?:erature)?s?\\b",
     "is read as the temperature around the drive, which is what was measured"},
    {Q_SKIP, 0,
     "(?<![\\w.])\\d "
     "(?:axes|directions?|cases|conditions|things|ways|questions|phases|types|kinds|devices)\\b",
     NULL},
    /* ---- said, but not part of a scenario ---- */
    {Q_WARN, 0, "\\braid[- ]?(?:level )?\\d{1,2}\\b",
     "is an array: this answers for one drive, the command 'raid' carries it into an array"},
    {Q_WARN, 0,
     "(?<![\\w.])\\d+ ?ki?b\\b(?!/|ps)|(?<![\\w.])(?:4|8|16|32|64|128|256|512) ?k(?= "
     "(?:random|rand|sequential|seq|blocks?|reads?|writes?|ios?|requests?|aligned|pages?|transfers?"
     "))",
     "is not part of a scenario and is not used"},
    {Q_WARN, 0, "\\b(?:qd ?=? ?\\d+|queue[- ]depths? (?:of )?\\d+|iodepth ?=? ?\\d+)\\b",
     "is not part of a scenario and is not used"},
    {Q_WARN, 0, "\\b(?:powered[- ]off|power(?:ed)? down|un-?powered|switched off|without power)\\b",
     "was not measured: the stored experiments keep the drive powered"},
    {Q_WARN, 0,
     "(?<![\\w.])\\d+ ?(?:%|percent) "
     "(?:full|utili[sz]ation|utili[sz]ed|load|used|busy|duty|wear|worn|over-?provisioning)\\b",
     "is not part of a scenario and is not used"},
};
const size_t q_n_word_rules = COUNT(q_word_rules);

#define DEG_SIGN "\xc2\xb0"
#define DEG_WORD "deg(?:rees?|s)?\\.?"
#define TIME(units) FREE "[- ]?(?:" units ")"
#define A_TIME(units)                                                                              \
    "(?<!once )(?<!twice )(?<!times )(?<!hours )(?<!hour )(?<!h "                                  \
    ")\\b(?:an?|one|eine?[rnm]?|una?|une)[- ](?:" units ")\\b"

#define TOLERANCE " ?(?:\xc2\xb1|\\+/-|\\+-) ?(?:\\d+(?:\\.\\d+)?) ?"
#define TOLERANCE_NOTE "is read as its middle"

const struct q_unit_rule q_unit_rules[] = {
    /* ---- a middle with its tolerance ---- */
    {'t', Q_U_F, 1, 0, SIGNED TOLERANCE "(?:" DEG_SIGN " ?|" DEG_WORD " ?)?f(?:ahrenheit)?\\b",
     TOLERANCE_NOTE},
    {'t', Q_U_C, 1, 0,
     SIGNED TOLERANCE "(?:(?:" DEG_SIGN " ?|" DEG_WORD " ?)c(?:elsius)?\\b|c\\b|" DEG_SIGN
                      "|" DEG_WORD ")",
     TOLERANCE_NOTE},
    {'h', Q_U_NONE, 1, 0, SIGNED TOLERANCE "% ?(?:r\\.?h\\b|relative humidity|humidity)",
     TOLERANCE_NOTE},
    /* ---- rates and tolerances are no temperatures ---- */
    {'u', Q_U_NONE, 1, 0,
     SIGNED
     "[- ]?(?:" DEG_SIGN " ?[cfk]?|" DEG_WORD
     "(?: ?[cfk])?|[cfk])? ?(?:/ ?|per |an? )(?:min(?:ute)?|m|hour|hr|h|sec(?:ond)?|s|day)\\b",
     NULL},
    {'u', Q_U_NONE, 1, 0,
     "(?:\xc2\xb1|\\+/-|\\+-) ?" NUM "(?: ?(?:" DEG_SIGN " ?[cfk]?|" DEG_WORD
     "(?: ?[cfk])?|[cfk]\\b|%(?: ?rh\\b)?))?",
     NULL},
    /* ---- temperature ---- */
    {'t', Q_U_C, 0, WI_ROOM_TEMP_C,
     "\\b(?:room[- ]temp(?:erature)?s?|room "
     "conditions|raumtemperatur|zimmertemperatur|temperatura ambiente|temperature "
     "ambiante)\\b(?! ?(?:of|\\(|is|=|:)? ?\\(?[-+]?\\d)|\xe5\xae\xa4\xe6\xb8\xa9",
     NULL},
    {'t', Q_U_C, 0, 0.0, "\\b(?:the )?(?:freezing point|gefrierpunkt)\\b", NULL},
    {'t', Q_U_C, -1, 0,
     FREE " ?(?:" DEG_SIGN " ?c?|" DEG_WORD
          "(?: c(?:elsius)?\\b)?|c\\b|grad|grados)? ?(?:below|unter|bajo) "
          "(?:0|zero|freezing|null|cero)\\b",
     NULL},
    {'t', Q_U_C, -1, 0,
     "\xe9\x9b\xb6\xe4\xb8\x8b ?" NUM " ?(?:" DEG_SIGN
     "c\\b|\xe6\x91\x84\xe6\xb0\x8f\xe5\xba\xa6|\xe5\xba\xa6)",
     NULL},
    {'t', Q_U_F, 1, 0,
     SIGNED "[- ]?(?:" DEG_SIGN " ?f|" DEG_WORD
            " ?f(?:ahrenheit)?|fahrenheit|grad fahrenheit|f)\\b",
     NULL},
    {'t', Q_U_K, 1, 0, SIGNED " ?(?:" DEG_SIGN " ?k|" DEG_WORD " ?k(?:elvin)?|kelvins?|k)\\b",
     NULL},
    {'t', Q_U_C, 1, 0,
     SIGNED "[- ]?(?:" DEG_SIGN " ?c(?:elsius)?\\b|" DEG_WORD
            " ?c(?:elsius|entigrades?)?\\b|celsius\\b|centigrades?\\b|grad(?: celsius| "
            "c)?\\b|grados(?: celsius| centigrados| c)?\\b|degres?(?: celsius| "
            "c)?\\b|c\\b|\xe6\x91\x84\xe6\xb0\x8f\xe5\xba\xa6|\xe5\xba\xa6)",
     NULL},
    {'t', Q_U_DEGREE, 1, 0, SIGNED "[- ]?(?:" DEG_SIGN "|" DEG_WORD ")(?!\\w)", NULL},
    /* ---- humidity ---- */
    {'h', Q_U_NONE, 1, 0,
     SIGNED " ?(?:%|percent|prozent|por ciento|pour cent) ?(?:r\\.?h\\.?(?!\\w)|rel(?:ative|\\.)? "
            "?(?:humidity|hum\\.?)|humidity|humid\\b|relative\\w* "
            "(?:luft)?feucht\\w*|(?:luft)?feucht\\w*|(?:de )?humedad|(?:d'|de "
            ")?humidite|\xe6\xb9\xbf\xe5\xba\xa6|moisture)",
     NULL},
    {'h', Q_U_NONE, 1, 0, SIGNED " ?r\\.?h\\b", NULL},
    /* ---- vibration ---- */
    {'z', Q_U_NONE, 1000, 0, SIGNED "[- ]?khz\\b", NULL},
    {'z', Q_U_NONE, 1, 0, SIGNED "[- ]?(?:hz|hertz|hercios|\xe8\xb5\xab\xe5\x85\xb9)(?!\\w)", NULL},
    {'g', Q_U_NONE, 1, 0, FREE " ?(?:g[ -]?\\(?rms\\)?|grms)\\b", NULL},
    {'g', Q_U_NONE, 0.70710678118654752, 0, FREE " ?(?:g[- ]?\\(?(?:peak|pk|0-p)\\)?|gpk)\\b",
     "is read as the peak of a sine, grms = peak / sqrt(2)"},
    {'g', Q_U_NONE, 0.10197162129779283, 0, FREE " ?m/s(?:\\^?2)",
     "is read as m/s2 root mean square, 9.80665 m/s2 = 1 g"},
    {'g', Q_U_NONE, 1, 0, FREE " ?g(?:'?s)?\\b(?![- ]?peak)", "is read as g root mean square"},
    /* ---- time ---- */
    {'d', Q_U_NONE, 0, 0.5, "\\bhalf an? hour\\b", NULL},
    {'d', Q_U_NONE, 0, 12, "\\bhalf a day\\b", NULL},
    {'d', Q_U_NONE, 0, 4380, "\\bhalf a year\\b", NULL},
    {'u', Q_U_NONE, 1, 0, FREE "[- ]?(?:ms|us|ns|milliseconds?|microseconds?|nanoseconds?)\\b",
     NULL},
    {'u', Q_U_NONE, 1, 0, FREE "[- ]?(?:day|week|month|year)s?[- ]old\\b", NULL},
    {'u', Q_U_NONE, 1, 0, FREE "[- ]?(?:hours?|h) (?:a|per|each) day\\b", NULL},
    {'d', Q_U_NONE, 1.0 / 3600, 0,
     TIME("s|secs?|seconds?|sekunden?|segundos?|secondes?|\xe7\xa7\x92") "(?!\\w)", NULL},
    {'d', Q_U_NONE, 1.0 / 60, 0,
     TIME("mins?|minutes?|minuten?|minutos?|\xe5\x88\x86\xe9\x92\x9f") "(?!\\w)", NULL},
    {'d', Q_U_NONE, 1, 0,
     TIME("h|hrs?|hours?|stunden?|std|horas?|heures?|(?:\xe4\xb8\xaa)?"
          "\xe5\xb0\x8f\xe6\x97\xb6") "(?!\\w)",
     NULL},
    {'d', Q_U_NONE, 24, 0, TIME("d|days?|tage?n?|dias?|jours?|\xe5\xa4\xa9|\xe6\x97\xa5") "(?!\\w)",
     NULL},
    {'d', Q_U_NONE, 168, 0,
     TIME("wks?|weeks?|wochen?|semanas?|semaines?|\xe5\x91\xa8|(?:\xe4\xb8\xaa)?"
          "\xe6\x98\x9f\xe6\x9c\x9f") "(?!\\w)",
     NULL},
    {'d', Q_U_NONE, 336, 0, TIME("fortnights?") "(?!\\w)", NULL},
    {'d', Q_U_NONE, 730, 0,
     TIME("months?|monate?n?|mes(?:es)?|mois|(?:\xe4\xb8\xaa)?\xe6\x9c\x88") "(?!\\w)", NULL},
    {'d', Q_U_NONE, 8760, 0, TIME("yrs?|years?|jahre?n?|anos?|ans?|annees?|\xe5\xb9\xb4") "(?!\\w)",
     NULL},
    {'d', Q_U_NONE, 8760, 0, FREE "y\\b", NULL},
    {'d', Q_U_NONE, 0, 1, A_TIME("hour|stunde|hora|heure"), NULL},
    {'d', Q_U_NONE, 0, 24, A_TIME("day|dia|jour"), NULL},
    {'d', Q_U_NONE, 0, 168, A_TIME("week|woche|semana|semaine"), NULL},
    {'d', Q_U_NONE, 0, 336, A_TIME("fortnight"), NULL},
    {'d', Q_U_NONE, 0, 730, A_TIME("month|mes|mois"), NULL},
    {'d', Q_U_NONE, 0, 8760, A_TIME("year|ano|annee"), NULL},
    /* ---- not part of a scenario ---- */
    {'u', Q_U_NONE, 1, 0,
     SIGNED
     " ?(?:v|volts?|w|watts?|m|met(?:er|re)s?|k?rads?|gy|k?pa|hpa|m?bar|mm|um|nm|km|"
     "rpm|x|times|[kmgt]i?b(?:/s|ps|it/"
     "s)?|mhz|ghz|ma|a(?! [-+]?\\d)|iops|psi|ft|feet|inch(?:es)?|db|users|threads|jobs|drives?|"
     "ssds?|dis[kc]s|nodes|servers|cores|cycles|ppm|lux|tbw|dwpd)\\b",
     NULL},
    {'%', Q_U_NONE, 1, 0, SIGNED " ?(?:%|percent\\b|prozent\\b|por ciento\\b|pour cent\\b)", NULL},
    {'u', Q_U_NONE, 1, 0, SIGNED "(?!(?:st|nd|rd|th|e)\\b)[a-z]\\w*", NULL},
    /* below zero and nothing else: only a temperature can be */
    {'t', Q_U_NONE, 1, 0,
     "(?<=at |to |is |of |around |about |below |from |and )(-(?:\\d+(?:[.,]\\d+)?))(?!\\w)", NULL},
    {'n', Q_U_NONE, 1, 0, SIGNED "(?!\\w)", NULL},
};
const size_t q_n_unit_rules = COUNT(q_unit_rules);

#define SEP "\\s*(?:/|,|and|&|und|y|et)?\\s*(?:,|and|a)?\\s*"
/* A slot: one quantity, or a temperature and a humidity side by side. */
#define S                                                                                          \
    "(?|\\{[tn](\\d+)\\}" SEP "\\{[h%](\\d+)\\}|\\{[h%](\\d+)\\}" SEP "\\{[tn](\\d+)\\}|"          \
    "\\{[tnh%z](\\d+)\\}())"
#define GAP "[^{}.;?!]{0,24}?"
#define AT "(?:at|of|is|was|were|in|=|:|bei|a|um)?\\s*(?:a |the |around |about |only )?\\s*"
#define FROM "(?:\\b(?:from|von|vom|del?|du|desde|depuis)\\s+|\xe4\xbb\x8e\\s*)"
#define ARROW "(?:\\s*,?\\s*(?:and )?then (?:to |at |back to )?|\\s*(?:-+>|-|~|\xe5\x88\xb0)\\s*)"
#define TO                                                                                         \
    "(?:\\s*(?:,\\s*)?(?:(?:up |down |all the way )?(?:to|until|till|into|through)|auf|bis(?: "    \
    "auf)?|al?|hasta|vers|jusqu'a)\\s+(?:a |an |the |about |around )?|" ARROW                      \
    "|\\s*(?:\xe4\xb8\x8a)?(?:\xe5\x8d\x87|\xe9\x99\x8d|\xe5\x8f\x98|\xe4\xb8\x8b\xe9\x99\x8d|"    \
    "\xe5\x8d\x87\xe9\xab\x98|\xe9\x99\x8d\xe4\xbd\x8e|\xe5\xa2\x9e\xe5\x8a\xa0|"                  \
    "\xe5\x8a\xa0\xe7\x83\xad|\xe5\x86\xb7\xe5\x8d\xb4|\xe6\x8f\x90\xe9\xab\x98)?(?:\xe5\x88\xb0|" \
    "\xe8\x87\xb3|\xe4\xb8\xba)\\s*)"
#define BACK                                                                                       \
    "(?:(?:and |then |and then |, then |, )?(?:(?:is |are |it "                                    \
    ")?(?:cool\\w*|warm\\w*|heat\\w*|brought|drop\\w*|ris\\w*|go\\w*|come\\w*|fall\\w*) "          \
    ")?(?:back|return\\w*|again)(?: again)?(?: up| down)? ?(?:to|at)?|zuruck auf|de vuelta "       \
    "a|retour a)\\s*(?:the )?"
#define MOVE                                                                                       \
    "(?:heat\\w*|cool\\w*|warm\\w*|rais\\w*|ris\\w*|rose|lower\\w*|go(?:es|ing)?|went|gets?|"      \
    "getting|climb\\w*|drop\\w*|fall\\w*|fell|increas\\w*|decreas\\w*|chang\\w*|mov\\w*|brought|"  \
    "reduc\\w*|jump\\w*|swing\\w*|ramp\\w*|becom\\w*|turn\\w*)"
#define UPWARD                                                                                     \
    "(?:ris(?:e|es|ing)|rose|rais\\w*|increas\\w*|warm\\w*|heat\\w*|climb\\w*|jump\\w*|goes "      \
    "up|went up|go up|going "                                                                      \
    "up|gain\\w*|steigt|sube|augmente|\xe5\x8d\x87\xe9\xab\x98\xe4\xba\x86?)"
#define DOWNWARD                                                                                   \
    "(?:drop\\w*|fall\\w*|fell|decreas\\w*|lower\\w*|cool\\w*|reduc\\w*|declin\\w*|goes "          \
    "down|went down|go down|sinkt|fallt|baja|baisse)"
/* Movements that take an amount without "by". */
#define RISES                                                                                      \
    "(?:warm(?:s|ed)?(?: up)?|heat(?:s|ed) "                                                       \
    "up|rises?|rising|rose|risen|increas(?:es?|ed|ing)|climb(?:s|ed|ing)?|jump(?:s|ed|ing)?|(?:"   \
    "goes|went|go|going|gone|is|are|was) up|gains?|raised|steigt|sube|aumenta|augmente|monte)"
#define FALLS                                                                                      \
    "(?:cool(?:s|ed)?(?: off| "                                                                    \
    "down)?|drop(?:s|ped|ping)?|falls?|fell|fallen|decreas(?:es?|ed|ing)|lowered|(?:goes|went|go|" \
    "going|gone|is|are|was) down|declin(?:es?|ed)|sinkt|fallt|baja|disminuye|baisse|diminue)"
#define T_SUBJ                                                                                     \
    "(?:temperatur\\w*|temps?|ambient|heat\\w*|cool\\w*|warm\\w*|freezer|oven|chamber|thermal\\w*" \
    "|\xe6\xb8\xa9\xe5\xba\xa6)"
#define H_SUBJ                                                                                     \
    "(?:humidit\\w*|r\\.?h\\.?|moisture|luftfeucht\\w*|feucht\\w*|humedad|"                        \
    "\xe6\xb9\xbf\xe5\xba\xa6)"
#define Z_SUBJ "(?:frequenc\\w*|frequenz\\w*|\xe9\xa2\x91\xe7\x8e\x87)"
#define FILL                                                                                       \
    "\\s*(?:(?:of|is|was|at|to|in|on|up|down|around|about|only|a|the|it|has|been|will|be|level|"   \
    "del|des|du|la|el|der|constant|reache[sd]|reach|ris\\w+|rose|rais\\w+|drop\\w*|fall\\w*|fell|" \
    "go(?:es)?|gets?|"                                                                             \
    "climb\\w*|increas\\w*|decreas\\w*|hits?|stays?|near|approximately|ca|outside|von|auf|bei|de|" \
    "d'|steigt|fallt|sube|baja|est|es|ist|=|:|,|\\()\\s*){0,6}"

#define LIST "\\s*(?:,|/|,? ?(?:and|or|und|oder|y|o|et|ou))\\s+(?:at )?"

const struct q_relation q_relations[] = {
    /* ---- times that are not spent in the exposure ---- */
    {"i", Q_REL_SINGLE, 'd',
     "\\{d(\\d+)\\} (?:after|later|following|ago|warranty|apart)\\b(?! which| that)"},
    {"i", Q_REL_SINGLE, 'd',
     "\\b(?:every|each|past|last|warranty of|timeout of|latenc\\w* (?:of|above|below|over|under)) "
     "\\{d(\\d+)\\}"},
    /* ---- three steps ---- */
    {"bda", 0, 0, FROM "?" S ARROW S ARROW S},
    {"bda", 0, 0, FROM "?" S TO S GAP BACK S},
    {"bda", 0, 0, FROM S GAP TO S GAP BACK S},
    {"bda", 0, 0, "\\bbefore:? ?" AT S GAP "\\bduring:? ?" AT S GAP "\\bafter(?:wards?)?:? ?" AT S},
    /* ---- written at one temperature, read at another ---- */
    {"bd", Q_REL_CROSS, 't',
     "\\b(?:written|wrote|writes?|writing|programm?ed)\\b" GAP S
     "[^{}.?!;]{0,30}?\\bread\\w*\\b" GAP S},
    {"db", Q_REL_CROSS, 't',
     "\\breads?\\b" GAP S "[^{}.?!;]{0,40}?\\b(?:written|wrote|programm?ed)\\b" GAP S},
    /* ---- back ---- */
    {"ad", 0, 0,
     "\\b(?:return\\w*|back|again)(?: up| down)? (?:to|at) (?:the )?" S GAP
     "\\bfrom (?:the |a )?" S},
    {"da", 0, 0,
     "\\b(?:return\\w*|(?:goes|comes|cools|went|came|cooled) back(?: down| up)?) from " S GAP TO S},
    {"da", 0, 0, S GAP BACK S},
    /* ---- an amount of change and where it starts ---- */
    {"+b", 0, 0, S "\\s*(?:warmer|hotter|higher|above|wetter|more humid)\\s*(?:than )?(?:the )?" S},
    {"-b", 0, 0,
     S "\\s*(?:colder|cooler|lower|below|under|drier|less humid)\\s*(?:than )?(?:the )?" S},
    {"b+", 0, 0, "\\b" UPWARD "\\b" GAP "\\bfrom (?:the )?" S GAP "\\bby (?:about |another )?" S},
    {"b-", 0, 0, "\\b" DOWNWARD "\\b" GAP "\\bfrom (?:the )?" S GAP "\\bby (?:about |another )?" S},
    {"+b", 0, 0, "\\b" UPWARD "\\b" GAP "\\bby (?:about |another )?" S GAP "\\bfrom (?:the )?" S},
    {"-b", 0, 0, "\\b" DOWNWARD "\\b" GAP "\\bby (?:about |another )?" S GAP "\\bfrom (?:the )?" S},
    /* ---- differences and comparisons ---- */
    {"bd", 0, 0,
     "\\b(?:differen\\w+|compar\\w+|unterschied)\\b[^{}.;?!]{0,40}?\\b(?:between|from|zwischen|"
     "entre)?\\s*" S "\\s*(?:and|with|to|und|y|et)\\s+(?:at )?" S},
    {"bd", Q_REL_BETWEEN, 0,
     "\\b(?:between|zwischen|entre)\\s+" S "\\s*(?:and|to|und|y|et|-)\\s*" S},
    {"db", 0, 0,
     S "[^{}.;?!]{0,40}?\\b(?:compared (?:to|with|against)|in comparison (?:to|with)|as opposed "
       "to|opposed "
       "to|relative to|instead of|rather than|against|over|than|statt|gegenuber|en lugar de|au "
       "lieu de)\\s+(?:(?!(?:[smtq]lc|vendor)\\b)[a-z]+ ){0,4}?" S},
    {"vv", 0, 0, S "\\s*(?:,\\s*)?(?:vs|versus|gegen|contra|contre)\\s+(?:at |in )?" S},
    {"bd", Q_REL_BETWEEN, 0, S "-" S},
    /* ---- from, to ---- */
    {"bd", 0, 0, FROM S GAP TO S},
    {"bd", 0, 0, FROM S "[^{}.;?!]{0,40}?\\b(?:to|auf)\\s+(?:the |an? )?" S},
    {"bd", 0, 0, S TO S},
    {"bd", 0, 0, S "\\s*(?:becomes?|changes? to|turns? (?:in)?to|wird zu)\\s+" S},
    {"bd", 0, 0, S "[^{}.;?!]{0,30}?\\b" MOVE " (?:\\w+ )?(?:up |down )?to\\s+" S},
    /* ---- amounts of change ---- */
    {"+d", 0, 0, "\\b" UPWARD "\\b" GAP "\\b(?:by|um|en|de)\\s+" S "\\s*to\\s+" S},
    {"-d", 0, 0, "\\b" DOWNWARD "\\b" GAP "\\b(?:by|um|en|de)\\s+" S "\\s*to\\s+" S},
    {"+", 0, 0,
     "\\b" UPWARD "\\b" GAP
     "\\b(?:by|um|en|de)\\s+(?:a further |another |about |around |some )?" S},
    {"-", 0, 0,
     "\\b" DOWNWARD "\\b" GAP
     "\\b(?:by|um|en|de)\\s+(?:a further |another |about |around |some )?" S},
    {"+", 0, 0, "\\b(?:increase|rise|jump|gain|swing) of (?:about |around |some )?" S},
    {"-", 0, 0, "\\b(?:decrease|drop|fall|reduction|decline) of (?:about |around |some )?" S},
    {"+b", 0, 0,
     S "[- ](?:\\w+ )?(?:increase|rise|jump|hike|spike)(?: (?:in|of) (?:the )?(?:relative "
       ")?(?:humidity|rh|temperature))?,? from " S},
    {"-b", 0, 0,
     S "[- ](?:\\w+ )?(?:decrease|drop|fall|dip|reduction)(?: (?:in|of) (?:the )?(?:relative "
       ")?(?:humidity|rh|temperature))?,? from " S},
    {"+", 0, 0, S "\\s*(?:warmer|hotter|higher|warming|wetter|more humid|increase|rise|warmer)\\b"},
    {"-", 0, 0, S "\\s*(?:colder|cooler|lower|cooling|drier|less humid|decrease|drop)\\b"},
    {"+", 0, 0, S "[- ](?:\\w+ )?(?:increase|rise|jump|hike|spike|warming|heating)\\b"},
    {"-", 0, 0, S "[- ](?:\\w+ )?(?:decrease|drop|fall|dip|reduction|cooling)\\b"},
    {"+", 0, 0, "\\b" RISES " (?:another |about |around |some |almost |nearly |over |roughly )?" S},
    {"-", 0, 0, "\\b" FALLS " (?:another |about |around |some |almost |nearly |over |roughly )?" S},
    {"+", Q_REL_UNSIGNED, 0,
     S "[- ](?:\\w+ )?(?:change|swing|difference|delta|shift|step|gradient)\\b"},
    {"+", Q_REL_UNSIGNED, 0,
     "\\b(?:change|swing|difference|delta|shift|step)s? of (?:about |around |some )?" S},
    {"+", Q_REL_UNSIGNED, 0, "\\b(?:per|every|each) (?:additional |extra )?" S},
    /* ---- one step named ---- */
    {"a", 0, 0,
     "\\b(?:return\\w*|back|again|recover\\w*)(?: up| down| again)? (?:to|at) (?:the )?" S},
    {"a", 0, 0, "\\bback (?:in|into|at) (?:the )?" S},
    {"a", 0, 0, "\\b(?:after|afterwards?|final(?:ly)?|zuruck auf)\\s*[:=]\\s*" S},
    {"b", 0, 0,
     "\\b(?:normally|usually|currently|initially|originally|at first|until now|so "
     "far|today|starting|starts?|started|beginning|baseline|normal(?:erweise)?|at the moment|used "
     "to be|runs "
     "now)\\b(?:\\s*(?:at|is|of|from|with|in|around|about|runs?|sits?|temperature|humidity|the|a|:|"
     "=|,)\\s*){0,5}" S},
    {"b", 0, 0, "\\b(?:before|previously)\\s*[:=]\\s*" S},
    {"b", 0, 0, "\\b(?:from|desde)\\s+(?:a |the |about |around )?" S},
    {"d", 0, 0, "\\b(?:during|ending|ends?|ended up)\\s*(?:at|:|=|in|up at)\\s*" S},
    {"d", 0, 0,
     "\\b" MOVE " (?:\\w+ )?(?:up |down )?(?:to|at)\\s+(?:a |about |around |over |the )?" S},
    {"d", 0, 0, "\\b(?:reach\\w*|hits?|up to|down to)\\s+(?:a |about |around |over )?" S},
    {"s", Q_REL_HELD, 0,
     "\\b(?:constant|steady|stead(?:y|ily)|fixed|held|kept|stays?|remains?|unchanged|konstant\\w*|"
     "staying|remaining|holding)(?: (?:at|of|on|temperature|humidity|constant|a|bei)){0,4}\\s+" S},
    {"s", Q_REL_HELD, 0, S " (?:constant|throughout|all the time|unchanged|konstant)\\b"},
    /* ---- several of one kind: the first lends the others its kind and unit ---- */
    {"sss", 0, 0, S LIST S LIST S},
    {"ss", 0, 0, S LIST S},
    /* ---- a bare number after its subject ---- */
    {"ss", Q_REL_SINGLE, 'h',
     "(?<![a-z])" H_SUBJ FILL
     "\\{[n%](\\d+)\\}[^{}.;?!]{0,25}?\\b(?:and|or|und|y|et|vs|to) (?:\\w+ )?\\{%(\\d+)\\}"},
    {"s", Q_REL_SINGLE, 'h', "(?<![a-z])" H_SUBJ FILL "\\{[n%](\\d+)\\}"},
    {"s", Q_REL_SINGLE, 'h',
     "\\{h\\d+\\}[^{}.;?!]{0,30}?\\b(?:and|or|und|y|et|vs|to|than) (?:\\w+ )?\\{%(\\d+)\\}(?! "
     "?(?:more|less|higher|lower|faster|slower|worse|better|drop|increase|of))"},
    {"s", Q_REL_SINGLE, 'h',
     "\\{t\\d+\\}\\s*(?:/|,|and|&|at|with|und|y|et|,? and|bei)?\\s*\\{%(\\d+)\\}(?! "
     "?(?:more|less|higher|lower|faster|slower|worse|better|drop|increase|of))"},
    {"s", Q_REL_SINGLE, 't', "\\b" T_SUBJ FILL "\\{[n](\\d+)\\}"},
    {"s", Q_REL_SINGLE, 't', "\xe6\xb8\xa9\xe5\xba\xa6" FILL "\\{[n](\\d+)\\}"},
    {"s", Q_REL_SINGLE, 't',
     "\\{[n](\\d+)\\} (?:outside|outdoors|ambient|in the (?:sun|shade|room|office|garage|server "
     "room))\\b"},
    {"s", Q_REL_SINGLE, 'z', "\\b" Z_SUBJ FILL "\\{[n](\\d+)\\}"},
};
const size_t q_n_relations = COUNT(q_relations);

const struct q_subject_rule q_subject_rules[] = {
    {'t', "\\b" T_SUBJ "\\b|\xe6\xb8\xa9\xe5\xba\xa6|\\b(?:degrees?|calor|chaleur)\\b|\\{t\\d+\\}"},
    {'h', "(?<![a-z])" H_SUBJ "|\xe6\xb9\xbf\xe5\xba\xa6|\\{h\\d+\\}"},
    {'z', Z_SUBJ "|\\{z\\d+\\}"},
    {'x', "\\b(?:latenc\\w*|latenz\\w*|bandwidth|throughput|load|utili[sz]ation|performance|speed|"
          "iops|bandbreite|durchsatz|capacity|lifetime|endurance)\\b|\xe5\xbb\xb6\xe8\xbf\x9f|"
          "\xe5\xb8\xa6\xe5\xae\xbd"},
};
const size_t q_n_subject_rules = COUNT(q_subject_rules);

#define QTY "(?:\\{[a-z%]\\d+\\}[ ,/]*(?:and |of )?)"
#define STRESS                                                                                     \
    "(?:vibr\\w*|shak\\w*|exposure|exposition|exposicion|soak\\w*|belastung|erschutterung\\w*|"    \
    "vibracion\\w*|vibrations?|heat soak|humidity|storage|bake|baking)"

const struct q_when_rule q_when_rules[] = {
    {Q_WHEN_BOTH, "\\b(?:during|while|under|wahrend|durante|pendant)\\b[^{}.;?!]{0,24}\\b(?:and|"
                  "und|y|et) (?:also )?(?:after|nach|despues|apres)\\w*"},
    {Q_WHEN_POST,
     "\\b(?:" STRESS "|it|that|this|everything|stress|test|heat\\w*|condition|drive|" QTY
     "of " STRESS ") (?:has |have |is |are |was |were |had )?(?:now |already "
     ")?(?:ended|stopped|stops?|ends?|ceases?|ceased|finished|finishes)\\b"},
    {Q_WHEN_POST, "\\b(?:is|are|was|were) (?:now |already )?(?:over|gone|done with)\\b"},
    {Q_WHEN_POST,
     "\\brecover(?:s|ed|y|ing)?\\b|\\bafterwards?\\b|\\b(?:lasting|permanent(?:ly)?|irreversibl\\w*"
     "|residual|persist\\w*) "
     "(?:\\w+ )?(?:effect|damage|change|impact|loss|degradation)?|\\bpost[- "
     "](?:exposure|vibration|stress|heating|humidity|heat)\\b|\\bback to normal\\b|\\band (?:then "
     ")?back\\b|\\bdanach\\b|\\b(?:cooled|warmed) (?:back|down again)\\b"},
    {Q_WHEN_POST, "\\b(?:returned|returning|returns?) "
                  "to\\b|(?:\xe6\x8c\xaf\xe5\x8a\xa8|\xe6\x9a\xb4\xe9\x9c\xb2|"
                  "\xe5\x8a\xa0\xe7\x83\xad)(?:\xe7\xbb\x93\xe6\x9d\x9f|\xe5\x81\x9c\xe6\xad\xa2)"},
    {Q_WHEN_LONG,
     "\\blong[- ]?(?:term|run|time|lasting vibr\\w*)\\b|\\bprolonged\\b|\\bextended "
     "(?:period|time|vibr\\w*|exposure)\\w*|\\b(?:for|after|over|of|since) "
     "(?:(?:many|several|some|a few|few) "
     ")?(?:weeks|months|years)\\b|\\b(?:langfristig|dauerhaft|langzeit\\w*|largo plazo|long "
     "terme)\\b|\xe9\x95\xbf\xe6\x9c\x9f|\\b(?:all|whole) (?:week|month|year)\\b"},
    {Q_WHEN_POST_WEAK,
     "\\b(?:after|following|once|nach|despues "
     "de|apres|tras)\\s+(?:(?:an?|the|some|its|der|dem|einer|la|las|les|une|un|short|brief|high|"
     "strong|parallel|perpendicular) ){0,3}" QTY
     "{0,3}(?:(?:parallel|perpendicular|of|short|brief|high|strong) ){0,2}" STRESS},
    {Q_WHEN_POST_WEAK, "\\b(?:after|once) (?:(?:it|they|the (?:drive|ssd|disk)) "
                       "(?:has|have|had|was|were)|having|being) (?:been )?\\w+"},
    {Q_WHEN_POST_WEAK, "(?:\xe6\x8c\xaf\xe5\x8a\xa8|\xe6\x9a\xb4\xe9\x9c\xb2|"
                       "\xe5\x8a\xa0\xe7\x83\xad)(?:\xe4\xb9\x8b|\xe4\xbb\xa5)?\xe5\x90\x8e"},
    {Q_WHEN_AFTER_TIME, "\\b(?:after|nach|despues de|apres|following)\\s+(?:a |an |the |another "
                        ")?\\{d\\d+\\}|\\{d\\d+\\}\\s*(?:\xe4\xb9\x8b|\xe4\xbb\xa5)?\xe5\x90\x8e"},
};
const size_t q_n_when_rules = COUNT(q_when_rules);
