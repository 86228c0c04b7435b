/** Internal. Demo of a noisy neighbour on an embedded broker, compared with a plain consumer. */
package io.spillway.demo;
