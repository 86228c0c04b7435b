/** Internal. Route stage: decides to which lane and partition each record goes. */
package io.spillway.router.route;
