/** Counts what really lies in the topics and compares it with the books. It changes nothing. */
package io.spillway.audit;
