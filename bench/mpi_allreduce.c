/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Allreduce of so many fp32 elements, so often: the seconds of each repeat,
 * those of the slowest rank, one a line. For bench_coll.c, by mpirun.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* Whether each element is the sum of what the ranks began with. */
static int is_right(const float *out, size_t n, int ranks)
{
    for (size_t i = 0; i < n; i++) {
        if (out[i] != (float)(ranks * (ranks - 1) / 2 + ranks * (int)(i % 7))) {
            return 0;
        }
    }
    return 1;
}

static int run(float *out, const float *in, size_t n, int repeats)
{
    int rank, ranks, right = 1;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = -1; i < repeats; i++) {
        double t, slowest;

        MPI_Barrier(MPI_COMM_WORLD);
        t = MPI_Wtime();
        MPI_Allreduce(in, out, (int)n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
        t = MPI_Wtime() - t;
        MPI_Reduce(&t, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        if (rank == 0 && i >= 0) {
            printf("%.9f\n", slowest);
        }
        right = right && is_right(out, n, ranks);
    }
    return right;
}

int main(int argc, char **argv)
{
    const size_t n = argc > 1 ? strtoul(argv[1], NULL, 0) : 4u << 20;
    const int repeats = argc > 2 ? atoi(argv[2]) : 5;
    float *in = malloc(n * sizeof(float));
    float *out = calloc(n, sizeof(float));
    int rank, right = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (in && out) {
        for (size_t i = 0; i < n; i++) {
            in[i] = (float)(rank + (int)(i % 7));
        }
        right = run(out, in, n, repeats);
    }
    MPI_Finalize();
    free(in);
    free(out);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
