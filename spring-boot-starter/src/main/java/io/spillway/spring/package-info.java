/** Handlers and a sender of items as Spring beans. */
package io.spillway.spring;
