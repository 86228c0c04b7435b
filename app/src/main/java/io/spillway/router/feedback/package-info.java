/** What the router learns from the other instances: work that waits, the state of the hot lane, and shares of rates. */
package io.spillway.router.feedback;
