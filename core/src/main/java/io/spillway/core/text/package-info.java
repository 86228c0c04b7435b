/** Internal. Texts from outside: made printable, read from files, and compared with known names. */
package io.spillway.core.text;
