/*
 * Internal to core/question*.c: the state of one reading.
 *
 *   words        q_reader_words        phrases with a fixed meaning
 *   quantities   q_reader_quantities   numbers with their units; the text with each one tagged
 *   relations    q_reader_relations    which of them is before, during, after
 *   settle       q_reader_settle       one scenario, or one per device asked about
 */
#ifndef WI_CORE_QUESTION_READER_H
#define WI_CORE_QUESTION_READER_H

#include "core/question.h"
#include "core/question_match.h"
#include "core/question_rules.h"
#include "core/question_text.h"

#define Q_QUANTITIES_MAX 256
#define Q_TAG_MAX 6 /* bytes of "{t255}" */
#define Q_TAGGED_MAX (WI_QUESTION_MAX + Q_QUANTITIES_MAX * Q_TAG_MAX + 1)
#define Q_MARKS_MAX 256
#define Q_CHOICES_MAX 8
#define Q_QUOTE_MAX 96
#define Q_VALUE_MAX 256 /* bytes of the value of key=value, with the NUL */

struct q_quantity {
    char kind; /* see struct q_unit_rule; n and % become another kind when context says so */
    enum q_unit unit;
    double value;      /* in `unit` for temperatures, else in percent, Hz, grms, h */
    size_t start, end; /* in text.norm */
    char role;         /* 0 = none yet; see struct q_relation */
    bool percent;      /* was written with a percent sign */
    bool used;
    const char *note;
};

struct q_mark { /* where a subject stands in the tagged text */
    size_t start, end;
    char kind;
};

/* One of several values that a question may name, and where. */
struct q_choice {
    int value;
    size_t at;
};
struct q_choices {
    struct q_choice items[Q_CHOICES_MAX];
    size_t n;
};

struct q_reader {
    struct q_text text;
    uint8_t taken[WI_QUESTION_MAX + 1];   /* by a quantity, or by digits inside a phrase */
    uint8_t claimed[WI_QUESTION_MAX + 1]; /* enum q_group bits */
    char tagged[Q_TAGGED_MAX];
    size_t n_tagged;
    struct q_quantity quantities[Q_QUANTITIES_MAX];
    size_t n_quantities;
    struct q_mark marks[Q_MARKS_MAX];
    size_t n_marks;

    struct q_choices nands, ops, axes, vendors;
    double percentiles[WI_PERCENTILES_MAX];
    size_t n_percentiles;
    struct wi_scenario words;         /* what phrases and quantities say */
    struct wi_scenario keys;          /* what key=value says; stronger */
    char key_values[16][Q_VALUE_MAX]; /* text of each key already given */
    double during_of_nand[2][2]; /* [nand][temp, rh] where each device has its own; NaN = none */

    bool strong, off, disk, vib, vib_implied, vib_none, heat_word, humid_word, cross, held[2];
    unsigned weak; /* bits of distinct hints at an SSD */
    bool when[Q_WHEN_AFTER_TIME + 1];
    char hdd[Q_QUOTE_MAX], disk_word[Q_QUOTE_MAX], still_word[Q_QUOTE_MAX];
    char implied_word[Q_QUOTE_MAX];
    const char *implied_note, *construction_note;
    char construction[Q_QUOTE_MAX];
    bool cut; /* a search gave up at its limit */

    struct wi_reading *out;
    /* rows at work, for the callbacks */
    const struct q_word_rule *word_rule;
    const struct q_unit_rule *unit_rule;
    const struct q_relation *relation;
    const struct q_when_rule *when_rule;
    char mark_kind;
};

/* The words of the question behind norm[start..end). */
void q_quote(const struct q_reader *r, size_t start, size_t end, char quote[Q_QUOTE_MAX]);
void q_quote_quantity(const struct q_reader *r, const struct q_quantity *q,
                      char quote[Q_QUOTE_MAX]);

/* A number as written ("10,000" "22,5" "1e3"); comma_decimal: a comma is never a thousands sign. */
double q_number(const char *text, size_t len, bool comma_decimal);

bool q_choices_add(struct q_choices *c, int value, size_t at);

/* Temperature and humidity, which have the same three steps. */
#define Q_N_STATES 2
struct q_state {
    char kind;        /* t or h */
    double reference; /* of the room */
    uint32_t bits[3]; /* before, during, after */
};
extern const struct q_state q_states[Q_N_STATES];
double *q_state_of(struct wi_scenario *s, char kind, size_t step);

/* Rounded to 1e-9: conversion leaves dust that no question means. */
double q_without_dust(double v);

enum wi_status q_settle_climate(struct q_reader *r, struct wi_err *err);

/* Overwrite what the words say by what is given more strongly, warning where they differ. */
enum wi_status q_win(struct q_reader *r, struct wi_scenario *words, const struct wi_scenario *given,
                     struct wi_err *err);

enum wi_status q_reader_keys(struct q_reader *r, struct wi_err *err);
enum wi_status q_reader_words(struct q_reader *r, struct wi_err *err);
enum wi_status q_reader_quantities(struct q_reader *r, struct wi_err *err);
enum wi_status q_reader_relations(struct q_reader *r, struct wi_err *err);
enum wi_status q_reader_settle(struct q_reader *r, const struct wi_scenario *base,
                               struct wi_err *err);

#endif
