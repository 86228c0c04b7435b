package io.spillway.core.settings;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declaration of one setting, on the record component that holds its value. The loader, the range checks and the
 * reference page {@code docs/configuration.md} all read it.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Setting {
    /** The key in the configuration file, for example {@code topics.partitions}. Map entries are below it. */
    String key();

    /** The default, as an operator would write it. */
    String defaultValue() default "";

    /** The default in words, for the reference page, where the default value is empty or not what is used. */
    String defaultNote() default "";

    /** Allowed values: a range that {@link AllowedRange} checks, or words for what the record's constructor checks. */
    String allowed() default "";

    /** Unit of a number, for example {@code bytes}; empty for a plain number and for everything that is no number. */
    String unit() default "";

    /** What the setting does, in one sentence. */
    String doc();
}
