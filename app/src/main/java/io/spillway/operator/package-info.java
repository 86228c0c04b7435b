/** Operator's view and actions without HTTP: what the commands and the gateway's {@code /admin} API share. */
package io.spillway.operator;
