/*
 * An endpoint that misbehaves on purpose. libmicrohttpd serves what HTTP allows; a second port on
 * plain sockets does what a library would not. Both listen on loopback.
 *
 *   fault_server [DIR]    prints "PORT RAWPORT FULLPORT", serves until standard input ends
 *
 * The first segment of a path is the scenario, the second the name of the case, under which
 * requests are counted: http://127.0.0.1:PORT/SCENARIO/CASE/v1. GET /_count/CASE tells the number,
 * GET /_last/CASE the body of the last request. Scenario "say" answers with the text of DIR/CASE,
 * "send" with that as the whole body. Nobody can connect to FULLPORT: its queue is full.
 */
#include <arpa/inet.h>
#include <cjson/cJSON.h>
#include <errno.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#define CASES_MAX 4096
#define BODY_MAX (1u << 20)

static const char numbers[] =
    "\"tail_latency\":{\"99\":{\"change_pct\":-12,\"low_pct\":-20,\"high_pct\":-3},"
    "\"99.9\":{\"change_pct\":-6,\"low_pct\":-15,\"high_pct\":4}},"
    "\"bandwidth\":{\"change_pct\":40,\"low_pct\":10,\"high_pct\":66}";
static const char reasoning[] =
    "\"reasoning\":{\"device\":{\"text\":\"A TLC drive.\",\"cites\":[]},"
    "\"limits\":{\"text\":\"One study only.\",\"cites\":[\"E1\"]}}";

/* --- counting ----------------------------------------------------------------------------------
 */

struct counted {
    char name[96];
    unsigned n;
    char *last;
};
static struct counted cases[CASES_MAX];
static size_t n_cases;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct counted *find_case(const char *name)
{
    for (size_t i = 0; i < n_cases; i++) {
        if (strcmp(cases[i].name, name) == 0)
            return &cases[i];
    }
    if (n_cases == CASES_MAX)
        abort();
    snprintf(cases[n_cases].name, sizeof(cases[0].name), "%s", name);
    return &cases[n_cases++];
}

static unsigned count(const char *name, const char *body)
{
    unsigned n;

    pthread_mutex_lock(&lock);
    struct counted *c = find_case(name);
    n = ++c->n;
    free(c->last);
    c->last = strdup(body);
    pthread_mutex_unlock(&lock);
    return n;
}

/* --- texts -------------------------------------------------------------------------------------
 */

static char *format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static char *format(const char *fmt, ...)
{
    char *out = NULL;
    va_list ap;

    va_start(ap, fmt);
    if (vasprintf(&out, fmt, ap) < 0)
        abort();
    va_end(ap);
    return out;
}

/* A JSON string of a text. */
static char *quote(const char *text)
{
    char *out = malloc(6 * strlen(text) + 3), *p = out;

    *p++ = '"';
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            *p++ = '\\';
        if (*text == '\n') {
            *p++ = '\\';
            *p++ = 'n';
        } else {
            *p++ = *text;
        }
    }
    *p++ = '"';
    *p = '\0';
    return out;
}

/* A form with the text in place of its @, if it has one. */
static char *insert(const char *form, const char *text)
{
    const char *at = strchr(form, '@');

    return at ? format("%.*s%s%s", (int)(at - form), form, text, at + 1) : strdup(form);
}

/* A chat completion with this message and finish reason. */
static char *completion(const char *message, const char *finish)
{
    return format("{\"id\":\"x\",\"object\":\"chat.completion\",\"model\":\"fault\",\"choices\":[{"
                  "\"index\":0,\"message\":{\"role\":\"assistant\",%s},\"finish_reason\":\"%s\"}],"
                  "\"usage\":{\"prompt_tokens\":11,\"completion_tokens\":7}}",
                  message, finish);
}

static char *with_content(const char *content, const char *finish)
{
    char *text = quote(content);
    char *message = format("\"content\":%s", text);
    char *out = completion(message, finish);

    free(text);
    free(message);
    return out;
}

static char *good_object(void)
{
    return format("{%s,%s}", reasoning, numbers);
}

