/** Internal. Commands for dead letters. */
package io.spillway.cli.deadletters;
