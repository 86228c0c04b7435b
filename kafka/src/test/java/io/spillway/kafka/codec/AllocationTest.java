package io.spillway.kafka.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.sun.management.ThreadMXBean;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.routing.Sweep;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that no length from outside is allocated: an OutOfMemoryError would end the reading thread. */
class AllocationTest {
    private static final long MAX_BYTES = 4_000_000;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @ParameterizedTest
    @ValueSource(longs = {10_000_000, 1_000_000_000, Integer.MAX_VALUE - 8, Integer.MAX_VALUE, Long.MAX_VALUE})
    void a_huge_length_allocates_no_memory(long length) {
        byte[] policy = huge(TenantPolicies.encode("acme", PolicySettings.NONE_SET), length);
        byte[] sweep = huge(Sweeps.encode("acme", "nightly", new Sweep(1, 2)), length);
        byte[] item = huge(Items.encode(Items.item()), length);
        // Loads the classes, which can allocate more than the limit.
        assertAllRejected(policy, sweep, item);
        long before = THREADS.getCurrentThreadAllocatedBytes();
        assertAllRejected(policy, sweep, item);
        assertThat(THREADS.getCurrentThreadAllocatedBytes() - before).isBetween(1L, MAX_BYTES);
    }

    private static void assertAllRejected(byte[] policy, byte[] sweep, byte[] item) {
        assertThatIllegalArgumentException().isThrownBy(() -> TenantPolicies.decode(policy));
        assertThatIllegalArgumentException().isThrownBy(() -> Sweeps.decode(sweep));
        assertThat(Items.read(item)).isInstanceOf(ParsedRecord.Unreadable.class);
    }

    /** Returns a valid prefix followed by a tenant that declares this length. */
    private static byte[] huge(byte[] good, long length) {
        return new ItemBytes()
                .raw(Arrays.copyOf(good, SingleObject.PREFIX_BYTES))
                .number(length)
                .raw(new byte[20])
                .bytes();
    }
}