/* A form with @ for the good object. */
struct shaped {
    const char *scenario, *form;
};
static const struct shaped contents[] = {
    {"good", "@"},
    {"v1", "@"},
    {"fences", "```json\n@\n```"},
    {"prose", "Sure, here is the forecast:\n@\nAnything else?"},
    {"think", "<think>Let me see {maybe} {\"a\": 1}</think>\n@"},
    {"braces", "Use {curly} braces { like so } and then @"},
    {"several", "{\"draft\": true} {\"tail_latency\": 3} @"},
    {"wrapped", "{\"forecast\": @}"},
    {"prose_only", "I think it gets faster."},
    {"empty_content", ""},
    {"nan", "{\"tail_latency\":{\"99\":{\"change_pct\":NaN,\"low_pct\":0,\"high_pct\":1}}}"},
    {"impossible", "{\"tail_latency\":{\"99\":{\"change_pct\":-150,\"low_pct\":-160,"
                   "\"high_pct\":1}}}"},
    {"one_percentile", "{\"tail_latency\":{\"99\":{\"change_pct\":1,\"low_pct\":0,"
                       "\"high_pct\":2}},\"bandwidth\":{\"change_pct\":1,\"low_pct\":0,"
                       "\"high_pct\":2}}"},
    {"reversed", "{\"tail_latency\":{\"99\":{\"change_pct\":1,\"low_pct\":3,\"high_pct\":0},"
                 "\"99.9\":{\"change_pct\":1,\"low_pct\":0,\"high_pct\":2}},\"bandwidth\":"
                 "{\"change_pct\":1,\"low_pct\":0,\"high_pct\":2}}"},
    {"texts", "{\"tail_latency\":{\"p99\":{\"change_pct\":\"-12 %\",\"low_pct\":\"-20%\","
              "\"high_pct\":\"\xe2\x88\x92"
              "3\"},\"99.9\":{\"change_pct\":1,\"low_pct\":0,\"high_pct\":2}},\"bandwidth\":"
              "{\"change_pct\":1,\"low_pct\":0,\"high_pct\":2}}"},
    {"array", "{\"tail_latency\":[{\"percentile\":99,\"change_pct\":-1,\"low_pct\":-2,"
              "\"high_pct\":0},{\"percentile\":99.9,\"change_pct\":-1,\"low_pct\":-2,"
              "\"high_pct\":0}],\"bandwidth\":{\"change_pct\":1,\"low_pct\":0,\"high_pct\":2}}"},
    {"false_cite", "{\"reasoning\":{\"device\":{\"text\":\"As E77 shows.\",\"cites\":[\"E77\"]}},"
                   "\"tail_latency\":{\"99\":{\"change_pct\":1,\"low_pct\":0,\"high_pct\":2},"
                   "\"99.9\":{\"change_pct\":1,\"low_pct\":0,\"high_pct\":2}},\"bandwidth\":"
                   "{\"change_pct\":1,\"low_pct\":0,\"high_pct\":2}}"},
    {"escapes", "{\"reasoning\":{\"device\":{\"text\":\"\\u001b[31mred\\u0007\",\"cites\":[]}},"
                "\"tail_latency\":{\"99\":{\"change_pct\":1,\"low_pct\":0,\"high_pct\":2},"
                "\"99.9\":{\"change_pct\":1,\"low_pct\":0,\"high_pct\":2}},\"bandwidth\":"
                "{\"change_pct\":1,\"low_pct\":0,\"high_pct\":2}}"},
};

/* A whole message with @ for the good object as a JSON string. */
static const struct shaped messages[] = {
    {"reasoning_content", "\"content\":null,\"reasoning_content\":@"},
    {"reasoning", "\"content\":\"\",\"reasoning\":@"},
    {"parts", "\"content\":[{\"type\":\"text\",\"text\":@}]"},
    {"tool_call", "\"content\":null,\"tool_calls\":[{\"function\":{\"name\":\"f\","
                  "\"arguments\":@}}]"},
    {"refusal", "\"content\":null,\"refusal\":\"I cannot help with that.\",\"x\":@"},
};

/* Bodies that are no completion, all with status 200. */
static const struct shaped bodies[] = {
    {"html", "<!DOCTYPE html><html><body>Please log in to the proxy</body></html>"},
    {"empty_object", "{}"},
    {"empty_body", ""},
    {"not_json", "all systems go"},
    {"twice", "{\"choices\":[],\"choices\":[{\"message\":{\"content\":\"x\"}}]}"},
    {"no_choices", "{\"choices\":[]}"},
    {"error_200", "{\"error\":{\"message\":\"model is asleep\"}}"},
};

