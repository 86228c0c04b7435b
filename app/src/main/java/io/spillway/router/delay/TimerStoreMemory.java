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
 * Bounds what RocksDB takes beside the heap: all timer stores of the process share one block cache of 64 MiB, and write
 * buffers and index blocks are charged to it, the write buffers with at most 24 MiB. Kafka Streams' own settings would
 * allow each of the stores 98 MiB, and there is one for each partition. An iterator holds a few blocks more.
 *
 * <p>Kafka Streams makes an instance for each store. The cache and the manager of the write buffers live as long as the
 * process and are therefore not closed with a store; nothing else is made here that would have to be.
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
        // Timers are scanned and never looked up by key, which is all that a Bloom filter is for.
        table.setFilterPolicy(null);
        options.setTableFormatConfig(table);
        options.setWriteBufferManager(WRITE_BUFFERS);
        options.setWriteBufferSize(WRITE_BUFFER_BYTES);
        options.setMaxWriteBufferNumber(2);
    }

    @Override
    public void close(String storeName, Options options) {
        // Nothing of this store's own.
    }
}
