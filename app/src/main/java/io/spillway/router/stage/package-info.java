/** Internal. Timers, pacing and sink names that the stages of the topology share. */
package io.spillway.router.stage;