struct fixed {
    const char *scenario;
    unsigned status;
    const char *header, *value, *body;
    unsigned times; /* then the good reply; 0 = always */
};
static const struct fixed statuses[] = {
    {"s400", 400, NULL, NULL, "{\"error\":{\"message\":\"the request is malformed\"}}", 0},
    {"s401", 401, NULL, NULL, "{\"error\":{\"message\":\"bad key\"}}", 0},
    {"s402", 402, NULL, NULL, "{\"error\":{\"message\":\"no credit left\"}}", 0},
    {"s403", 403, NULL, NULL, "{\"error\":{\"message\":\"not your model\"}}", 0},
    {"s404", 404, NULL, NULL, "{\"error\":{\"message\":\"model 'm' does not exist\"}}", 0},
    {"s405", 405, NULL, NULL, "{\"error\":\"method\"}", 0},
    {"s413", 413, NULL, NULL, "{\"error\":{\"message\":\"too long\"}}", 0},
    {"s422", 422, NULL, NULL, "{\"detail\":\"field x is wrong\"}", 0},
    {"s418", 418, NULL, NULL, "short and stout", 0},
    {"string_error", 400, NULL, NULL, "{\"error\":\"only a text\"}", 0},
    {"control", 400, NULL, NULL, "{\"error\":{\"message\":\"red \\u001b[31m alert \\u0007\"}}", 0},
    {"context", 400, NULL, NULL,
     "{\"error\":{\"code\":400,\"message\":\"request (9030 tokens) exceeds the available context "
     "size (2048 tokens)\",\"type\":\"exceed_context_size_error\"}}",
     0},
    {"html_403", 403, "Content-Type", "text/html", "<html><h1>Blocked by policy</h1></html>", 0},
    {"s408_twice", 408, "Retry-After", "0", "{}", 2},
    {"s409_once", 409, "Retry-After", "0", "{}", 1},
    {"s429_once", 429, "Retry-After", "0", "{}", 1},
    {"s429_ms", 429, "retry-after-ms", "40", "{}", 1},
    {"s429_suffix", 429, "Retry-After", "40ms", "{}", 1},
    {"s429_fraction", 429, "Retry-After", "0.05", "{}", 1},
    {"s429_past", 429, "Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT", "{}", 1},
    {"s429_hour", 429, "Retry-After", "3600", "{\"error\":{\"message\":\"slow down\"}}", 0},
    {"s429_future", 429, "Retry-After", "Sun, 06 Nov 2094 08:49:37 GMT", "{}", 0},
    {"s429_nonsense", 429, "Retry-After", "soon", "{}", 1},
    {"s429_always", 429, "Retry-After", "0", "{\"error\":{\"message\":\"slow down\"}}", 0},
    {"s500_once", 500, NULL, NULL, "{}", 1},
    {"s502_html", 502, "Content-Type", "text/html", "<html>bad gateway</html>", 0},
    {"s503_always", 503, "Retry-After", "0", "{\"error\":{\"message\":\"overloaded\"}}", 0},
    {"s529_once", 529, "Retry-After", "0", "{}", 1},
};

/* Refused with 400 as long as the request holds this text. */
static const struct {
    const char *scenario, *text, *message;
} pickies[] = {
    {"no_schema", "\"json_schema\"", "response_format json_schema is not supported"},
    {"no_format", "\"response_format\"", "unknown field response_format"},
    {"strict_schema", "maxLength", "schema keyword maxLength is not permitted"},
    {"o_series", "\"max_tokens\"", "use max_completion_tokens instead of max_tokens"},
    {"no_temperature", "\"temperature\"", "temperature does not apply to this model"},
    {"no_seed", "\"seed\"", "seed is not supported"},
    {"no_stream_options", "\"stream_options\"", "stream_options is unknown"},
};

/* Streams; @ is the good object as a JSON string. */
static const struct shaped streams[] = {
    {"sse", "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":null}}]}\n\n"
            "data: {\"choices\":[{\"delta\":{\"content\":@},\"finish_reason\":\"stop\"}]}\n\n"
            "data: [DONE]\n\n"},
    {"sse_odd", ": keep-alive\n\n: keep-alive\n\nevent: message\ndata: {\"choices\":[]}\n\n"
                "data:{\"choices\":[{\"delta\":{\"content\":@}}]}\r\n\r\n"
                "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":6}}\n\n"
                "data: [DONE]\n\n"},
    {"sse_open", "data: {\"choices\":[{\"delta\":{\"content\":@},\"finish_reason\":\"stop\"}]}"},
    {"sse_error", "data: {\"choices\":[{\"delta\":{\"content\":\"{\"}}]}\n\n"
                  "data: {\"error\":{\"message\":\"the model fell over\"},\"x\":@}\n\n"},
    {"sse_cut", "data: {\"choices\":[{\"delta\":{\"content\":@}}]}\n\ndata: {\"choi"},
    {"sse_nothing", ": nothing to say\n\n"},
};

