/** Internal. Sources: existing topics whose records become items. */
package io.spillway.router.source;
