/* SPDX-License-Identifier: BSD-3-Clause */
/* Libraries out of folders and manifests. */
#include <trench/csr.h>

#include <dirent.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define MANIFEST  "manifest.json"
#define MAX_FILES 4096 /* a mistake, or the wrong folder */

/* One schema file, loaded or refused. */
struct file {
    char *name;                     /* in the folder */
    struct trench_csr_block *block; /* NULL = refused */
};

/* lib is first for the cast back. */
struct owned {
    struct trench_csr_lib lib;
    struct trench_csr_set *sets; /* what lib.sets points to */
    size_t nr_sets;
    struct file *files;
    size_t nr_files;
};

struct builder {
    struct owned *owned;
    char *dir; /* with the slash, or "" */
    trench_csr_finding_fn fn;
    void *opaque;
    int nr_refused;
};

static void report(const struct builder *b, const char *file,
                   const struct trench_csr_error *err)
{
    const struct trench_csr_finding finding = { .file = file,
                                                .severity = TRENCH_CSR_ERROR,
                                                .err = *err };

    if (b->fn) {
        b->fn(b->opaque, &finding);
    }
}

__attribute__((format(printf, 3, 4))) static void complain(
    const struct builder *b, const char *file, const char *format, ...)
{
    struct trench_csr_error err = { 0 };
    va_list args;

    va_start(args, format);
    vsnprintf(err.reason, sizeof(err.reason), format, args);
    va_end(args);
    for (char *p = err.reason; *p; p++) {
        if (*p < 0x20 || *p > 0x7e) {
            *p = '?';
        }
    }
    report(b, file, &err);
}

/* The file of that name, loaded now or before; NULL: out of memory. */
static struct file *load_file(struct builder *b, const char *name)
{
    struct owned *owned = b->owned;
    struct trench_csr_error err;
    struct file *file;
    char *path;
    int rc;

    for (size_t i = 0; i < owned->nr_files; i++) {
        if (strcmp(owned->files[i].name, name) == 0) {
            return &owned->files[i];
        }
    }
    file = realloc(owned->files, (owned->nr_files + 1) * sizeof(*file));
    if (!file) {
        return NULL;
    }
    owned->files = file;
    file += owned->nr_files;
    file->block = NULL;
    file->name = strdup(name);
    if (!file->name) {
        return NULL;
    }
    owned->nr_files++;
    if (asprintf(&path, "%s%s", b->dir, name) < 0) {
        return NULL;
    }
    rc = trench_csr_load(path, &file->block, &err);
    if (rc) {
        report(b, path, &err);
        b->nr_refused++;
    }
    free(path);
    return rc == TRENCH_ERR_NOMEM ? NULL : file;
}

/* The array of a set is as long as it may become. */
static struct trench_csr_set *add_set(struct builder *b, const char *name,
                                      size_t max_blocks)
{
    struct owned *owned = b->owned;
    struct trench_csr_set *set;

    set = realloc(owned->sets, (owned->nr_sets + 1) * sizeof(*set));
    if (!set) {
        return NULL;
    }
    owned->sets = set;
    set += owned->nr_sets;
    set->nr_blocks = 0;
    set->name = strdup(name);
    set->blocks = calloc(max_blocks + 1, sizeof(*set->blocks));
    owned->nr_sets++; /* from here on it is freed with the others */
    return set->name && set->blocks ? set : NULL;
}

static void add_block(struct trench_csr_set *set,
                      const struct trench_csr_block *block)
{
    const struct trench_csr_block **blocks =
        (const struct trench_csr_block **)set->blocks;

    blocks[set->nr_blocks++] = block;
}

/* A row of the manifest. */
static int add_row(struct builder *b, struct trench_csr_set *set,
                   const char *name, const json_t *val)
{
    const char *file_name = json_string_value(val);
    const struct file *file;

    if (!file_name || file_name[0] == '\0' || strchr(file_name, '/')) {
        complain(b, MANIFEST, "%.40s.%.40s is not the name of a file beside it",
                 set->name, name);
        return TRENCH_ERR_BADMSG;
    }
    file = load_file(b, file_name);
    if (!file) {
        return TRENCH_ERR_NOMEM;
    }
    if (!file->block) {
        return 0;
    }
    if (strcmp(file->block->name, name) != 0) {
        complain(b, file_name, "UnitName is %.40s, the manifest says %.40s",
                 file->block->name, name);
        b->nr_refused++;
        return 0;
    }
    add_block(set, file->block);
    return 0;
}

static int add_generation(struct builder *b, const char *name, json_t *rows)
{
    struct trench_csr_set *set;
    int rc = 0;

    if (json_object_size(rows) == 0) {
        complain(b, MANIFEST, "generation %.40s lists no blocks", name);
        return TRENCH_ERR_BADMSG;
    }
    set = add_set(b, name, json_object_size(rows));
    if (!set) {
        return TRENCH_ERR_NOMEM;
    }
    for (void *i = json_object_iter(rows); i && !rc;
         i = json_object_iter_next(rows, i)) {
        rc =
            add_row(b, set, json_object_iter_key(i), json_object_iter_value(i));
    }
    return rc;
}

