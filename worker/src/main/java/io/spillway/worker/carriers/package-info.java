/** Internal. Carrier threads of the JVM, on which virtual threads run. */
package io.spillway.worker.carriers;
