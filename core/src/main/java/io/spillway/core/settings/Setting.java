package io.spillway.core.settings;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declaration of one setting, on the record component that holds its value. The loader, the range checks and the
 * reference page {@code docs/configuration.md} read it.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Setting {
    /** Key in the configuration file, for example {@code topics.partitions}. Map entries are below it. */
    String key();

    /** Default value as written in the configuration file. */
    String defaultValue() default "";

    /** Description of the default for the reference page, where the default value is empty or not the value in use. */
    String defaultNote() default "";

    /**
     * Allowed values: a range that {@link AllowedRange} checks, or a description of what the record's constructor
     * checks.
     */
    String allowed() default "";

    /** Unit of a number, for example {@code bytes}; empty for a plain number and for other types. */
    String unit() default "";

    /** Description of the setting, in one sentence. */
    String doc();
}
