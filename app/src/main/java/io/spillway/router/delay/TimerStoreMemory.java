package io.spillway.router.delay;

import java.util.Map;
import org.apache.kafka.streams.state.RocksDBConfigSetter;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.Cache;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.WriteBufferManager;

/**
 * Limit on RocksDB's memory outside the heap: all stores of the process share one block cache of 64 MiB, to which write
 * buffers (at most 24 MiB) and index blocks are charged. The defaults of Kafka Streams allow 98 MiB per store, and
 * there is one store per partition. An iterator holds a few blocks more.
 *
 * <p>Kafka Streams creates an instance for each store. The cache and the write buffer manager belong to the process and
 * are not closed with a store.
 */
public final class TimerStoreMemory implements RocksDBConfigSetter {
    static final long CACHE_BYTES = 64L * 1024 * 1024;
    static final long WRITE_BUFFERS_BYTES = 24L * 1024 * 1024;

    private static final long WRITE_BUFFER_BYTES = 4L * 1024 * 1024;

    static {
        RocksDB.loadLibrary();
    }

    private static final Cache CACHE = new LRUCache(CACHE_BYTES);
    private static final WriteBufferManager WRITE_BUFFERS = new WriteBufferManager(WRITE_BUFFERS_BYTES, CACHE);

    @Override
    public void setConfig(String storeName, Options options, Map<String, Object> configs) {
        BlockBasedTableConfig table = (BlockBasedTableConfig) options.tableFormatConfig();
        table.setBlockCache(CACHE);
        table.setCacheIndexAndFilterBlocks(true);
        // Timers are scanned and never looked up by key, so a Bloom filter is of no use.
        table.setFilterPolicy(null);
        options.setTableFormatConfig(table);
        options.setWriteBufferManager(WRITE_BUFFERS);
        options.setWriteBufferSize(WRITE_BUFFER_BYTES);
        options.setMaxWriteBufferNumber(2);
    }

    @Override
    public void close(String storeName, Options options) {
        // The store owns no resources.
    }
}
