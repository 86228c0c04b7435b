/** Commands that run the system and look at it. */
package io.spillway.cli.system;
