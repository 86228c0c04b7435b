/**
 * How settings are written and refused: durations, points in time, and the error that names a key, its value and what
 * is allowed.
 */
package io.spillway.core.settings;
