/* SPDX-License-Identifier: BSD-3-Clause */
/* Miss rate over block size, as SVG. */
#include "icache.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

/* In pixels. */
#define WIDTH  640
#define HEIGHT 400
#define LEFT   70
#define RIGHT  610
#define TOP    50
#define BOTTOM 340

/* A growing text; fails once and for all. */
struct svg {
    FILE *to;
    char *text;
    size_t len;
};

__attribute__((format(printf, 2, 3))) static void add(struct svg *svg,
                                                      const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vfprintf(svg->to, fmt, ap);
    va_end(ap);
}

/* The top of the scale: 1, 2 or 5 times a power of ten, in percent. */
static double scale_of(const struct icache_run *run)
{
    static const double steps[] = { 2, 2.5, 2 };
    double most = 0;
    double top = 0.001;

    for (unsigned i = 0; i < run->nr_points; i++) {
        double rate = 100 * icache_miss_rate(&run->points[i].stats);

        most = rate > most ? rate : most;
    }
    for (unsigned i = 0; top < most; i++) {
        top *= steps[i % 3];
    }
    return top;
}

static double x_of(const struct icache_run *run, unsigned i)
{
    unsigned gaps = run->nr_points > 1 ? run->nr_points - 1 : 1;

    return LEFT + (double)(RIGHT - LEFT) * i / gaps;
}

static double y_of(const struct icache_run *run, unsigned i, double top)
{
    return BOTTOM -
           (BOTTOM - TOP) * 100 * icache_miss_rate(&run->points[i].stats) / top;
}

static void add_text(struct svg *svg, double x, double y, const char *anchor,
                     const char *text)
{
    add(svg, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '<' || *c == '&' || (unsigned char)*c < 0x20 ||
            (unsigned char)*c >= 0x7f) {
            add(svg, "&#%u;", *c == '<' || *c == '&' ? (unsigned)*c : '?');
        } else {
            add(svg, "%c", *c);
        }
    }
    add(svg, "</text>\n");
}

static void add_axes(struct svg *svg, const struct icache_run *run, double top)
{
    char label[64];

    for (unsigned i = 0; i <= 4; i++) {
        double y = BOTTOM - (BOTTOM - TOP) * i / 4.0;

        add(svg,
            "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" "
            "stroke=\"#ccc\"/>\n",
            LEFT, y, RIGHT, y);
        snprintf(label, sizeof(label), "%g %%", top * i / 4);
        add_text(svg, LEFT - 8, y + 4, "end", label);
    }
    for (unsigned i = 0; i < run->nr_points; i++) {
        snprintf(label, sizeof(label), "%u", run->points[i].block);
        add_text(svg, x_of(run, i), BOTTOM + 20, "middle", label);
    }
    snprintf(label, sizeof(label), "bytes of a block, of %u in all",
             run->opts->iram);
    add_text(svg, (LEFT + RIGHT) / 2.0, BOTTOM + 45, "middle", label);
    add_text(svg, LEFT, TOP - 22, "start", run->opts->image);
    add_text(svg, RIGHT, TOP - 22, "end", "misses of look-ups");
}

static void add_curve(struct svg *svg, const struct icache_run *run, double top)
{
    add(svg, "<polyline fill=\"none\" stroke=\"#246\" stroke-width=\"2\" "
             "points=\"");
    for (unsigned i = 0; i < run->nr_points; i++) {
        add(svg, "%.1f,%.1f ", x_of(run, i), y_of(run, i, top));
    }
    add(svg, "\"/>\n");
    for (unsigned i = 0; i < run->nr_points; i++) {
        add(svg,
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\" "
            "stroke=\"#246\"/>\n",
            x_of(run, i), y_of(run, i, top),
            run->points[i].hardware ? "#246" : "white");
    }
}

static int draw(const struct icache_run *run, struct svg *svg)
{
    double top = scale_of(run);

    svg->to = open_memstream(&svg->text, &svg->len);
    if (!svg->to) {
        return -1;
    }
    add(svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
        "width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
        "font-size=\"12\">\n<rect width=\"%d\" height=\"%d\" "
        "fill=\"white\"/>\n",
        WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
    add_axes(svg, run, top);
    add_curve(svg, run, top);
    add(svg, "</svg>\n");
    return fclose(svg->to) == 0 ? 0 : -1;
}

int icache_plot(const struct icache_run *run)
{
    const char *prog = run->opts->prog;
    struct svg svg = { 0 };
    struct cli_output out;
    int err = draw(run, &svg);

    if (err) {
        cli_error(prog, "out of memory");
        free(svg.text);
        return -1;
    }
    err = cli_output_open(prog, run->opts->svg, run->trace->in.fd, &out);
    if (!err) {
        fflush(stdout); /* results first, when it goes there too */
        err = cli_output_write(&out, svg.text, svg.len);
    }
    if (!err) {
        err = cli_output_commit(&out);
    }
    cli_output_close(&out);
    free(svg.text);
    return err;
}
