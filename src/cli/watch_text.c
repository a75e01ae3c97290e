/* SPDX-License-Identifier: BSD-3-Clause */
/* The view of a channel for people; no line is wider than 100 columns. */
#include "watch.h"
#include "watch_snap.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#define COLUMNS 100u

/* ---- lines of words ------------------------------------------------------ */

/* A line that goes on below its first word when it is full. */
struct line {
    FILE *to;
    unsigned indent;
    unsigned column;
};

static void line_start(struct line *line, FILE *to, const char *head)
{
    *line = (struct line){ to, (unsigned)strlen(head), 0 };
    line->column = line->indent;
    fputs(head, to);
}

__attribute__((format(printf, 2, 3))) static void line_add(struct line *line,
                                                           const char *fmt, ...)
{
    char text[80];
    va_list ap;
    unsigned len;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    len = (unsigned)strlen(text);
    if (line->column + 2 + len > COLUMNS) {
        fprintf(line->to, "\n%*s", (int)line->indent, "");
        line->column = line->indent;
    }
    fprintf(line->to, "  %s", text);
    line->column += 2 + len;
}

static void line_end(struct line *line)
{
    fputc('\n', line->to);
}

/* "0-3,7" */
static void put_set(char *buf, size_t size, uint32_t set)
{
    size_t n = 0;

    buf[0] = '\0';
    for (unsigned first = 0; first < 32 && n < size; first++) {
        unsigned last = first;

        if (!(set >> first & 1)) {
            continue;
        }
        while (last + 1 < 32 && set >> (last + 1) & 1) {
            last++;
        }
        n += (size_t)snprintf(buf + n, size - n, n ? ",%u" : "%u", first);
        if (last > first && n < size) {
            n += (size_t)snprintf(buf + n, size - n, "-%u", last);
        }
        first = last;
    }
}

/* ---- sides and queues ---------------------------------------------------- */

static void put_sides(FILE *to, const struct watch_snap *snap)
{
    static const int widths[WATCH_COUNTERS] = { 11, 17, 11, 11, 12, 11, 11 };

    fprintf(to, "  side  state ");
    for (unsigned i = 0; i < WATCH_COUNTERS; i++) {
        fprintf(to, "%*s", widths[i], watch_counter_names[i]);
    }
    fputc('\n', to);
    for (unsigned dir = 0; dir < WATCH_DIRS; dir++) {
        const struct watch_side *side = &snap->side[dir];

        fprintf(to, "  %-4s  %-6s", watch_dir_names[dir],
                watch_state_name(side->state));
        for (unsigned i = 0; i < WATCH_COUNTERS; i++) {
            if (side->counts[i]) {
                fprintf(to, "%*" PRIu64, widths[i], side->count[i]);
            } else {
                fprintf(to, "%*s", widths[i], "-");
            }
        }
        fputc('\n', to);
    }
}

/* Stages that differ from their side's idle, and what the log has caught. */
static void put_side_details(FILE *to, const struct watch_snap *snap)
{
    for (unsigned dir = 0; dir < WATCH_DIRS; dir++) {
        const struct watch_side *side = &snap->side[dir];
        struct line line;
        char head[24];
        char set[48];

        if (side->state != 0) {
            snprintf(head, sizeof(head), "  %s stages   ",
                     watch_dir_names[dir]);
            line_start(&line, to, head);
            for (unsigned i = 0; i < side->nr_stages; i++) {
                line_add(&line, "%s %s", side->stages[i].name,
                         watch_state_name(side->stages[i].state));
            }
            line_end(&line);
        }
        if (side->log[0] | side->log[1] | side->log[2] | side->log[3]) {
            fprintf(to,
                    "  %s error log  0x%08" PRIx32 " 0x%08" PRIx32
                    " 0x%08" PRIx32 " 0x%08" PRIx32 "\n",
                    watch_dir_names[dir], side->log[0], side->log[1],
                    side->log[2], side->log[3]);
        }
        if (side->enabled != 0) {
            put_set(set, sizeof(set), side->enabled);
            fprintf(to, "  %s enabled without a ring: queues %s\n",
                    watch_dir_names[dir], set);
        }
    }
}

static bool queues_shown(const struct watch_snap *snap)
{
    for (unsigned q = 0; q < TRENCH_NR_QUEUES; q++) {
        if (snap->queue[q][WATCH_M2S].shown ||
            snap->queue[q][WATCH_S2M].shown) {
            return true;
        }
    }
    return false;
}