#define N(table) (sizeof(table) / sizeof((table)[0]))

/* --- answers -----------------------------------------------------------------------------------
 */

struct answer {
    unsigned status;
    char *body;
    size_t n_body;
    char header[64], value[256];
};

static void fill(struct answer *a, char *body)
{
    a->status = 200;
    a->body = body;
    a->n_body = strlen(body);
}

static void set_header(struct answer *a, const char *name, const char *value)
{
    snprintf(a->header, sizeof(a->header), "%s", name);
    snprintf(a->value, sizeof(a->value), "%s", value);
}

static void good(struct answer *a)
{
    char *object = good_object();

    fill(a, with_content(object, "stop"));
    free(object);
}

static bool from_tables(const char *scenario, unsigned nth, const char *request, struct answer *a)
{
    char *object = good_object(), *text = quote(object);
    bool found = false;

    for (size_t i = 0; i < N(contents) && !found; i++) {
        if ((found = strcmp(contents[i].scenario, scenario) == 0)) {
            char *content = insert(contents[i].form, object);

            fill(a, with_content(content, "stop"));
            free(content);
        }
    }
    for (size_t i = 0; i < N(messages) && !found; i++) {
        if ((found = strcmp(messages[i].scenario, scenario) == 0)) {
            char *message = insert(messages[i].form, text);

            fill(a, completion(message, "stop"));
            free(message);
        }
    }
    for (size_t i = 0; i < N(streams) && !found; i++) {
        if ((found = strcmp(streams[i].scenario, scenario) == 0)) {
            char *body = insert(streams[i].form, text);

            fill(a, body);
            set_header(a, "Content-Type", "text/event-stream");
        }
    }
    for (size_t i = 0; i < N(bodies) && !found; i++) {
        if ((found = strcmp(bodies[i].scenario, scenario) == 0))
            fill(a, strdup(bodies[i].form));
    }
    for (size_t i = 0; i < N(statuses) && !found; i++) {
        const struct fixed *f = &statuses[i];

        if ((found = strcmp(f->scenario, scenario) == 0)) {
            if (f->times && nth > f->times) {
                good(a);
            } else {
                fill(a, strdup(f->body));
                a->status = f->status;
                if (f->header)
                    set_header(a, f->header, f->value);
            }
        }
    }
    for (size_t i = 0; i < N(pickies) && !found; i++) {
        if ((found = strcmp(pickies[i].scenario, scenario) == 0)) {
            if (strstr(request, pickies[i].text)) {
                fill(a, format("{\"error\":{\"message\":\"%s\"}}", pickies[i].message));
                a->status = 400;
            } else {
                good(a);
            }
        }
    }
    free(object);
    free(text);
    return found;
}

static char *repeat(const char *before, char c, size_t n, const char *after)
{
    size_t b = strlen(before), e = strlen(after);
    char *out = malloc(b + n + e + 1);

    memcpy(out, before, b);
    memset(out + b, c, n);
    memcpy(out + b + n, after, e + 1);
    return out;
}

/* n bytes of blanks around a small object, packed. */
static void gzip(struct answer *a, const char *text, size_t n)
{
    z_stream z = {0};
    size_t size = compressBound((uLong)n) + 64;

    a->status = 200;
    a->body = malloc(size);
    deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY);
    z.next_in = (Bytef *)(uintptr_t)text;
    z.avail_in = (uInt)n;
    z.next_out = (Bytef *)a->body;
    z.avail_out = (uInt)size;
    deflate(&z, Z_FINISH);
    a->n_body = z.total_out;
    deflateEnd(&z);
    set_header(a, "Content-Encoding", "gzip");
}

/* --- a reply for what was asked ----------------------------------------------------------------
 */

/*
 * A forecast at the percentiles that the prompt asks for, the numbers from their rank and its
 * length, with one step that cites E1 where a reasoning is asked for.
 */
