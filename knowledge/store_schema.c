/*
 * The schema as a list of steps. user_version counts the steps that a file has seen; a new release
 * appends a step and never edits an old one.
 */
#include "knowledge/store_internal.h"

#include <stdio.h>

#include "knowledge/describe.h"

static const char step_measurements[] =
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE TABLE revision(one INTEGER PRIMARY KEY CHECK (one = 1), n INTEGER NOT NULL) STRICT;"
    "INSERT INTO revision VALUES(1, 1);"
    "CREATE TABLE sources("
    " id TEXT PRIMARY KEY, citation TEXT NOT NULL, url TEXT NOT NULL, access TEXT NOT NULL,"
    " embedded INTEGER NOT NULL DEFAULT 1) STRICT, WITHOUT ROWID;"
    "CREATE TABLE devices("
    " nand TEXT PRIMARY KEY, read_us_low REAL, read_us_high REAL, program_us_low REAL,"
    " program_us_high REAL, erase_us_low REAL, erase_us_high REAL, pe_cycles_low REAL,"
    " pe_cycles_high REAL, sources TEXT NOT NULL, note TEXT NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE TABLE experiments("
    " n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
    " source TEXT NOT NULL REFERENCES sources(id),"
    " vendor TEXT NOT NULL, device TEXT NOT NULL, interface TEXT NOT NULL,"
    " nand TEXT NOT NULL CHECK (nand IN ('unknown','slc','mlc','tlc','qlc')),"
    " capacity_gb REAL, pe_cycles REAL,"
    " phase TEXT NOT NULL CHECK (phase IN ('running','post','long_term')),"
    " failing INTEGER NOT NULL, control TEXT REFERENCES experiments(id) DEFERRABLE INITIALLY "
    "DEFERRED,"
    " states_assumed INTEGER NOT NULL,"
    " before_temp_c REAL, before_rh_pct REAL, before_vib_axis TEXT NOT NULL,"
    " before_vib_freq_hz REAL, before_vib_grms REAL,"
    " during_temp_c REAL, during_rh_pct REAL, during_vib_axis TEXT NOT NULL,"
    " during_vib_freq_hz REAL, during_vib_grms REAL,"
    " has_after INTEGER NOT NULL, after_temp_c REAL, after_rh_pct REAL, after_vib_axis TEXT NOT "
    "NULL,"
    " after_vib_freq_hz REAL, after_vib_grms REAL,"
    " during_h REAL, temp_low_c REAL, temp_high_c REAL, rh_low_pct REAL, rh_high_pct REAL,"
    " workload TEXT NOT NULL, note TEXT NOT NULL, embedded INTEGER NOT NULL) STRICT;"
    "CREATE INDEX experiments_source ON experiments(source);"
    "CREATE INDEX experiments_control ON experiments(control) WHERE control IS NOT NULL;"
    "CREATE TABLE observations("
    " n INTEGER PRIMARY KEY, exp INTEGER NOT NULL REFERENCES experiments(n) ON DELETE CASCADE,"
    " id TEXT NOT NULL,"
    " op TEXT NOT NULL CHECK (op IN ('mixed','read','write')),"
    " metric TEXT NOT NULL CHECK (metric IN ('tail_latency','bandwidth')),"
    " percentile REAL CHECK (percentile BETWEEN 1 AND 100), stat TEXT NOT NULL, kind TEXT NOT NULL,"
    " change_pct REAL, low_pct REAL, high_pct REAL, reading_error_pct REAL CHECK "
    "(reading_error_pct >= 0),"
    " confidence TEXT NOT NULL, base_value REAL, value REAL, n_samples REAL,"
    " locator TEXT NOT NULL, note TEXT NOT NULL, UNIQUE(exp, id)) STRICT;"
    "CREATE TABLE provenance("
    " exp INTEGER PRIMARY KEY REFERENCES experiments(n) ON DELETE CASCADE,"
    " file TEXT NOT NULL, sha256 TEXT NOT NULL, tool TEXT NOT NULL, imported_at TEXT NOT NULL,"
    " options TEXT NOT NULL) STRICT;"
    "CREATE INDEX provenance_sha256 ON provenance(sha256);";