static void put_rings(FILE *to, const struct watch_snap *snap)
{
    fprintf(to, "  queue       ring                completions         "
                "   packets  flags\n");
    for (unsigned n = 0; n < TRENCH_NR_QUEUES * WATCH_DIRS; n++) {
        unsigned dir = n % WATCH_DIRS;
        const struct watch_queue *q = &snap->queue[n / WATCH_DIRS][dir];
        char ring[24];
        char completions[24];

        if (!q->shown) {
            continue;
        }
        snprintf(ring, sizeof(ring), "0x%" PRIx64, q->ring);
        snprintf(completions, sizeof(completions), "0x%" PRIx64,
                 q->completions);
        fprintf(to, "  %5u  %s  %-18s  %-18s  %10" PRIu32 " ", n / WATCH_DIRS,
                watch_dir_names[dir], ring, completions, q->packets);
        for (unsigned i = 0; i < WATCH_FLAGS; i++) {
            if (q->flags >> i & 1) {
                fprintf(to, " %s", watch_flag_names[dir][i]);
            }
        }
        fputc('\n', to);
    }
}

static void put_pointers(FILE *to, const struct watch_snap *snap)
{
    fprintf(to, "  queue         length");
    for (unsigned i = 0; i < WATCH_POINTERS; i++) {
        fprintf(to, "  %10s", watch_pointer_names[i]);
    }
    fprintf(to, "%10s  %10s\n", "used", "prefetched");
    for (unsigned n = 0; n < TRENCH_NR_QUEUES * WATCH_DIRS; n++) {
        const struct watch_queue *q =
            &snap->queue[n / WATCH_DIRS][n % WATCH_DIRS];

        if (!q->shown) {
            continue;
        }
        fprintf(to, "  %5u  %s  %8" PRIu32, n / WATCH_DIRS,
                watch_dir_names[n % WATCH_DIRS], q->length);
        for (unsigned i = 0; i < WATCH_POINTERS; i++) {
            fprintf(to, "  %8" PRIu32 "@%" PRIu32, q->at[i].index,
                    q->at[i].lap);
        }
        fprintf(to, "%10" PRIu32 "  %10" PRIu32 "\n", q->used, q->prefetched);
    }
}

/* ---- causes -------------------------------------------------------------- */

static void put_group(FILE *to, const struct watch_group *group)
{
    char name[40];

    for (unsigned bit = 0; bit < 32; bit++) {
        if (!(group->cause >> bit & 1)) {
            continue;
        }
        watch_cause_name(group, bit, name, sizeof(name));
        fprintf(to, "  cause  %s %c  bit %-2u  %s%s%s\n", group->window,
                'A' + (int)group->number, bit, name,
                group->mask >> bit & 1 ? "  masked" : "",
                group->abort_mask >> bit & 1 ? "" : "  aborts");
    }
    if (group->unread) {
        fprintf(to,
                "  cause  %s %c  not read, as that would clear it (--clear)\n",
                group->window, 'A' + (int)group->number);
    }
}

static void put_errors(FILE *to, const struct watch_snap *snap)
{
    for (unsigned q = 0; q < TRENCH_NR_QUEUES; q++) {
        if (snap->errors[q] != 0) {
            fprintf(to, "  axi errors  queue %-2u  0x%08" PRIx32 "\n", q,
                    snap->errors[q]);
        }
    }
}

static void put_vectors(FILE *to, const struct watch_snap *snap)
{
    struct line line = { 0 };
    char name[40];

    for (unsigned v = 0; v < TRENCH_NR_INTRS; v++) {
        if (!watch_vector_in(&snap->vectors, v)) {
            continue;
        }
        if (!line.to) {
            line_start(&line, to, "  vectors");
        }
        watch_vector_name(v, name, sizeof(name));
        line_add(&line, "%u %s", v, name);
    }
    if (line.to) {
        line_end(&line);
    }
}

/* ---- in flight ----------------------------------------------------------- */

static void put_flight(FILE *to, const struct watch_snap *snap)
{
    for (unsigned q = 0; q < TRENCH_NR_QUEUES; q++) {
        struct line line = { 0 };

        for (unsigned i = 0; i < WATCH_AXI_COUNTERS; i++) {
            if (snap->axi[q][i] == 0) {
                continue;
            }
            if (!line.to) {
                char head[32];

                snprintf(head, sizeof(head), "  axi outstanding  queue %-2u",
                         q);
                line_start(&line, to, head);
            }
            line_add(&line, "%s %" PRIu32, watch_axi_names[i], snap->axi[q][i]);
        }
        if (line.to) {
            line_end(&line);
        }
    }
    for (unsigned i = 0; i < WATCH_APPS; i++) {
        char set[48];

        if (snap->app[i] != 0) {
            put_set(set, sizeof(set), snap->app[i]);
            fprintf(to, "  in flight  %s  queues %s\n", watch_app_names[i],
                    set);
        }
    }
}

/* ---- notifications ------------------------------------------------------- */

