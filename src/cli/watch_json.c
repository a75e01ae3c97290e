/* SPDX-License-Identifier: BSD-3-Clause */
/* The view of a channel for programs. */
#include "watch.h"
#include "watch_snap.h"

/* A word with the bits of a set, as a list of their numbers. */
static json_t *set_json(uint32_t set)
{
    json_t *list = json_array();

    for (int bit = 0; bit < 32; bit++) {
        if (set >> bit & 1) {
            json_array_append_new(list, json_integer(bit));
        }
    }
    return list;
}

static json_t *side_json(const struct watch_side *side)
{
    json_t *object = json_object();
    json_t *stages = json_object();
    json_t *log = json_array();

    json_object_set_new(object, "state",
                        json_string(watch_state_name(side->state)));
    for (unsigned i = 0; i < side->nr_stages; i++) {
        json_object_set_new(
            stages, side->stages[i].name,
            json_string(watch_state_name(side->stages[i].state)));
    }
    json_object_set_new(object, "stages", stages);
    for (unsigned i = 0; i < WATCH_COUNTERS; i++) {
        if (side->counts[i]) {
            json_object_set_new(object, watch_counter_names[i],
                                json_integer((json_int_t)side->count[i]));
        }
    }
    for (unsigned i = 0; i < WATCH_LOG_WORDS; i++) {
        json_array_append_new(log, cli_json_hex(side->log[i]));
    }
    json_object_set_new(object, "error_log", log);
    json_object_set_new(object, "enabled_without_ring",
                        set_json(side->enabled));
    return object;
}

static json_t *queue_json(const struct watch_queue *q, unsigned number,
                          enum watch_dir dir)
{
    json_t *object = json_pack(
        "{s:i, s:s, s:o, s:o, s:I, s:I, s:I, s:I}", "queue", (int)number,
        "side", watch_dir_names[dir], "ring", cli_json_hex(q->ring),
        "completion_ring", cli_json_hex(q->completions), "length",
        (json_int_t)q->length, "used", (json_int_t)q->used, "prefetched",
        (json_int_t)q->prefetched, "packets", (json_int_t)q->packets);
    json_t *flags = json_array();

    for (unsigned i = 0; i < WATCH_POINTERS; i++) {
        json_object_set_new(object, watch_pointer_names[i],
                            json_pack("{s:I, s:I}", "index",
                                      (json_int_t)q->at[i].index, "lap",
                                      (json_int_t)q->at[i].lap));
    }
    for (unsigned i = 0; i < WATCH_FLAGS; i++) {
        if (q->flags >> i & 1) {
            json_array_append_new(flags, json_string(watch_flag_names[dir][i]));
        }
    }
    json_object_set_new(object, "flags", flags);
    return object;
}

static json_t *queues_json(const struct watch_snap *snap)
{
    json_t *list = json_array();

    for (unsigned q = 0; q < TRENCH_NR_QUEUES; q++) {
        for (unsigned dir = 0; dir < WATCH_DIRS; dir++) {
            if (snap->queue[q][dir].shown) {
                json_array_append_new(list,
                                      queue_json(&snap->queue[q][dir], q, dir));
            }
        }
    }
    return list;
}

static json_t *groups_json(const struct watch_snap *snap)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < snap->nr_groups; i++) {
        const struct watch_group *group = &snap->groups[i];
        char letter[2] = { (char)('A' + group->number), '\0' };
        json_t *causes = json_array();
        char name[40];

        for (unsigned bit = 0; bit < 32; bit++) {
            if (group->cause >> bit & 1) {
                watch_cause_name(group, bit, name, sizeof(name));
                json_array_append_new(
                    causes,
                    json_pack("{s:i, s:s, s:b, s:b}", "bit", (int)bit, "name",
                              name, "masked", group->mask >> bit & 1, "aborts",
                              !(group->abort_mask >> bit & 1)));
            }
        }
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:b, s:o, s:o, s:o, s:o}", "window",
                            group->window, "group", letter, "read",
                            !group->unread, "cause", cli_json_hex(group->cause),
                            "mask", cli_json_hex(group->mask), "abort_mask",
                            cli_json_hex(group->abort_mask), "causes", causes));
    }
    return list;
}

static json_t *vectors_json(const struct watch_snap *snap)
{
    json_t *list = json_array();
    char name[40];

    for (unsigned v = 0; v < TRENCH_NR_INTRS; v++) {
        if (watch_vector_in(&snap->vectors, v)) {
            watch_vector_name(v, name, sizeof(name));
            json_array_append_new(
                list, json_pack("{s:i, s:s}", "vector", (int)v, "name", name));
        }
    }
    return list;
}

