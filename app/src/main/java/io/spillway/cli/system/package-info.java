/** Internal. Commands that run and inspect the system. */
package io.spillway.cli.system;
