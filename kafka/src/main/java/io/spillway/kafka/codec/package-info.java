/** Internal. Encoding of records: items, headers, ledger entries and the Avro records of the compacted topics. */
package io.spillway.kafka.codec;
