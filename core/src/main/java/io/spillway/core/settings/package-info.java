/**
 * Internal, except for what {@code docs/api.md} lists. Settings: durations, points in time, declared ranges, and the
 * error that names a key, its value and what is allowed. Parameters and results are not null unless stated otherwise.
 */
package io.spillway.core.settings;
