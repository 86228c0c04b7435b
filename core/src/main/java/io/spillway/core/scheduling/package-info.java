/**
 * Fair scheduling of one worker's slots: deficit round robin over tenants by slot time, adaptive concurrency limits,
 * and what moves out of the way.
 */
package io.spillway.core.scheduling;
