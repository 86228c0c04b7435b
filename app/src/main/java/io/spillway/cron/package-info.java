/** Internal. Times of cron expressions, by the library cron-utils. */
package io.spillway.cron;
