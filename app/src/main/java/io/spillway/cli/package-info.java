/** The commands of {@code ./spillway} and the composition root: here everything is put together, and time is read. */
package io.spillway.cli;
