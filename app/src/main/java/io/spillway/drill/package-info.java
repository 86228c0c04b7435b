/** Internal. Drills: a fault on the running system, what the simulator expects of it, and what came. */
package io.spillway.drill;
