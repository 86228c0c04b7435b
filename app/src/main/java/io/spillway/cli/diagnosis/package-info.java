/** Internal. Commands that show the state of a running system and look for its faults. They write nothing. */
package io.spillway.cli.diagnosis;
