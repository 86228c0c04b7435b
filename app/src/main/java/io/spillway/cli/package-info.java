/** The command line: the entry point and the top-level command. */
package io.spillway.cli;