static const char step_principles[] =
    "CREATE TABLE principles("
    " n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, title TEXT NOT NULL, statement TEXT NOT NULL,"
    " latency_effect TEXT NOT NULL, bandwidth_effect TEXT NOT NULL, equation TEXT NOT NULL,"
    " validity TEXT NOT NULL, stressors TEXT NOT NULL, nand TEXT NOT NULL,"
    " embedded INTEGER NOT NULL) STRICT;"
    "CREATE TABLE principle_sources("
    " principle INTEGER NOT NULL REFERENCES principles(n) ON DELETE CASCADE, pos INTEGER NOT NULL,"
    " source TEXT NOT NULL REFERENCES sources(id), confidence TEXT NOT NULL,"
    " PRIMARY KEY(principle, pos)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX principle_sources_source ON principle_sources(source);"
    "CREATE TABLE principle_links("
    " principle INTEGER NOT NULL REFERENCES principles(n) ON DELETE CASCADE, pos INTEGER NOT NULL,"
    " target TEXT NOT NULL, PRIMARY KEY(principle, pos)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE contradictions("
    " id TEXT PRIMARY KEY, title TEXT NOT NULL, side_a TEXT NOT NULL, side_b TEXT NOT NULL,"
    " handling TEXT NOT NULL, items TEXT NOT NULL) STRICT, WITHOUT ROWID;"
    /* The revision counts every change, by whichever process and also by hand. */
    "CREATE TRIGGER experiments_i AFTER INSERT ON experiments BEGIN UPDATE revision SET n = n + 1; "
    "END;"
    "CREATE TRIGGER experiments_u AFTER UPDATE ON experiments BEGIN UPDATE revision SET n = n + 1; "
    "END;"
    "CREATE TRIGGER experiments_d AFTER DELETE ON experiments BEGIN UPDATE revision SET n = n + 1; "
    "END;"
    "CREATE TRIGGER observations_i AFTER INSERT ON observations BEGIN UPDATE revision SET n = n + "
    "1; END;"
    "CREATE TRIGGER observations_u AFTER UPDATE ON observations BEGIN UPDATE revision SET n = n + "
    "1; END;"
    "CREATE TRIGGER observations_d AFTER DELETE ON observations BEGIN UPDATE revision SET n = n + "
    "1; END;"
    "CREATE TRIGGER principles_i AFTER INSERT ON principles BEGIN UPDATE revision SET n = n + 1; "
    "END;"
    "CREATE TRIGGER principles_u AFTER UPDATE ON principles BEGIN UPDATE revision SET n = n + 1; "
    "END;"
    "CREATE TRIGGER principles_d AFTER DELETE ON principles BEGIN UPDATE revision SET n = n + 1; "
    "END;";

static const char step_log[] =
    "CREATE TABLE replies("
    " n INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, logged_at TEXT NOT NULL,"
    " endpoint TEXT NOT NULL, model TEXT NOT NULL, request TEXT NOT NULL, response BLOB NOT NULL,"
    " http_status INTEGER NOT NULL, prompt_tokens INTEGER NOT NULL,"
    " completion_tokens INTEGER NOT NULL, wall_s REAL) STRICT;"
    "CREATE INDEX replies_key ON replies(key);"
    "CREATE TABLE endpoint_facts(endpoint TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,"
    " PRIMARY KEY(endpoint, name)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE cache(name TEXT PRIMARY KEY, revision INTEGER NOT NULL, bytes BLOB NOT NULL) "
    "STRICT;";

/*
 * Retrieval. `item` is one number for both kinds of item: 2 n for experiment n, 2 n + 1 for
 * principle n. The texts are searched by FTS5, which knows no foreign keys: the rows go with their
 * item by trigger.
 */
