/** Internal. HTTP gateway: the API for producers, the admin API and the console. */
package io.spillway.gateway;
