package io.spillway.core.progress;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.zip.CRC32C;

/**
 * Codec of a {@link ProgressState} in the metadata of a committed offset: base64 (URL alphabet, no padding) of
 * <pre>
 *   version 1 | CRC-32C of frontier and all that follows, 4 bytes | flags | readTo − frontier | horizon − frontier
 *             | mark offset − frontier, deaths (when flagged) | groupEnd − frontier (when flagged)
 *             | distances between the unfinished offsets
 * </pre>
 * The numbers are varints; the first unfinished offset is the frontier, which is the committed offset itself.
 *
 * <p>The checksum covers the frontier because metadata can be copied to another offset: tools that copy a group to
 * another cluster translate the offset and keep the metadata. Distances from that offset would skip unfinished items.
 *
 * <p>Version and checksum stay at their places in every version: so an earlier one can tell a later one from damage.
 */
public final class ProgressCodec {
    /**
     * Most characters that are written. Brokers accept 4,096 ({@code offset.metadata.max.bytes}); a longer text is a
     * fatal error for a producer.
     */
    public static final int MAX_CHARACTERS = 4_000;
    /** Version that this release writes, and the latest that it reads. */
    public static final byte VERSION = 1;
    /** Most unfinished offsets that are written or accepted: 512 KiB when a few characters claim as many. */
    public static final int MAX_UNFINISHED = 65_536;

    private static final int CLEAN = 1;
    private static final int MARKED = 2;
    private static final int ALONE = 4;
    /** Of the mark. */
    private static final int ISOLATED = 8;
    private static final int GROUP = 16;
    private static final int CHECKED_FROM = 1 + Integer.BYTES;
    private static final int MAX_BYTES = MAX_CHARACTERS / 4 * 3;
    private static final int MAX_HEADER_BYTES = CHECKED_FROM + 1 + 5 * Varint.MAX_BYTES;
    private static final int MAX_GAP_BYTES = MAX_BYTES - MAX_HEADER_BYTES;
    /** For a record that is still to be read, beyond the distance of the first one: up to 2 million offsets apart. */
    private static final int RESERVED_BYTES = 3;

    private ProgressCodec() {}

    /**
     * Encodes a state in 1 to {@link #MAX_CHARACTERS} characters. When the unfinished offsets do not all fit, the first
     * ones are written, and readTo is the first one left out. Everything from there on counts as unread: finished items
     * above it run again, and nothing is lost.
     */
    public static String encode(ProgressState state) {
        ByteBuffer gaps = ByteBuffer.allocate(MAX_GAP_BYTES);
        OffsetList unfinished = state.unfinished();
        int written = unfinished.isEmpty() ? 0 : OffsetGaps.write(unfinished, MAX_UNFINISHED, gaps);
        long readTo = written == unfinished.size() ? state.readTo() : unfinished.at(written);
        ByteBuffer out = ByteBuffer.allocate(MAX_BYTES);
        out.put(VERSION).putInt(0);
        int flags = (state.clean() ? CLEAN : 0) | (state.mark().isPresent() ? MARKED : 0) | (state.alone() ? ALONE : 0)
                | (state.mark().filter(SuspectMark::isolated).isPresent() ? ISOLATED : 0)
                | (state.groupEnd() > 0 ? GROUP : 0);
        out.put((byte) flags);
        Varint.write(readTo - state.frontier(), out);
        Varint.write(state.horizon() - state.frontier(), out);
        state.mark().ifPresent(mark -> {
            Varint.write(mark.offset() - state.frontier(), out);
            Varint.write(mark.deaths(), out);
        });
        if (state.groupEnd() > 0) {
            Varint.write(state.groupEnd() - state.frontier(), out);
        }
        out.put(gaps.flip()).flip();
        out.putInt(1, checksum(state.frontier(), out));
        return Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(out.array(), out.limit()));
    }

    /**
     * Decodes the state of any metadata at a committed offset, 0 or more. Empty, foreign or damaged metadata counts as
     * {@link ProgressState#fresh} at that offset. That is safe: everything below a committed offset is done. Items
     * finished above it run again, and suspects are lost.
     */
    public static ProgressState decode(long committedOffset, String metadata) {
        return tryDecode(committedOffset, metadata).orElseGet(() -> ProgressState.fresh(committedOffset));
    }

    /** Returns the state of metadata at a committed offset as {@link #decode} does; empty if it is not a state. */
    public static Optional<ProgressState> tryDecode(long committedOffset, String metadata) {
        if (metadata.isEmpty() || metadata.length() > MAX_CHARACTERS) {
            return Optional.empty();
        }
        try {
            return Optional.of(read(committedOffset, ByteBuffer.wrap(Base64.getUrlDecoder().decode(metadata))));
        } catch (IllegalArgumentException notOurs) {
            return Optional.empty();
        }
    }

    /**
     * Returns the format's version if a later release wrote this metadata at this committed offset; empty if this one
     * can read it, or it is foreign or damaged.
     */
    public static OptionalInt laterVersion(long committedOffset, String metadata) {
        try {
            ByteBuffer in = ByteBuffer.wrap(Base64.getUrlDecoder().decode(metadata));
            if (in.remaining() > CHECKED_FROM && in.get(0) > VERSION && in.getInt(1) == checksum(committedOffset, in)) {
                return OptionalInt.of(in.get(0));
            }
        } catch (IllegalArgumentException notOurs) {
            // As damaged.
        }
        return OptionalInt.empty();
    }

    /** Returns the most bytes that distances may take so that these further records fit too; negative if none fit. */
    static long spareBytes(int records) {
        return MAX_GAP_BYTES - Varint.MAX_BYTES - (long) RESERVED_BYTES * records;
    }

    private static ProgressState read(long frontier, ByteBuffer in) {
        if (in.remaining() <= CHECKED_FROM || in.get() != VERSION || in.getInt() != checksum(frontier, in)) {
            throw new IllegalArgumentException("the metadata has another format, or belongs to another offset");
        }
        byte flags = in.get();
        long readTo = above(frontier, Varint.read(in));
        long horizon = above(frontier, Varint.read(in));
        Optional<SuspectMark> mark = (flags & MARKED) == 0
                ? Optional.empty() : Optional.of(readMark(frontier, flags, in));
        long groupEnd = (flags & GROUP) == 0 ? 0 : above(frontier, Varint.read(in));
        OffsetList unfinished = readTo == frontier && !in.hasRemaining()
                ? OffsetList.EMPTY
                : OffsetGaps.read(in, frontier, readTo, MAX_UNFINISHED);
        return new ProgressState(
                frontier, readTo, horizon, unfinished, mark, groupEnd, (flags & CLEAN) != 0, (flags & ALONE) != 0);
    }

    private static SuspectMark readMark(long frontier, byte flags, ByteBuffer in) {
        long offset = above(frontier, Varint.read(in));
        return new SuspectMark(offset, (int) Math.min(Varint.read(in), Integer.MAX_VALUE), (flags & ISOLATED) != 0);
    }

    private static long above(long frontier, long distance) {
        if (distance > Long.MAX_VALUE - frontier) {
            throw new IllegalArgumentException("an offset exceeds 63 bits");
        }
        return frontier + distance;
    }

    private static int checksum(long frontier, ByteBuffer metadata) {
        CRC32C sum = new CRC32C();
        sum.update(ByteBuffer.allocate(Long.BYTES).putLong(frontier).flip());
        sum.update(metadata.duplicate().position(CHECKED_FROM));
        return (int) sum.getValue();
    }
}
