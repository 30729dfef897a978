/* One question, one answer: cc one_prediction.c $(pkg-config --cflags --libs ssdwhatif) */
#include <stdio.h>
#include <stdlib.h>

#include <ssdwhatif.h>

int main(int argc, char **argv)
{
    const char *question = argc > 1 ? argv[1] : "p99.99 of a TLC SSD at 60 C";
    char *json = NULL;
    struct wi_err err;

    if (wi_ask_json(NULL, question, &json, &err) != WI_OK) {
        fprintf(stderr, "%s\n", err.msg);
        return 1;
    }
    puts(json);
    free(json);
    return 0;
}
