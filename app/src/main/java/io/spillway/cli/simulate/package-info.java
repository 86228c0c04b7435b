/** Internal. Command simulate: scenario files, recorded traces and reports. */
package io.spillway.cli.simulate;
