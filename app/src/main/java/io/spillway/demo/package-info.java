/** The demonstration: a noisy neighbour on an embedded broker, beside a plain consumer. */
package io.spillway.demo;
