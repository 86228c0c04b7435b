/** The configuration: one record that cannot be invalid, and the loader that reads it from YAML and the environment. */
package io.spillway.config;
