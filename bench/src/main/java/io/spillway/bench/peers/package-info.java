/** Other ways to run the items of many tenants through Kafka, each as its documentation recommends (decision 19). */
package io.spillway.bench.peers;
