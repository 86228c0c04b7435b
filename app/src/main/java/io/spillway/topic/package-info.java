/**
 * Everything about topics, declared once: names and settings, headers, the codecs of what they hold, and the views of
 * the compacted ones.
 */
package io.spillway.topic;
