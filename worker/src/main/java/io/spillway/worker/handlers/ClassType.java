package io.spillway.worker.handlers;

import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.settings.Setting;
import io.spillway.core.text.Printable;
import io.spillway.handler.Handler;
import io.spillway.handler.HandlerContext;
import io.spillway.handler.HandlerException;
import io.spillway.handler.HandlerType;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;

/** Handler type {@code class}: a handler class of the class path, by its name. */
public final class ClassType implements HandlerType<ClassType.Settings> {
    /** Name of the class. */
    record Settings(
            @Setting(key = "handler.class",
                    doc = "Java class that implements Handler, for type class. It must be public and on the class"
                            + " path, and have a public constructor without parameters.") String className) {
        Settings {
            if (className.isEmpty()) {
                throw invalid(className, "must be a class that implements " + Handler.class.getName());
            }
        }
    }

    @Override
    public String name() {
        return "class";
    }

    @Override
    public Class<Settings> settings() {
        return Settings.class;
    }

    @Override
    public void check(Settings settings, HandlerContext context) {
        classOf(settings.className());
    }

    @Override
    public Handler create(Settings settings, HandlerContext context) {
        try {
            return classOf(settings.className()).getConstructor().newInstance();
        } catch (InvocationTargetException | ExceptionInInitializerError e) {
            throw cannotCreate(settings, e.getCause());
        } catch (ReflectiveOperationException | LinkageError e) {
            throw cannotCreate(settings, e);
        }
    }

    private static Class<? extends Handler> classOf(String className) {
        try {
            // Without initialization, because a static initializer may need the system.
            Class<?> found = Class.forName(className, false, ClassType.class.getClassLoader());
            Class<? extends Handler> handler = found.asSubclass(Handler.class);
            handler.getConstructor();
            if (Modifier.isAbstract(handler.getModifiers()) || !Modifier.isPublic(handler.getModifiers())) {
                throw invalid(className, "must be a public class that is not abstract");
            }
            return handler;
        } catch (ClassNotFoundException e) {
            throw invalid(className, "must be on the class path (the launcher adds SPILLWAY_CLASSPATH to it)");
        } catch (ClassCastException e) {
            throw invalid(className, "must implement " + Handler.class.getName());
        } catch (NoSuchMethodException e) {
            throw invalid(className, "must have a public constructor without parameters");
        } catch (LinkageError e) {
            throw invalid(className, "must be on the class path with its dependencies: " + Printable.of(e.toString()));
        }
    }

    private static InvalidSettingException invalid(String className, String allowed) {
        return new InvalidSettingException("handler.class", className, allowed);
    }

    private static HandlerException cannotCreate(Settings settings, Throwable cause) {
        return new HandlerException("handler.class = " + Printable.of(settings.className()) + ": cannot be created: "
                + Printable.of(cause.toString()), cause);
    }
}
