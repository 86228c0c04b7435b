/** Internal. Start and stop of the roles in one process: data directory, endpoint file, views, metrics endpoint. */
package io.spillway.runtime;
