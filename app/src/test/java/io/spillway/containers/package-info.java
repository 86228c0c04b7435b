/** The image and docker-compose.yml, in the engine that the system property {@code spillway.test.docker} names. */
package io.spillway.containers;
