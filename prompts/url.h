/*
 * The base URL of an endpoint, taken apart.
 */
#ifndef WI_PROMPTS_URL_H
#define WI_PROMPTS_URL_H

#include <stdbool.h>

#include "core/status.h"

#define WI_URL_MAX 2048
#define WI_HOST_MAX 256

struct wi_url {
    bool https;
    char host[WI_HOST_MAX]; /* lower case; IPv6 without brackets */
    int port;               /* 1..65535 */
    char path[WI_URL_MAX];  /* "" or "/v1", no '/' at the end */
    char text[WI_URL_MAX];  /* the whole, normalised */
};

/*
 * in:   text   "http://127.0.0.1:8080/v1"
 *       what   how messages name it, "base URL"
 * returns WI_OK; WI_ENET saying what is wrong and what is allowed. A refused URL is quoted without
 *         the credentials it may hold.
 */
enum wi_status wi_url_parse(const char *text, const char *what, struct wi_url *out,
                            struct wi_err *err);

/* localhost, 127.0.0.0/8 or ::1. */
bool wi_url_is_loopback(const struct wi_url *url);

bool wi_url_same_origin(const struct wi_url *a, const struct wi_url *b);

#endif
