#include "core/embedded.h"

#include <stdlib.h>
#include <string.h>

static int compare_path(const void *key, const void *item)
{
    return strcmp(key, ((const struct wi_embedded_file *)item)->path);
}

const struct wi_embedded_file *wi_embedded_find(const char *path)
{
    return bsearch(path, wi_embedded_files, wi_n_embedded_files, sizeof(wi_embedded_files[0]),
                   compare_path);
}
