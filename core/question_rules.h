/*
 * Internal to core/question*.c: the rules that read a question, as tables. A new phrase is one more
 * row in core/question_rules.c.
 */
#ifndef WI_CORE_QUESTION_RULES_H
#define WI_CORE_QUESTION_RULES_H

#include <stddef.h>

/* What a phrase means. Group 1 of the pattern is its number or name where it has one. */
enum q_act {
    Q_NAND,         /* value: enum wi_nand */
    Q_CONSTRUCTION, /* a kind of NAND that says nothing about the bits per cell; note */
    Q_OP,           /* value: enum wi_op */
    Q_LATENCY,      /* asks for latency */
    Q_BANDWIDTH,    /* asks for bandwidth */
    Q_PCTL,         /* value: whole percentile */
    Q_PCTL_LIST,    /* group 1: percentiles, "99, 99.9 and 99.99" */
    Q_PCTL_P,       /* group 1: digits after the p, "99.9" or "999" */
    Q_PCTL_NINES,   /* group 1: how many nines */
    Q_PCTL_SLOWEST, /* group 1: percent of the slowest */
    Q_PCTL_ONE_IN,  /* group 1: one in so many */
    Q_VIB,          /* vibration */
    Q_VIB_IMPLIED,  /* something that vibrates, with a warning */
    Q_VIB_NONE,     /* no vibration */
    Q_AXIS,         /* value: enum wi_axis; counts only beside vibration */
    Q_VENDOR,       /* group 1: one letter */
    Q_INTERFACE,    /* note: its name */
    Q_CAPACITY,     /* group 1: number; value: GB per unit */
    Q_PE_CYCLES,    /* group 1: number; value: factor */
    Q_CONFIDENCE,   /* group 1: percent */
    Q_CLIMATE,      /* group 1: degrees C, group 2: %RH */
    Q_HEAT_WORD,    /* heat or cold without a figure */
    Q_HUMID_WORD,   /* humidity without a figure */
    Q_STRONG,       /* about an SSD */
    Q_WEAK,         /* may be about an SSD */
    Q_DISK,         /* a disk of some kind */
    Q_HDD,          /* a hard disk */
    Q_OFF,          /* about something else */
    Q_REFUSE,       /* note: the message */
    Q_WARN,         /* note: said after the quoted phrase */
    Q_SKIP          /* value: its group; its figures say nothing about the scenario */
};

/* Within one group, a place in the text belongs to the first row that matches it. */
enum q_group {
    Q_G_NAND = 1,
    Q_G_OP = 2,
    Q_G_PERCENTILE = 4,
    Q_G_VIB = 8,
    Q_G_AXIS = 16,
    Q_G_OTHER = 32
};

struct q_word_rule {
    enum q_act act;
    int value;
    const char *pattern;
    const char *note;
};
extern const struct q_word_rule q_word_rules[];
extern const size_t q_n_word_rules;

/*
 * Quantities. Kinds: t temperature, h relative humidity, z frequency, g acceleration, d duration,
 * % percent of something, n bare number, u number of something that no scenario has.
 */
enum q_unit { Q_U_NONE, Q_U_C, Q_U_F, Q_U_K, Q_U_DEGREE };

struct q_unit_rule {
    char kind;
    enum q_unit unit;
    double factor;       /* to C, percent, Hz, grms, h; 0 = the number is `fixed` */
    double fixed;        /* value of a phrase without a number; sign -1 in group 2 forms */
    const char *pattern; /* group 1: the number; group 2: present if the number is negative */
    const char *note;    /* warning, said after the quoted phrase; NULL = none */
};
extern const struct q_unit_rule q_unit_rules[];
extern const size_t q_n_unit_rules;

/*
 * How quantities stand to each other. Patterns run over the text in which each quantity is replaced
 * by {kind index}, as in "from {t0} to {t1}". Each slot of a pattern has two groups (a quantity and
 * perhaps a second one of another kind beside it); the role of a slot is one letter: b before,
 * d during, a after, + raised by, - lowered by, s stated on its own, v one of two that are
 * compared.
 */
enum q_rel_flag {
    Q_REL_BETWEEN = 1,  /* a range, read as a change: warn */
    Q_REL_CROSS = 2,    /* written at one temperature, read at another */
    Q_REL_SINGLE = 4,   /* one group per slot */
    Q_REL_HELD = 8,     /* said to be constant */
    Q_REL_UNSIGNED = 16 /* an amount of change without its direction: warn */
};

struct q_relation {
    const char *roles;
    unsigned flags;
    char force; /* kind that a bare number or percent takes; 0 = by context */
    const char *pattern;
};
extern const struct q_relation q_relations[];
extern const size_t q_n_relations;

/* Which quantity a stretch of text is about; x = something that is measured, not an exposure. */
struct q_subject_rule {
    char kind;
    const char *pattern;
};
extern const struct q_subject_rule q_subject_rules[];
extern const size_t q_n_subject_rules;

/* When one looks. Over the tagged text, like relations. */
enum q_when {
    Q_WHEN_POST_WEAK, /* after an exposure */
    Q_WHEN_LONG,      /* long-term in words */
    Q_WHEN_POST,      /* the exposure is said to be over */
    Q_WHEN_BOTH,      /* during and after */
    Q_WHEN_AFTER_TIME /* "after 6 h": the condition may still hold */
};

struct q_when_rule {
    enum q_when when;
    const char *pattern;
};
extern const struct q_when_rule q_when_rules[];
extern const size_t q_n_when_rules;

#endif
