/** Progress of a partition whose items finish in any order, its commit metadata, and suspects after a crash. */
package io.spillway.core.progress;