static json_t *flight_json(const struct watch_snap *snap)
{
    json_t *axi = json_array();
    json_t *apps = json_object();
    json_t *errors = json_object();

    for (unsigned q = 0; q < TRENCH_NR_QUEUES; q++) {
        char number[12];

        snprintf(number, sizeof(number), "%u", q);
        if (snap->errors[q] != 0) {
            json_object_set_new(errors, number, cli_json_hex(snap->errors[q]));
        }
        for (unsigned i = 0; i < WATCH_AXI_COUNTERS; i++) {
            if (snap->axi[q][i] != 0) {
                json_array_append_new(
                    axi, json_pack("{s:i, s:s, s:I}", "queue", (int)q, "kind",
                                   watch_axi_names[i], "count",
                                   (json_int_t)snap->axi[q][i]));
            }
        }
    }
    for (unsigned i = 0; i < WATCH_APPS; i++) {
        json_object_set_new(apps, watch_app_names[i], set_json(snap->app[i]));
    }
    return json_pack("{s:o, s:o, s:o}", "axi", axi, "applications", apps,
                     "axi_errors", errors);
}

/* ---- notifications ------------------------------------------------------- */

static json_t *note_json(const struct watch_note *note)
{
    json_t *object = json_pack(
        "{s:s, s:I, s:i, s:b, s:b, s:[o,o]}", "type", note->name, "time_ps",
        (json_int_t)note->time, "phase", (int)note->phase, "sw_overflow",
        note->sw_overflow, "hw_overflow", note->hw_overflow, "words",
        cli_json_hex(note->w[0]), cli_json_hex(note->w[1]));

    if (note->dma) {
        json_object_set_new(object, "dma", json_string(note->dma));
    }
    if (note->queue >= 0) {
        json_object_set_new(object, "queue", json_integer(note->queue));
    }
    if (note->metadata >= 0) {
        json_object_set_new(object, "metadata", json_integer(note->metadata));
    }
    if (note->has_bytes) {
        json_object_set_new(object, "bytes", json_integer(note->bytes));
        json_object_set_new(object, "crc", cli_json_hex(note->crc));
    }
    if (note->has_addr) {
        json_object_set_new(object, "address", cli_json_hex(note->addr));
    }
    if (note->axi_id >= 0) {
        json_object_set_new(object, "axi_id", json_integer(note->axi_id));
    }
    return object;
}

static json_t *records_json(const struct watch *w, const struct watch_eye *eye,
                            const struct watch_note_queue *q)
{
    uint32_t most = w->options->records;
    uint32_t first = most > 0 && q->pending > most ? q->pending - most : 0;
    json_t *list = json_array();
    struct watch_note note;

    for (uint32_t i = first; watch_note_at(eye, q, i, &note); i++) {
        json_array_append_new(list, note_json(&note));
    }
    return list;
}

static json_t *notes_json(const struct watch *w, const struct watch_eye *eye,
                          const struct watch_notes *notes)
{
    json_t *queues = json_array();
    json_t *object =
        json_pack("{s:I, s:o, s:o, s:o}", "time_ps", (json_int_t)notes->time,
                  "inputs", cli_json_hex(notes->inputs), "refused_address",
                  cli_json_hex(notes->error_addr), "queues", queues);

    for (unsigned n = 0; n < WATCH_NOTE_QUEUES; n++) {
        const struct watch_note_queue *q = &notes->queue[n];

        if (q->shown) {
            json_array_append_new(
                queues,
                json_pack("{s:i, s:b, s:b, s:b, s:o, s:I, s:I, s:I, s:I, s:I, "
                          "s:o}",
                          "queue", (int)n, "enabled", q->enabled, "full",
                          q->full, "threshold_passed", q->passed, "base",
                          cli_json_hex(q->base), "size", (json_int_t)q->size,
                          "head", (json_int_t)q->head, "tail",
                          (json_int_t)q->tail, "threshold",
                          (json_int_t)q->threshold, "pending",
                          (json_int_t)q->pending, "records",
                          records_json(w, eye, q)));
        }
    }
    if (notes->counted) {
        json_object_set_new(object, "sent", json_integer(notes->count));
        json_object_set_new(object, "stalled_cycles",
                            json_integer(notes->stalled));
    }
    return object;
}

/* ---- a channel ----------------------------------------------------------- */

static json_t *stats_json(const struct watch_snap *snap)
{
    json_t *object = json_object();

    for (unsigned i = 0; i < watch_nr_stats; i++) {
        json_object_set_new(object, watch_stats[i].name,
                            json_integer((json_int_t)watch_stat_get(snap, i)));
    }
    return object;
}

json_t *watch_json_channel(const struct watch *w, const struct watch_eye *eye,
                           const struct watch_snap *snap)
{
    json_t *object = json_pack(
        "{s:i, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "engine",
        (int)snap->engine, "name", snap->name, "base", cli_json_hex(snap->base),
        "m2s", side_json(&snap->side[WATCH_M2S]), "s2m",
        side_json(&snap->side[WATCH_S2M]), "queues", queues_json(snap),
        "interrupt_groups", groups_json(snap), "vectors", vectors_json(snap),
        "in_flight", flight_json(snap), "model", stats_json(snap));

    if (snap->notes.exists) {
        json_object_set_new(object, "notifications",
                            notes_json(w, eye, &snap->notes));
    }
    return object;
}
