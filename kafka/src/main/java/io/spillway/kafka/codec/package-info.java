/** Records as bytes: items, headers, ledger entries and the Avro codecs of the compacted topics. */
package io.spillway.kafka.codec;
