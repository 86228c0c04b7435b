/** The router's hot path in JMH. */
package io.spillway.bench.jmh;