static void put_note(FILE *to, const struct watch_note *note)
{
    fprintf(to, "      %14" PRIu64 " ps  phase %u  %s", note->time, note->phase,
            note->dma ? note->dma : note->name);
    if (note->queue >= 0) {
        fprintf(to, "  queue %d", note->queue);
    }
    if (note->metadata >= 0) {
        fprintf(to, "  metadata 0x%x", (unsigned)note->metadata);
    }
    if (note->has_bytes) {
        fprintf(to, "  %" PRIu32 " bytes  crc 0x%04" PRIx32, note->bytes,
                note->crc);
    }
    if (note->has_addr) {
        fprintf(to, "  0x%" PRIx64, note->addr);
    }
    if (note->axi_id >= 0) {
        fprintf(to, "  id %d", note->axi_id);
    }
    if (!note->dma) {
        fprintf(to, "  0x%06" PRIx32 " 0x%08" PRIx32, note->w[0] & 0xffffff,
                note->w[1]);
    }
    fprintf(to, "%s%s\n", note->sw_overflow ? "  lost-before" : "",
            note->hw_overflow ? "  lost-after" : "");
}

static void put_records(FILE *to, const struct watch *w,
                        const struct watch_eye *eye,
                        const struct watch_note_queue *q)
{
    uint32_t most = w->options->records;
    uint32_t first = most > 0 && q->pending > most ? q->pending - most : 0;
    struct watch_note note;

    if (first > 0) {
        fprintf(to, "      %" PRIu32 " older records (--records)\n", first);
    }
    for (uint32_t i = first; i < q->pending; i++) {
        if (!watch_note_at(eye, q, i, &note)) {
            fprintf(to, "      the ring is not in memory\n");
            return;
        }
        put_note(to, &note);
    }
}

static void put_note_queue(FILE *to, const struct watch *w,
                           const struct watch_eye *eye, unsigned n,
                           const struct watch_note_queue *q)
{
    struct line line;
    char head[32];

    snprintf(head, sizeof(head), "  notifications %u", n);
    line_start(&line, to, head);
    line_add(&line, "0x%" PRIx64, q->base);
    line_add(&line, "size 0x%" PRIx32, q->size);
    line_add(&line, "head 0x%" PRIx32, q->head);
    line_add(&line, "tail 0x%" PRIx32, q->tail);
    if (q->readable) {
        line_add(&line, "%" PRIu32 " pending", q->pending);
    } else {
        line_add(&line, "no ring");
    }
    if (q->threshold > 0) {
        line_add(&line, "threshold 0x%" PRIx32 "%s", q->threshold,
                 q->passed ? " passed" : "");
    }
    if (!q->enabled) {
        line_add(&line, "off");
    }
    if (q->full) {
        line_add(&line, "full");
    }
    line_end(&line);
    put_records(to, w, eye, q);
}

static void put_notes(FILE *to, const struct watch *w,
                      const struct watch_eye *eye,
                      const struct watch_notes *notes)
{
    for (unsigned n = 0; n < WATCH_NOTE_QUEUES && notes->exists; n++) {
        if (notes->queue[n].shown) {
            put_note_queue(to, w, eye, n, &notes->queue[n]);
        }
    }
    if (notes->error_addr != 0) {
        fprintf(to, "  notifications  write refused at 0x%" PRIx64 "\n",
                notes->error_addr);
    }
    if (notes->counted && (notes->count | notes->stalled) != 0) {
        fprintf(to,
                "  notifications  %" PRIu32 " sent, %" PRIu32
                " cycles stalled since last read\n",
                notes->count, notes->stalled);
    }
}

/* What the model has counted, beside the registers. */
static void put_stats(FILE *to, const struct watch_snap *snap)
{
    struct line line = { 0 };

    for (unsigned i = 0; i < watch_nr_stats; i++) {
        if (watch_stat_get(snap, i) == 0) {
            continue;
        }
        if (!line.to) {
            line_start(&line, to, "  model");
        }
        line_add(&line, "%s %" PRIu64, watch_stats[i].name,
                 watch_stat_get(snap, i));
    }
    if (line.to) {
        line_end(&line);
    }
}

/* ---- a channel ----------------------------------------------------------- */

void watch_text_channel(FILE *to, const struct watch *w,
                        const struct watch_eye *eye,
                        const struct watch_snap *snap)
{
    fprintf(to, "%sengine %u  %s  0x%" PRIx64 "  %s%s\n",
            w->bold ? "\033[1m" : "", snap->engine, snap->name, snap->base,
            w->options->common.gen->name, w->bold ? "\033[0m" : "");
    put_sides(to, snap);
    put_side_details(to, snap);
    if (queues_shown(snap)) {
        put_rings(to, snap);
        put_pointers(to, snap);
    }
    for (unsigned i = 0; i < snap->nr_groups; i++) {
        put_group(to, &snap->groups[i]);
    }
    put_vectors(to, snap);
    put_errors(to, snap);
    put_flight(to, snap);
    put_notes(to, w, eye, &snap->notes);
    put_stats(to, snap);
}