static void as_asked(struct answer *a, const char *request)
{
    const char *at = strstr(request, "at percentiles ");
    const char *end = at ? strstr(at, " and of bandwidth") : NULL;
    double shift = (double)(strlen(request) % 97) / 10;
    char *object = strdup(""), *whole;

    for (at = at ? at + 15 : NULL; at && at < end;
         at = strchr(at, ',') ? strchr(at, ',') + 2 : end) {
        double p = strtod(at, NULL), change = p / 10 - shift;
        char *longer = format("%s%s\"%.10g\":{\"change_pct\":%.3f,\"low_pct\":%.3f,"
                              "\"high_pct\":%.3f}",
                              object, *object ? "," : "", p, change, change - 9, change + 7);

        free(object);
        object = longer;
    }
    whole = format("{%s\"tail_latency\":{%s},\"bandwidth\":{\"change_pct\":%.3f,\"low_pct\":-20,"
                   "\"high_pct\":30}}",
                   strstr(request, "Reason step by step")
                       ? "\"reasoning\":{\"limits\":{\"text\":\"One study only.\",\"cites\":"
                         "[\"E1\"]}},"
                       : "",
                   object, shift);
    fill(a, with_content(whole, "stop"));
    free(object);
    free(whole);
}

/* The texts of the tests themselves. */
static const char *say_dir = ".";

static char *read_text(const char *name)
{
    char *path = format("%s/%s", say_dir, name), *text = calloc(1, BODY_MAX + 1);
    FILE *in = fopen(path, "rb");

    if (in) {
        text[fread(text, 1, BODY_MAX, in)] = '\0';
        fclose(in);
    }
    free(path);
    return text;
}

static void say(struct answer *a, const char *name, bool whole)
{
    char *text = read_text(name);

    if (whole) {
        fill(a, text);
    } else {
        cJSON *string = cJSON_CreateString(text);
        char *quoted = cJSON_PrintUnformatted(string);
        char *message = format("\"content\":%s", quoted);

        fill(a, completion(message, "stop"));
        free(message);
        free(quoted);
        cJSON_Delete(string);
        free(text);
    }
}

/* --- embeddings --------------------------------------------------------------------------------
 */

/* Letters counted: texts that share words come near each other. */
static void count_letters(const char *text, size_t dim, double *v)
{
    memset(v, 0, dim * sizeof(*v));
    for (; *text; text++)
        v[(unsigned char)*text % dim] += 1;
}

enum { DIM_MAX = 64 };

/* One number of a vector, or what a bad server sends instead. */
static char *component(const char *scenario, bool first, double v)
{
    if (first && strcmp(scenario, "embed_nan") == 0)
        return strdup("NaN");
    if (first && strcmp(scenario, "embed_huge") == 0)
        return strdup("1e999");
    if (first && strcmp(scenario, "embed_word") == 0)
        return strdup("\"0.5\"");
    return format("%.6g", v);
}

static void embed_one(const char *scenario, FILE *out, size_t i, size_t n, const char *text)
{
    size_t dim = strcmp(scenario, "embed12") == 0 ? 12 : 8;
    bool last = i + 1 == n;
    double v[DIM_MAX];

    if (last && n > 1 && strcmp(scenario, "embed_short") == 0)
        dim--;
    if (strcmp(scenario, "embed_empty") == 0)
        dim = 0;
    count_letters(text, dim ? dim : 1, v);
    fprintf(out, "{\"object\":\"embedding\",\"index\":%zu,\"embedding\":[",
            strcmp(scenario, "embed_twice") == 0 ? 0 : i);
    for (size_t k = 0; k < dim; k++) {
        char *number = component(scenario, last && k == 0, v[k]);

        fprintf(out, "%s%s", k ? "," : "", number);
        free(number);
    }
    fputs("]}", out);
}

/*
 * The vectors of a request, last text first: servers need not keep the order. "embed_few" leaves
 * one out, "embed_many" sends one twice; "embed_stops" refuses and "embed_hangs" is silent at the
 * fourth request.
 */
