/**
 * The front door: an HTTP API that knows its callers by their keys, stamps the tenant, holds each tenant to its rate and
 * to its backlog, and answers only when Kafka has the item. Each request runs in a virtual thread of its own, so it is
 * written as blocking code.
 */
package io.spillway.gateway;
