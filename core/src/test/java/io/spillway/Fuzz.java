package io.spillway;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;

/**
 * Seeded inputs for a property that has to hold for any bytes: valid encodings, mutations of them that keep most of
 * their structure, and random bytes. The same inputs at every run, and others with {@code -Dspillway.test.seed=N}.
 * {@code -Dspillway.fuzz.inputs=N} tries N of each target. Fuzz tests pass the same property to Jazzer, which searches
 * by coverage.
 *
 * <p>A failure names the seed and the input; {@code -Dspillway.fuzz.hex=INPUT} tries only that one.
 */
public final class Fuzz {
    private static final int USUAL_INPUTS = 2_000;
    /** Far above what an input of a few kilobytes needs, and far below a length that it can declare. */
    private static final long MOST_ALLOCATED_BYTES = 32L * 1024 * 1024;
    private static final int MOST_RANDOM_BYTES = 200;
    private static final byte[][] PIECES = {
        {0}, {1}, {2}, {127}, {-128}, {-1}, {'-', '1'},
        // An overlong character and a surrogate, which UTF-8 does not have.
        {-64, -81}, {-19, -96, -128},
        // Varints of the largest int and long, also as zig-zag.
        {-1, -1, -1, -1, 7}, {-2, -1, -1, -1, 15}, {-1, -1, -1, -1, 15},
        {-1, -1, -1, -1, -1, -1, -1, -1, 127}, {-2, -1, -1, -1, -1, -1, -1, -1, -1, 1},
        {-1, -1, -1, -1, -1, -1, -1, -1, -1, 1}, {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 1},
        {127, -16, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, -8, 127}, {-128, 0, 0, 0, 0, 0, 0, 0}
    };
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final String target;
    private final Function<SplittableRandom, byte[]> valid;
    private final int prefixBytes;
    private final List<byte[]> pieces;
    private final int usualInputs;

    /** Statement about an input. */
    @FunctionalInterface
    public interface Property {
        /** Returns whether the input was accepted, or fails if something does not hold. */
        boolean accepts(byte[] input) throws Exception;
    }

    private Fuzz(
            String target, Function<SplittableRandom, byte[]> valid, int prefixBytes, List<byte[]> pieces,
            int usualInputs) {
        this.target = target;
        this.valid = valid;
        this.prefixBytes = prefixBytes;
        this.pieces = pieces;
        this.usualInputs = usualInputs;
    }

    /**
     * Creates the inputs of a target.
     *
     * @param valid returns a random valid encoding, and may itself check that it is decoded to what was encoded
     */
    public static Fuzz of(String target, Function<SplittableRandom, byte[]> valid) {
        return new Fuzz(target, valid, 0, List.of(PIECES), USUAL_INPUTS);
    }

    /** Returns inputs whose first bytes are rarely mutated, so that most reach what follows them. */
    public Fuzz afterPrefix(int bytes) {
        return new Fuzz(target, valid, bytes, pieces, usualInputs);
    }

    /** Returns inputs that mutations also put these texts into. */
    public Fuzz withTexts(String... texts) {
        List<byte[]> both = new ArrayList<>(pieces);
        for (String text : texts) {
            both.add(text.getBytes(StandardCharsets.UTF_8));
        }
        return new Fuzz(target, valid, prefixBytes, List.copyOf(both), usualInputs);
    }

    /** Returns as many inputs as an ordinary build has time for, of a property that takes longer than others. */
    public Fuzz usually(int inputs) {
        return new Fuzz(target, valid, prefixBytes, pieces, inputs);
    }

    /** Requires the property of every input, and that it accepts some and, unless all are valid, refuses some. */
    public void check(Property property) {
        run(property, true);
    }

    /** As {@link #check}, for a property that accepts every input. */
    public void checkAllAccepted(Property property) {
        run(property, false);
    }

    /** Fails if something does not hold; cheaper than an assertion that describes itself. */
    public static void require(boolean holds, String what, Object... details) {
        if (!holds) {
            throw new AssertionError(what + " " + Arrays.deepToString(details));
        }
    }