static void embed(const char *scenario, unsigned nth, const char *request, struct answer *a)
{
    cJSON *json = cJSON_Parse(request);
    const cJSON *input = cJSON_GetObjectItemCaseSensitive(json, "input");
    size_t n = (size_t)cJSON_GetArraySize(input), size = 0;
    bool few = strcmp(scenario, "embed_few") == 0, many = strcmp(scenario, "embed_many") == 0;
    char *body = NULL;
    FILE *out;

    if (nth == 4 && strcmp(scenario, "embed_hangs") == 0)
        sleep(20);
    if (nth >= 4 && strcmp(scenario, "embed_stops") == 0) {
        fill(a, strdup("{\"error\":{\"message\":\"no more today\"}}"));
        a->status = 403;
        cJSON_Delete(json);
        return;
    }
    out = open_memstream(&body, &size);
    fputs("{\"object\":\"list\",\"data\":[", out);
    for (size_t k = few ? 1 : 0; k < n; k++) {
        size_t i = n - 1 - k;

        embed_one(scenario, out, i, n, cJSON_GetArrayItem(input, (int)i)->valuestring);
        if (many && k == 0) {
            fputs(",", out);
            embed_one(scenario, out, n, n, "more");
        }
        fputs(k + 1 < n ? "," : "", out);
    }
    fprintf(out, "],\"model\":\"e\",\"usage\":{\"prompt_tokens\":%zu,\"total_tokens\":%zu}}", 3 * n,
            3 * n);
    fclose(out);
    fill(a, body);
    cJSON_Delete(json);
}

static bool special(const char *scenario, const char *name, unsigned nth, const char *request,
                    const char *url, const char *key, struct answer *a)
{
    if (strncmp(scenario, "embed", 5) == 0) {
        embed(scenario, nth, request, a);
        return true;
    }
    if (strcmp(scenario, "say") == 0 || strcmp(scenario, "send") == 0) {
        say(a, name, strcmp(scenario, "send") == 0);
        return true;
    }
    if (strcmp(scenario, "asked_4") == 0 && nth == 5) { /* four replies, one refusal, then well */
        fill(a, strdup("{\"error\":{\"message\":\"no more today\"}}"));
        a->status = 403;
        return true;
    }
    if (strncmp(scenario, "asked", 5) == 0) {
        as_asked(a, request);
        return true;
    }
    if (strcmp(scenario, "big") == 0) {
        fill(a, repeat("{\"choices\":[{\"message\":{\"content\":\"", 'x', 10u << 20, "\"}}]}"));
    } else if (strcmp(scenario, "deep") == 0) {
        fill(a, repeat("{\"choices\":", '[', 5000, ""));
    } else if (strcmp(scenario, "bomb") == 0) {
        char *text = repeat("", ' ', 100u << 20, "{}");

        gzip(a, text, strlen(text));
        free(text);
    } else if (strcmp(scenario, "gzip") == 0) {
        struct answer plain = {0};

        good(&plain);
        gzip(a, plain.body, plain.n_body);
        free(plain.body);
    } else if (strcmp(scenario, "cut_once") == 0 && nth > 1) {
        good(a);
    } else if (strcmp(scenario, "cut_once") == 0 || strcmp(scenario, "cut_always") == 0) {
        fill(a, with_content("{\"reasoning\": {\"device\": {\"te", "length"));
    } else if (strcmp(scenario, "cut_stop") == 0) { /* at its limit of 7 tokens, and says "stop" */
        if (nth > 1)
            good(a);
        else
            fill(a, with_content("{\"reasoning\": {\"device\": {\"te", "stop"));
    } else if (strcmp(scenario, "echo_key") == 0) {
        fill(a, format("{\"error\":{\"message\":\"wrong key: %s\"}}", key));
        a->status = 401;
    } else if (strcmp(scenario, "needs_key") == 0) {
        good(a);
        if (strcmp(key, "Bearer secret-key-of-the-test") != 0) {
            free(a->body);
            fill(a, strdup("{\"error\":{\"message\":\"who are you\"}}"));
            a->status = 401;
        }
    } else if (strcmp(scenario, "redirect_same") == 0 && nth > 1) {
        good(a);
    } else if (strncmp(scenario, "redirect_", 9) == 0) {
        fill(a, strdup(""));
        a->status = strcmp(scenario, "redirect_302") == 0 ? 302 : 307;
        set_header(a, "Location",
                   strcmp(scenario, "redirect_other") == 0
                       ? "http://127.0.0.2:9/v1/chat/completions"
                       : url);
    } else if (strcmp(scenario, "ignores_stream") == 0) {
        good(a);
    } else if (strcmp(scenario, "slow") == 0) {
        usleep(3000);
        good(a);
    } else if (strcmp(scenario, "repairable") == 0) {
        /* Wrong until it is told what is wrong. */
        if (strstr(request, "does not pass these checks"))
            good(a);
        else
            from_tables("false_cite", nth, request, a);
    } else {
        return false;
    }
    return true;
}

