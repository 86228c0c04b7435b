/** The route stage: decides where each record goes and which partition takes it. */
package io.spillway.router.route;
