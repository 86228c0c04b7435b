/**
 * Settings: durations, points in time, declared ranges, and the error that names a key, its value and what is allowed.
 */
package io.spillway.core.settings;