static void answer(const char *scenario, const char *name, unsigned nth, const char *request,
                   const char *url, const char *key, struct answer *a)
{
    if (special(scenario, name, nth, request, url, key, a) ||
        from_tables(scenario, nth, request, a))
        return;
    fill(a, format("{\"error\":{\"message\":\"the fault server has no scenario %s\"}}", scenario));
    a->status = 404;
}

/* --- the port of libmicrohttpd -----------------------------------------------------------------
 */

struct upload {
    char *text;
    size_t n;
};

static void split(const char *url, char *scenario, char *name)
{
    const char *slash = strchr(url + 1, '/');
    size_t n = slash ? (size_t)(slash - url - 1) : strlen(url + 1);

    snprintf(scenario, 96, "%.*s", (int)n, url + 1);
    url = slash ? slash + 1 : "";
    snprintf(name, 96, "%.*s", (int)strcspn(url, "/"), url);
}

static enum MHD_Result send_answer(struct MHD_Connection *c, struct answer *a)
{
    struct MHD_Response *r =
        MHD_create_response_from_buffer(a->n_body, a->body, MHD_RESPMEM_MUST_FREE);
    enum MHD_Result ok;

    if (*a->header)
        MHD_add_response_header(r, a->header, a->value);
    ok = MHD_queue_response(c, a->status, r);
    MHD_destroy_response(r);
    return ok;
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *c, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *n_data, void **ctx)
{
    struct upload *up = *ctx;
    struct answer a = {0};
    char scenario[96], name[96];
    const char *key;

    (void)cls;
    (void)method;
    (void)version;
    if (!up) {
        *ctx = calloc(1, sizeof(struct upload));
        return MHD_YES;
    }
    if (*n_data) {
        if (up->n + *n_data > BODY_MAX)
            return MHD_NO;
        up->text = realloc(up->text, up->n + *n_data + 1);
        memcpy(up->text + up->n, data, *n_data);
        up->n += *n_data;
        up->text[up->n] = '\0';
        *n_data = 0;
        return MHD_YES;
    }
    split(url, scenario, name);
    key = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Authorization");
    if (scenario[0] == '_') {
        pthread_mutex_lock(&lock);
        struct counted *found = find_case(name);
        fill(&a, strcmp(scenario, "_count") == 0 ? format("%u\n", found->n)
                                                 : strdup(found->last ? found->last : ""));
        pthread_mutex_unlock(&lock);
    } else {
        unsigned nth = count(name, up->text ? up->text : "");

        answer(scenario, name, nth, up->text ? up->text : "", url, key ? key : "", &a);
    }
    return send_answer(c, &a);
}

static void on_done(void *cls, struct MHD_Connection *c, void **ctx,
                    enum MHD_RequestTerminationCode why)
{
    struct upload *up = *ctx;

    (void)cls;
    (void)c;
    (void)why;
    if (up)
        free(up->text);
    free(up);
    *ctx = NULL;
}

/* --- the port of plain sockets -----------------------------------------------------------------
 */

/* Reads headers and body, so that closing does not reset the connection. */
static bool read_request(int fd, char *url, size_t size)
{
    static _Thread_local char buf[65536];
    size_t n = 0, body = 0;
    char *end = NULL;
    ssize_t got;

    while (n < sizeof(buf) - 1 && (got = read(fd, buf + n, sizeof(buf) - 1 - n)) > 0) {
        n += (size_t)got;
        buf[n] = '\0';
        end = strstr(buf, "\r\n\r\n");
        if (!end)
            continue;
        char *length = strcasestr(buf, "content-length:");
        body = length ? strtoul(length + 15, NULL, 10) : 0;
        if (n >= (size_t)(end - buf) + 4 + body)
            break;
    }
    if (!end)
        return false;
    char *path = strchr(buf, ' ');
    snprintf(url, size, "%.*s", (int)strcspn(path + 1, " "), path + 1);
    return true;
}

static void put(int fd, const char *text)
{
    size_t n = strlen(text);

    while (n > 0) {
        ssize_t k = send(fd, text, n, MSG_NOSIGNAL);

        if (k <= 0)
            return;
        text += k;
        n -= (size_t)k;
    }
}

