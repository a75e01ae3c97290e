/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The device as a program in the guest has it, without a driver in the kernel:
 * BARs from sysfs, memory for DMA from huge pages.
 */
#ifndef TRENCH_TESTS_VM_DEVICE_H
#define TRENCH_TESTS_VM_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guest_rig.h"

#define DEVICE_MAX 4u

struct device {
    char name[64];    /* "0000:00:02.0" */
    int config;       /* its configuration space */
    uint8_t revision; /* tells where the registers are */
    uint16_t id;
    volatile uint8_t *regs; /* 1 GiB */
    volatile uint8_t *hbm;  /* the first bytes of HBM 0 */
    size_t hbm_bytes;
    struct guest g; /* memory, and the driver library's way to regs */
};

/* Find the devices, by name; their number. */
unsigned device_list(char names[DEVICE_MAX][64]);

/* Map, enable, make bus master. False after a message. */
bool device_open(const char *name, struct device *d);

void device_close(struct device *d);

/* The command register's bus master bit. */
bool device_master(struct device *d, bool on);

/* A word of the register BAR. */
uint32_t device_read(const struct device *d, uint64_t offset);
void device_write(const struct device *d, uint64_t offset, uint32_t val);

/* Ask the firmware for a reset, as the kernel driver does; false: no end. */
bool device_reset(const struct device *d);

#endif /* TRENCH_TESTS_VM_DEVICE_H */