static const char step_retrieval[] =
    "CREATE VIRTUAL TABLE item_texts USING fts5(title, body, notes, terms, tokenize = 'porter "
    "unicode61');"
    "CREATE TABLE scenario_vectors(exp INTEGER PRIMARY KEY REFERENCES experiments(n)"
    " ON DELETE CASCADE, vec BLOB NOT NULL) STRICT;"
    "CREATE TABLE text_vectors(embedder TEXT NOT NULL, item INTEGER NOT NULL, vec BLOB NOT NULL,"
    " PRIMARY KEY(embedder, item)) STRICT;"
    "CREATE INDEX text_vectors_item ON text_vectors(item);"
    "CREATE TRIGGER experiments_gone AFTER DELETE ON experiments BEGIN"
    " DELETE FROM item_texts WHERE rowid = 2 * old.n;"
    " DELETE FROM text_vectors WHERE item = 2 * old.n; END;"
    "CREATE TRIGGER principles_gone AFTER DELETE ON principles BEGIN"
    " DELETE FROM item_texts WHERE rowid = 2 * old.n + 1;"
    " DELETE FROM text_vectors WHERE item = 2 * old.n + 1; END;";

/*
 * A table of texts for each kind of item: BM25 weighs a word by how rare it is in its table, and
 * thousands of imported experiments that repeat the same words must not make these words worth
 * nothing for the principles. A row's number is its item.
 */
static const char step_texts_by_kind[] =
    "CREATE VIRTUAL TABLE experiment_texts USING fts5(title, body, notes, terms,"
    " tokenize = 'porter unicode61');"
    "CREATE VIRTUAL TABLE principle_texts USING fts5(title, body, notes, terms,"
    " tokenize = 'porter unicode61');"
    "INSERT INTO experiment_texts(rowid, title, body, notes, terms)"
    " SELECT rowid, title, body, notes, terms FROM item_texts WHERE rowid & 1 = 0;"
    "INSERT INTO principle_texts(rowid, title, body, notes, terms)"
    " SELECT rowid, title, body, notes, terms FROM item_texts WHERE rowid & 1 = 1;"
    "DROP TRIGGER experiments_gone;"
    "DROP TRIGGER principles_gone;"
    "DROP TABLE item_texts;"
    "CREATE VIEW item_texts AS"
    " SELECT rowid AS item, title, body, notes, terms FROM experiment_texts UNION ALL"
    " SELECT rowid, title, body, notes, terms FROM principle_texts;"
    "CREATE TRIGGER experiments_gone AFTER DELETE ON experiments BEGIN"
    " DELETE FROM experiment_texts WHERE rowid = 2 * old.n;"
    " DELETE FROM text_vectors WHERE item = 2 * old.n; END;"
    "CREATE TRIGGER principles_gone AFTER DELETE ON principles BEGIN"
    " DELETE FROM principle_texts WHERE rowid = 2 * old.n + 1;"
    " DELETE FROM text_vectors WHERE item = 2 * old.n + 1; END;";

static const struct {
    const char *sql;
    enum wi_status (*fill)(struct wi_store *store, struct wi_err *err); /* NULL = nothing to do */
} steps[] = {
    {step_measurements, NULL},
    {step_principles, NULL},
    {step_log, NULL},
    {step_retrieval, NULL},
    {step_texts_by_kind, wi_store_index_all},
};

int wi_store_schema_version(void)
{
    return (int)(sizeof(steps) / sizeof(steps[0]));
}

enum wi_status wi_store_migrate(struct wi_store *store, int from, struct wi_err *err)
{
    char sql[96];
    enum wi_status st = WI_OK;

    for (int i = from; st == WI_OK && i < wi_store_schema_version(); i++) {
        st = wi_sql_run(store, err, steps[i].sql, "");
        if (st == WI_OK && steps[i].fill)
            st = steps[i].fill(store, err);
    }
    snprintf(sql, sizeof(sql), "PRAGMA application_id = %d; PRAGMA user_version = %d",
             WI_STORE_APPLICATION_ID, wi_store_schema_version());
    return st == WI_OK ? wi_sql_run(store, err, sql, "") : st;
}
