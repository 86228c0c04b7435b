/**
 * Progress of a partition that is finished out of order: unfinished offsets, the commit metadata that carries them,
 * and suspects after a crash.
 */
package io.spillway.core.progress;
