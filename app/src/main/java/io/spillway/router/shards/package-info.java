/** Internal. Shard stage: numbers of tenants, from which shards with a bounded overlap are computed. */
package io.spillway.router.shards;