static void put_good(int fd)
{
    struct answer a = {0};
    char *head;

    good(&a);
    head = format("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n"
                  "Connection: close\r\n\r\n",
                  a.n_body);
    put(fd, head);
    put(fd, a.body);
    free(head);
    free(a.body);
}

static const struct {
    const char *scenario, *text;
} raws[] = {
    {"close_at_once", ""},
    {"close_once", ""},
    {"close_in_headers", "HTTP/1.1 200 OK\r\nContent-Ty"},
    {"close_in_body", "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"choices\":[{"},
    {"short_length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{\"choices\":[]}"},
    {"garbage", "\x16\x03\x01 this is no HTTP\r\n\r\n"},
    {"bad_chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n"},
    {"half_chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n50\r\n{\"choices\""},
    {"two_lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 4\r\n\r\n{}{}"},
    {"bad_gzip", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 6\r\n\r\nnot gz"},
    {"negative_length", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}"},
};

static void *serve_raw(void *ctx)
{
    int fd = (int)(intptr_t)ctx;
    char url[1024], scenario[96], name[96];
    unsigned nth;

    if (!read_request(fd, url, sizeof(url)))
        goto done;
    split(url, scenario, name);
    nth = count(name, "");
    if (strcmp(scenario, "silent") == 0) {
        sleep(20);
    } else if (strcmp(scenario, "drip") == 0) {
        put(fd, "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n");
        for (int i = 0; i < 20; i++) {
            put(fd, "x");
            sleep(1);
        }
    } else if (strcmp(scenario, "slow_head") == 0) {
        for (int i = 0; i < 20; i++) {
            put(fd, i ? "X-Wait: 1\r\n" : "HTTP/1.1 200 OK\r\n");
            sleep(1);
        }
    } else if (strcmp(scenario, "many_headers") == 0) {
        put(fd, "HTTP/1.1 200 OK\r\n");
        for (int i = 0; i < 40000; i++)
            put(fd, "X-Filler: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n");
    } else if (strcmp(scenario, "close_once") == 0 && nth > 1) {
        put_good(fd);
    }
    for (size_t i = 0; i < N(raws); i++) {
        if (strcmp(raws[i].scenario, scenario) == 0 &&
            !(strcmp(scenario, "close_once") == 0 && nth > 1))
            put(fd, raws[i].text);
    }
done:
    close(fd);
    return NULL;
}

static int listen_on_loopback(uint16_t *port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0 || listen(fd, 64) != 0 ||
        getsockname(fd, (struct sockaddr *)&at, &n) != 0)
        return -1;
    *port = ntohs(at.sin_port);
    return fd;
}

/* A port whose queue of connections is full: the system lets further ones wait for ever. */
static int listen_full(uint16_t *port)
{
    int fd = listen_on_loopback(port);
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(*port)};

    if (fd < 0 || listen(fd, 0) != 0)
        return -1;
    for (int i = 0; i < 4; i++) {
        int c = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

        if (c < 0)
            return -1;
        if (connect(c, (struct sockaddr *)&at, sizeof(at)) != 0 && errno != EINPROGRESS)
            return -1;
    }
    return fd;
}

static void *accept_raw(void *ctx)
{
    int server = (int)(intptr_t)ctx, fd;

    while ((fd = accept(server, NULL, NULL)) >= 0) {
        pthread_t t;

        if (pthread_create(&t, NULL, serve_raw, (void *)(intptr_t)fd) == 0)
            pthread_detach(t);
        else
            close(fd);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    uint16_t port = 0, raw_port = 0, full_port = 0;
    int http = listen_on_loopback(&port), raw = listen_on_loopback(&raw_port);
    struct MHD_Daemon *daemon;
    pthread_t t;
    char c;

    if (argc > 1)
        say_dir = argv[1];
    if (http < 0 || raw < 0 || listen_full(&full_port) < 0)
        return 1;
    daemon = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION, 0,
                              NULL, NULL, on_request, NULL, MHD_OPTION_LISTEN_SOCKET, http,
                              MHD_OPTION_NOTIFY_COMPLETED, on_done, NULL, MHD_OPTION_END);
    if (!daemon || pthread_create(&t, NULL, accept_raw, (void *)(intptr_t)raw) != 0)
        return 1;
    printf("%d %d %d\n", port, raw_port, full_port);
    fflush(stdout);
    while (read(STDIN_FILENO, &c, 1) > 0)
        ;
    _exit(0);
}
