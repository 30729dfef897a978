#include "cli/llm_config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "cli/llm_options.h"
#include "core/json.h"

#define CONFIG_MAX (1u << 20) /* bytes of the config file */

/* The key of the environment, moved out of it at first use; wiped when the program ends. */
static char *env_key;

void cli_guard_secrets(void)
{
    const struct rlimit none = {0, 0};

    /* Neither can fail for a process that only gives something up. */
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_DUMPABLE, 0);
}

static void forget_key(void)
{
    if (env_key)
        explicit_bzero(env_key, strlen(env_key));
    free(env_key);
    env_key = NULL;
}

/* Out of the environment block, where /proc/PID/environ and every child would show it. */
static enum wi_status take_key(struct wi_err *err)
{
    char *value = getenv("OPENAI_API_KEY");

    if (!value || env_key)
        return WI_OK;
    env_key = strdup(value);
    if (!env_key)
        return wi_fail_nomem(err);
    atexit(forget_key);
    explicit_bzero(value, strlen(value));
    unsetenv("OPENAI_API_KEY");
    return WI_OK;
}

static bool config_path(char *path, size_t size)
{
    const char *dir = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");

    if (dir && *dir == '/')
        return snprintf(path, size, "%s/ssd-whatif/config.json", dir) < (int)size;
    if (home && *home == '/')
        return snprintf(path, size, "%s/.config/ssd-whatif/config.json", home) < (int)size;
    return false;
}

/* out: text  NULL if there is no such file */
static enum wi_status read_file(const char *path, char **text, size_t *n, struct stat *info,
                                struct wi_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    enum wi_status st = WI_OK;
    char *buf = NULL;
    ssize_t got;

    *n = 0;
    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR
                   ? WI_OK
                   : wi_fail(err, WI_EIO, "cannot open '%s': %s", path, strerror(errno));
    if (fstat(fd, info) != 0 || !S_ISREG(info->st_mode))
        st = wi_fail(err, WI_EIO, "'%s' is not a regular file", path);
    else if (info->st_size > CONFIG_MAX)
        st = wi_fail(err, WI_EDATA, "'%s' is larger than %u bytes", path, CONFIG_MAX);
    if (st == WI_OK && !(buf = malloc(CONFIG_MAX + 1)))
        st = wi_fail_nomem(err);
    while (st == WI_OK && *n < CONFIG_MAX && (got = read(fd, buf + *n, CONFIG_MAX - *n)) != 0) {
        if (got < 0)
            st = wi_fail(err, WI_EIO, "cannot read '%s': %s", path, strerror(errno));
        else
            *n += (size_t)got;
    }
    close(fd);
    if (st != WI_OK) {
        free(buf);
        return st;
    }
    *text = buf;
    return WI_OK;
}

static enum wi_status check_prices(const struct cJSON *prices, const char *path, struct wi_err *err)
{
    static const char *const known[] = {"prompt_per_million", "completion_per_million", NULL};
    const struct cJSON *item;

    if (prices && !cJSON_IsObject(prices))
        return wi_fail(err, WI_EDATA, "%s: 'prices' must be an object by model", path);
    cJSON_ArrayForEach(item, prices)
    {
        enum wi_status st = WI_OK;

        for (size_t i = 0; known[i] && st == WI_OK; i++) {
            double v;

            if (!wi_json_num(item, known[i], &v) || v < 0)
                st = wi_fail(err, WI_EDATA, "%s: prices.%.80s.%s must be a number >= 0", path,
                             item->string, known[i]);
        }
        if (st == WI_OK)
            st = wi_json_only(item, "prices", known, err);
        if (st != WI_OK)
            return st;
    }
    return WI_OK;
}

static enum wi_status check_config(const struct cJSON *json, const struct stat *info,
                                   const char *path, struct wi_err *err)
{
    static const char *const known[] = {"base_url", "api_key", "model", "prices", NULL};
    enum wi_status st;

    if (!cJSON_IsObject(json))
        return wi_fail(err, WI_EDATA, "%s: must be a JSON object", path);
    /* First: what stands in a file that others can read must not be used at all. */
    if (wi_json_get(json, "api_key") && (info->st_mode & 077))
        return wi_fail(err, WI_EIO,
                       "'%s' holds a key and others can read it (mode %03o); chmod 600 it, and "
                       "take the key for known",
                       path, (unsigned)info->st_mode & 0777u);
    if (wi_json_get(json, "api_key") && info->st_uid != geteuid())
        return wi_fail(err, WI_EIO, "'%s' holds a key and belongs to another user", path);
    st = wi_json_only(json, path, known, err);
    for (size_t i = 0; i < 3 && st == WI_OK; i++) {
        if (wi_json_get(json, known[i]) && !wi_json_str(json, known[i]))
            st = wi_fail(err, WI_EDATA, "%s: '%s' must be a text", path, known[i]);
    }
    return st == WI_OK ? check_prices(wi_json_get(json, "prices"), path, err) : st;
}

static enum wi_status load_file(struct cli_llm_config *c, struct wi_err *err)
{
    char path[4096];
    char *text = NULL;
    size_t n = 0;
    struct stat info;
    enum wi_status st = WI_OK;

    if (!config_path(path, sizeof(path)))
        return WI_OK;
    st = read_file(path, &text, &n, &info, err);
    if (st == WI_OK && text)
        st = wi_json_parse(text, n, path, &c->file, err);
    if (text)
        explicit_bzero(text, n);
    free(text);
    if (st == WI_OK && c->file)
        st = check_config(c->file, &info, path, err);
    return st;
}

static const char *env(const char *name)
{
    const char *v = getenv(name);

    return v && *v ? v : NULL;
}

static const char *setting(const char *variable, const struct cJSON *file, const char *member)
{
    const char *v = env(variable);

    return v ? v : wi_json_str(file, member);
}

enum wi_status cli_llm_config_load(struct cli_llm_config *c, struct wi_err *err)
{
    enum wi_status st;

    *c = (struct cli_llm_config){0};
    cli_guard_secrets();
    st = take_key(err);
    if (st == WI_OK)
        st = load_file(c, err);
    if (st != WI_OK)
        return st;
    c->base_url = setting("OPENAI_BASE_URL", c->file, "base_url");
    c->model = setting("SSD_WHATIF_MODEL", c->file, "model");
    /* An empty variable is a mistake that is told, not a reason to take the file's key. */
    c->api_key = env_key ? env_key : wi_json_str(c->file, "api_key");
    c->ca_file = env("CURL_CA_BUNDLE") ? env("CURL_CA_BUNDLE") : env("SSL_CERT_FILE");
    c->ca_dir = env("SSL_CERT_DIR");
    return WI_OK;
}

void cli_llm_config_release(struct cli_llm_config *c)
{
    const struct cJSON *key = c->file ? wi_json_get(c->file, "api_key") : NULL;

    if (cJSON_IsString(key))
        explicit_bzero(key->valuestring, strlen(key->valuestring));
    cJSON_Delete(c->file);
    *c = (struct cli_llm_config){0};
}

bool cli_llm_config_price(const struct cli_llm_config *c, const char *model, double *prompt,
                          double *completion)
{
    const struct cJSON *price = wi_json_get(wi_json_get(c->file, "prices"), model);

    return wi_json_num(price, "prompt_per_million", prompt) &&
           wi_json_num(price, "completion_per_million", completion);
}

bool cli_stderr_is_terminal(void)
{
    return isatty(STDERR_FILENO);
}
