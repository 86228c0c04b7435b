/** Internal. What operators see, for the commands and the HTTP API alike. */
package io.spillway.operator.report;
