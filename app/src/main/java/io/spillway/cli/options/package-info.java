/** Options that commands share. */
package io.spillway.cli.options;
