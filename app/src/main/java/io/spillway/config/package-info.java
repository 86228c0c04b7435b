/** Internal. The configuration: one immutable record, and the loader that reads and checks file and environment. */
package io.spillway.config;
