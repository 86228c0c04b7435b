/** Internal. Output of commands: text, JSON, progress, charts and errors. */
package io.spillway.cli.terminal;