static int load_manifest(struct builder *b, const char *path)
{
    struct trench_csr_error err = { 0 };
    json_error_t json_err;
    json_t *root, *gens;
    int rc = 0;

    root = json_load_file(path, JSON_REJECT_DUPLICATES, &json_err);
    if (!root) {
        err.line = json_err.line > 0 ? json_err.line : 0;
        snprintf(err.reason, sizeof(err.reason), "not JSON: %.140s",
                 json_err.text);
        report(b, path, &err);
        return TRENCH_ERR_BADMSG;
    }
    gens = json_object_get(root, "generations");
    if (json_object_size(gens) == 0) {
        complain(b, path, "generations is missing or empty");
        rc = TRENCH_ERR_BADMSG;
    }
    for (void *i = json_object_iter(gens); i && !rc;
         i = json_object_iter_next(gens, i)) {
        rc = add_generation(b, json_object_iter_key(i),
                            json_object_iter_value(i));
    }
    json_decref(root);
    return rc;
}

static int is_schema(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);

    if (entry->d_type != DT_REG && entry->d_type != DT_LNK &&
        entry->d_type != DT_UNKNOWN) {
        return 0; /* opening a pipe would wait for a writer */
    }
    return len > 5 && entry->d_name[0] != '.' &&
           strcmp(entry->d_name + len - 5, ".json") == 0;
}

/* Two files of one folder may describe the same block; the first counts. */
static int add_listed(struct builder *b, struct trench_csr_set *set,
                      const char *name)
{
    const struct file *file = load_file(b, name);

    if (!file) {
        return TRENCH_ERR_NOMEM;
    }
    if (!file->block) {
        return 0;
    }
    if (trench_csr_set_block(set, file->block->name)) {
        complain(b, name, "%.60s is described by a file before it",
                 file->block->name);
        b->nr_refused++;
        return 0;
    }
    add_block(set, file->block);
    return 0;
}

static int load_folder(struct builder *b)
{
    struct dirent **entries = NULL;
    struct trench_csr_set *set;
    int rc = 0;
    int nr;

    nr = scandir(b->dir, &entries, is_schema, alphasort);
    if (nr < 0) {
        return TRENCH_ERR_NOENT;
    }
    set = add_set(b, "", (size_t)nr);
    if (!set) {
        rc = TRENCH_ERR_NOMEM;
    } else if (nr == 0) {
        rc = TRENCH_ERR_NOENT;
    } else if (nr > MAX_FILES) {
        complain(b, b->dir, "more than %d files", MAX_FILES);
        rc = TRENCH_ERR_BADMSG;
    }
    for (int i = 0; i < nr; i++) {
        rc = rc ? rc : add_listed(b, set, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return rc;
}

/* Where files are, and where the manifest is; *manifest NULL = there is none.
 */
static int look_around(const char *path, char **dir, char **manifest)
{
    const char *slash = strrchr(path, '/');
    struct stat st;

    if (stat(path, &st) != 0) {
        return TRENCH_ERR_NOENT;
    }
    *manifest = NULL;
    if (!S_ISDIR(st.st_mode)) {
        *dir = strndup(path, slash ? (size_t)(slash + 1 - path) : 0);
        *manifest = strdup(path);
        return *dir && *manifest ? 0 : TRENCH_ERR_NOMEM;
    }
    if (asprintf(dir, "%s/", path) < 0) {
        *dir = NULL;
        return TRENCH_ERR_NOMEM;
    }
    if (asprintf(manifest, "%s" MANIFEST, *dir) < 0) {
        *manifest = NULL;
        return TRENCH_ERR_NOMEM;
    }
    if (stat(*manifest, &st) != 0) {
        free(*manifest);
        *manifest = NULL;
    }
    return 0;
}

static void free_owned(struct owned *owned)
{
    for (size_t i = 0; i < owned->nr_sets; i++) {
        free((void *)(uintptr_t)owned->sets[i].name);
        free((void *)(uintptr_t)owned->sets[i].blocks);
    }
    for (size_t i = 0; i < owned->nr_files; i++) {
        free(owned->files[i].name);
        trench_csr_free(owned->files[i].block);
    }
    free(owned->sets);
    free(owned->files);
    free(owned);
}

int trench_csr_lib_load(const char *path, trench_csr_finding_fn fn,
                        void *opaque, struct trench_csr_lib **out)
{
    struct builder b = { .fn = fn, .opaque = opaque };
    char *manifest = NULL;
    int rc;

    b.owned = calloc(1, sizeof(*b.owned));
    if (!b.owned) {
        return TRENCH_ERR_NOMEM;
    }
    rc = look_around(path, &b.dir, &manifest);
    if (!rc) {
        rc = manifest ? load_manifest(&b, manifest) : load_folder(&b);
    }
    free(manifest);
    free(b.dir);
    if (rc) {
        free_owned(b.owned);
        return rc;
    }
    b.owned->lib.sets = b.owned->sets;
    b.owned->lib.nr_sets = b.owned->nr_sets;
    *out = &b.owned->lib;
    return b.nr_refused;
}

void trench_csr_lib_free(struct trench_csr_lib *lib)
{
    if (lib) {
        free_owned((struct owned *)(void *)lib);
    }
}

const struct trench_csr_set *trench_csr_lib_set(
    const struct trench_csr_lib *lib, const char *name)
{
    for (size_t i = 0; i < lib->nr_sets; i++) {
        if (strcasecmp(lib->sets[i].name, name) == 0) {
            return &lib->sets[i];
        }
    }
    return NULL;
}

const struct trench_csr_block *trench_csr_set_block(
    const struct trench_csr_set *set, const char *name)
{
    for (size_t i = 0; i < set->nr_blocks; i++) {
        if (strcasecmp(set->blocks[i]->name, name) == 0) {
            return set->blocks[i];
        }
    }
    return NULL;
}
