/** Internal. Shard stage: assigns shards whose overlap is bounded. */
package io.spillway.router.shards;
