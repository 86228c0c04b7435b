/** Internal. The simulator: router, lanes and workers in virtual time, with the decisions of the live system. */
package io.spillway.sim;
