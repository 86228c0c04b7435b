/** API for handlers: application code that processes items. Stable: every change has a changelog entry. */
package io.spillway.handler;
