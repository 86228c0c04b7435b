/** Internal. What operators see and change, for the commands and the HTTP API alike. */
package io.spillway.operator;
