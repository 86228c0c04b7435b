/**
 * Worker inside an application: {@link io.spillway.embed.SpillwayWorker} puts the parts of a worker together without a
 * configuration file.
 */
package io.spillway.embed;
