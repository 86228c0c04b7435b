/** Internal. The schedule stage of the router. */
package io.spillway.router.schedules;
