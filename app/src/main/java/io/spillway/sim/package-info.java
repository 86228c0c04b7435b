/** A day of traffic in virtual time, through the very policy classes that the router and the worker run. */
package io.spillway.sim;
