/** The simulate command: scenario files, recorded traces and reports. */
package io.spillway.cli.simulate;
