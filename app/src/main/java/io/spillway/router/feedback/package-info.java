/** Internal. Feedback from other instances to the router: lane backlogs, the state of the hot lane, and rate shares. */
package io.spillway.router.feedback;
