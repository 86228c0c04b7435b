/** Internal. Options that several commands share. */
package io.spillway.cli.options;
