/**
 * Internal. Order of the items with one order key, and what names a key. Parameters and results are not null.
 */
package io.spillway.core.order;
