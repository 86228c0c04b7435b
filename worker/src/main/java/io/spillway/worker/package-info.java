/**
 * Internal, except for what {@code docs/api.md} lists. Worker: polls the lanes, runs attempts on virtual threads, and
 * commits moves, ledger entries and progress in one transaction.
 */
package io.spillway.worker;
