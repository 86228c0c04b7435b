/*
 * Slow disk, for LD_PRELOAD: while the file SLOW_DISK_SWITCH exists, each write and each sync of a file below
 * SLOW_DISK_DIRECTORY takes SLOW_DISK_MILLIS longer. The switch is looked at by each call.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static void wait_if_slow(int file) {
    const char *directory = getenv("SLOW_DISK_DIRECTORY"), *millis = getenv("SLOW_DISK_MILLIS");
    const char *on = getenv("SLOW_DISK_SWITCH");
    char link[64], path[PATH_MAX];
    if (!directory || !millis || !on || access(on, F_OK)) return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0 || strncmp(path, directory, strlen(directory))) return;
    long nanos = atol(millis) * 1000000L;
    struct timespec time = {nanos / 1000000000L, nanos % 1000000000L};
    nanosleep(&time, NULL);
}

#define NEXT(name) static __typeof__(&name) next; if (!next) next = (__typeof__(&name)) dlsym(RTLD_NEXT, #name)

ssize_t write(int f, const void *b, size_t n) { NEXT(write); wait_if_slow(f); return next(f, b, n); }
ssize_t writev(int f, const struct iovec *v, int n) { NEXT(writev); wait_if_slow(f); return next(f, v, n); }
ssize_t pwrite(int f, const void *b, size_t n, off_t o) { NEXT(pwrite); wait_if_slow(f); return next(f, b, n, o); }
ssize_t pwrite64(int f, const void *b, size_t n, off64_t o) { NEXT(pwrite64); wait_if_slow(f); return next(f, b, n, o); }
int fsync(int f) { NEXT(fsync); wait_if_slow(f); return next(f); }
int fdatasync(int f) { NEXT(fdatasync); wait_if_slow(f); return next(f); }
