/** What a handler implements and receives. Stable: changes only with a changelog entry. */
package io.spillway.handler;
