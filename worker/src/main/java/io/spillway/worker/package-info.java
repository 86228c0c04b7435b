/**
 * The worker: polls lanes, runs attempts on virtual threads, and commits moves, ledger rows and progress in one
 * transaction.
 */
package io.spillway.worker;
