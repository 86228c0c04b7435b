package io.spillway.core.ledger;

import io.spillway.Fuzz;
import io.spillway.core.item.ItemState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Moves of items in any order, counted by two processes and folded in another order. See {@link Fuzz}. */
class LedgerFuzzTest {
    private static final int TENANTS = 5;

    @Test
    void any_moves_folded_in_any_order_add_up_to_where_the_items_are() {
        Fuzz.of("ledger arithmetic", LedgerFuzzTest::moves).usually(1_000).checkAllAccepted(this::addsUp);
    }

    private static byte[] moves(SplittableRandom random) {
        byte[] moves = new byte[random.nextInt(10, 120)];
        random.nextBytes(moves);
        return moves;
    }

    /** A line of the ledger. */
    private record Line(String tenant, ItemState from, long[] counts) {}

    /** Two bytes are a move: of which item, and where to. */
    private boolean addsUp(byte[] moves) {
        ItemState[] items = new ItemState[64];
        Arrays.fill(items, ItemState.OUTSIDE);
        List<List<LedgerDeltas>> processes = List.of(tables(), tables());
        long[][] entered = new long[TENANTS][ItemState.COUNT];
        long[][] left = new long[TENANTS][ItemState.COUNT];
        List<Line> lines = new ArrayList<>();
        for (int i = 0; i + 1 < moves.length; i += 2) {
            int item = moves[i] & 63;
            ItemState from = items[item];
            ItemState to = ItemState.values()[1 + (moves[i + 1] & 0xff) % (ItemState.COUNT - 1)];
            if (ItemState.LEFT.contains(from)) {
                processes.get(moves[i] < 0 ? 1 : 0).get(from.ordinal()).add(tenant(item), to);
                items[item] = to;
                entered[item % TENANTS][to.ordinal()]++;
                left[item % TENANTS][from.ordinal()]++;
            } else if (moves[i + 1] % 16 == 0) {
                // The commit of a process.
                List<LedgerDeltas> tables = processes.get(moves[i] < 0 ? 1 : 0);
                tables.forEach(table -> write(table, lines));
                tables.forEach(LedgerDeltas::clear);
            }
        }
        processes.forEach(tables -> tables.forEach(table -> write(table, lines)));

        Map<String, TenantBalance> inOrder = folded(lines);
        List<Line> shuffled = new ArrayList<>(lines);
        Collections.shuffle(shuffled, new Random(Arrays.hashCode(moves)));
        Fuzz.require(folded(shuffled).equals(inOrder), "in another order", inOrder, shuffled);
        int half = shuffled.size() / 2;
        Map<String, TenantBalance> inParts = folded(shuffled.subList(0, half));
        folded(shuffled.subList(half, shuffled.size())).forEach((tenant, balance) ->
                inParts.merge(tenant, balance, TenantBalance::plus));
        Fuzz.require(inParts.equals(inOrder), "in parts", inOrder, inParts);
        for (int tenant = 0; tenant < TENANTS; tenant++) {
            TenantBalance balance = inOrder.getOrDefault(tenant(tenant), TenantBalance.EMPTY);
            Fuzz.require(balance.equals(TenantBalance.of(entered[tenant], left[tenant])), "moves", balance);
            Fuzz.require(balance.difference() == 0, "does not add up", balance);
            for (ItemState state : ItemState.values()) {
                long there = 0;
                for (int item = tenant; item < items.length; item += TENANTS) {
                    there += items[item] == state && state != ItemState.OUTSIDE ? 1 : 0;
                }
                Fuzz.require(state == ItemState.OUTSIDE || balance.in(state) == there, "items", state, there, balance);
            }
        }
        return true;
    }

    private static List<LedgerDeltas> tables() {
        return ItemState.LEFT.stream().map(from -> new LedgerDeltas(from)).toList();
    }

    /** Names of which some begin with others. */
    private static String tenant(int item) {
        return "t".repeat(1 + item % TENANTS);
    }

    private static void write(LedgerDeltas table, List<Line> lines) {
        // By way of a second table, as the counts of several threads are.
        LedgerDeltas sum = new LedgerDeltas(table.from());
        sum.takeAll(table);
        sum.forEach((tenant, from, counts) -> lines.add(new Line(tenant, from, counts.clone())));
    }

    private static Map<String, TenantBalance> folded(List<Line> lines) {
        Map<String, TenantBalance> balances = new HashMap<>();
        lines.forEach(line -> balances.merge(line.tenant(),
                TenantBalance.EMPTY.plus(line.from(), line.counts()), TenantBalance::plus));
        return balances;
    }
}
