package io.spillway.core.overload;

/**
 * Room of a disk for more items. Pure. Internal.
 *
 * <p>A tenth of the disk, at most 4 GiB, is kept: a broker whose disk is full ends, and so does a router whose state
 * cannot be written. First nothing more is accepted, so that routers and workers can empty what waits; when half of it
 * is gone, nothing more is moved either.
 */
public enum DiskRoom {
    /** Items are accepted and moved. */
    ENOUGH,
    /** No item is accepted: less is free than is kept. */
    LOW,
    /** No item is moved either: less than half of it is free. */
    OUT;

    private static final long MOST_KEPT_BYTES = 4L << 30;
    /** A level ends when a quarter more is free than where it began, so that it does not come and go. */
    private static final double LEAVING = 1.25;

    /** Returns the free bytes that are kept on a disk of this size. */
    public static long keptBytes(long totalBytes) {
        return Math.min(totalBytes / 10, MOST_KEPT_BYTES);
    }

    /** Returns the room of a disk that had this room before. */
    public DiskRoom next(long freeBytes, long totalBytes) {
        long kept = keptBytes(totalBytes);
        if (freeBytes < limit(kept / 2, this == OUT)) {
            return OUT;
        }
        return freeBytes < limit(kept, this != ENOUGH) ? LOW : ENOUGH;
    }

    private static double limit(long bytes, boolean isLeaving) {
        return isLeaving ? LEAVING * bytes : bytes;
    }
}
