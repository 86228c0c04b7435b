/** Wake-ups and pacing that the stages share. */
package io.spillway.router.stage;
