/**
 * The worker: takes items from the lanes, hands them to a handler on virtual threads, fairly and without wasting a
 * slot, and commits what became of them in transactions.
 */
package io.spillway.worker;
