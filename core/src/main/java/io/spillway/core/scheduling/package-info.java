/** Fair scheduling of one worker's slots: deficit round robin by slot time, and adaptive concurrency limits. */
package io.spillway.core.scheduling;
