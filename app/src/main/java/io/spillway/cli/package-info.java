/** Internal. Command line: entry point and top-level command. */
package io.spillway.cli;
