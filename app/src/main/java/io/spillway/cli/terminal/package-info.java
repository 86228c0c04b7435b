/** Output to a terminal: text, JSON, progress, charts and errors. */
package io.spillway.cli.terminal;