    private void run(Property property, boolean someRefused) {
        String hex = System.getProperty("spillway.fuzz.hex");
        if (hex != null) {
            holds(property, HexFormat.of().parseHex(hex), -1);
            return;
        }
        Integer asked = Integer.getInteger("spillway.fuzz.inputs");
        int inputs = asked == null ? usualInputs : asked;
        long startNanos = System.nanoTime();
        int accepted = 0;
        for (int i = 0; i < inputs; i++) {
            byte[] input;
            try {
                input = input(i);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError(target + ": valid input " + i + " is not decoded to what was encoded; again "
                        + "with -Dspillway.test.seed=" + seed(), e);
            }
            accepted += holds(property, input, i) ? 1 : 0;
        }
        if (asked != null) {
            System.out.printf("fuzz %-28s %,12d inputs, %,12d accepted, seed %d, %,d s%n", target, inputs, accepted,
                    seed(), (System.nanoTime() - startNanos) / 1_000_000_000);
        }
        if (inputs >= 100 && (accepted == 0 || someRefused && accepted == inputs)) {
            throw new AssertionError(target + ": " + accepted + " of " + inputs + " inputs were accepted; the "
                    + "generator of inputs must reach both sides");
        }
    }

    /** Returns an input: each is made from the seed and its number alone. */
    byte[] input(int number) {
        SplittableRandom random = new SplittableRandom(seed() * 0x9E37_79B9_7F4A_7C15L + number);
        int kind = random.nextInt(20);
        if (kind == 0) {
            byte[] any = new byte[random.nextInt(MOST_RANDOM_BYTES)];
            random.nextBytes(any);
            return any;
        }
        byte[] input = valid.apply(random);
        for (int changes = kind < 4 ? 0 : 1 + random.nextInt(kind < 15 ? 2 : 8); changes > 0; changes--) {
            input = mutated(input, random);
        }
        return input;
    }

    private byte[] mutated(byte[] input, SplittableRandom random) {
        int least = random.nextInt(40) == 0 ? 0 : Math.min(prefixBytes, input.length);
        int at = random.nextInt(least, input.length + 1);
        int length = Math.min(input.length - at, 1 + random.nextInt(random.nextInt(4) == 0 ? 64 : 4));
        byte[] piece = pieces.get(random.nextInt(pieces.size()));
        return switch (random.nextInt(8)) {
            case 0 -> at == input.length ? input : flipped(input, at, 1 << random.nextInt(8));
            case 1 -> at == input.length ? input : flipped(input, at, random.nextInt(256));
            case 2 -> with(input, at, length, new byte[0]);
            case 3 -> with(input, at, 0, Arrays.copyOfRange(input, at, at + length));
            case 4 -> with(input, at, 0, piece);
            case 5 -> with(input, at, Math.min(piece.length, input.length - at), piece);
            case 6 -> with(input, at, random.nextInt(4) == 0 ? input.length - at : 0, any(random));
            default -> {
                byte[] other = valid.apply(random);
                int from = Math.min(other.length, at);
                yield with(input, at, input.length - at, Arrays.copyOfRange(other, from, other.length));
            }
        };
    }

    private static byte[] any(SplittableRandom random) {
        byte[] bytes = new byte[random.nextInt(4)];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] flipped(byte[] input, int at, int bits) {
        byte[] changed = input.clone();
        changed[at] ^= (byte) bits;
        return changed;
    }

    /** Returns the input with other bytes in place of some. */
    private static byte[] with(byte[] input, int at, int length, byte[] piece) {
        byte[] changed = new byte[input.length - length + piece.length];
        System.arraycopy(input, 0, changed, 0, at);
        System.arraycopy(piece, 0, changed, at, piece.length);
        System.arraycopy(input, at + length, changed, at + piece.length, input.length - at - length);
        return changed;
    }

    private boolean holds(Property property, byte[] input, int number) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        try {
            boolean accepted = property.accepts(input);
            long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
            if (allocated > MOST_ALLOCATED_BYTES) {
                throw new AssertionError(allocated + " bytes were allocated for " + input.length);
            }
            return accepted;
        } catch (Exception | AssertionError | StackOverflowError | OutOfMemoryError e) {
            throw new AssertionError(target + ", input " + number + " of seed " + seed()
                    + "; again with -Dspillway.fuzz.hex=" + HexFormat.of().formatHex(input) + " : " + e, e);
        }
    }

    private static long seed() {
        return Long.getLong("spillway.test.seed", Seed.DEFAULT);
    }
}
