/**
 * Every decision of Spillway as pure code: records, sealed results and small algorithms that take time and
 * randomness as arguments and import only the JDK. The router, the worker, the gateway and the simulator call
 * the same classes.
 */
package io.spillway.policy;
