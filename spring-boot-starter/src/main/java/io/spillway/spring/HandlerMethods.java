package io.spillway.spring;

import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import tools.jackson.databind.json.JsonMapper;

/** Handler of a worker that calls the method of an item's workload. */
final class HandlerMethods implements Handler {
    private final Map<String, HandlerMethod> byWorkload = new TreeMap<>();

    /** Finds the methods of all singletons. Throws {@link IllegalStateException} if two have the same workload. */
    static HandlerMethods of(ListableBeanFactory beans, JsonMapper json) {
        HandlerMethods found = new HandlerMethods();
        List<PayloadConverter> converters =
                beans.getBeanProvider(PayloadConverter.class).orderedStream().toList();
        for (String name : beans.getBeanDefinitionNames()) {
            Class<?> type = beans.getType(name, false);
            if (type != null && beans.isSingleton(name)) {
                MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<SpillwayHandler>) method ->
                                AnnotatedElementUtils.findMergedAnnotation(method, SpillwayHandler.class))
                        .forEach((method, handler) -> {
                            Object bean = beans.getBean(name);
                            HandlerMethod added = new HandlerMethod(
                                    bean, AopUtils.selectInvocableMethod(method, bean.getClass()), converters, json);
                            if (found.byWorkload.put(handler.workload(), added) != null) {
                                throw new IllegalStateException("Two methods with @SpillwayHandler have the workload '"
                                        + handler.workload() + "'. Give each a workload of its own.");
                            }
                        });
            }
        }
        return found;
    }

    boolean isEmpty() {
        return byWorkload.isEmpty();
    }

    @Override
    public Outcome handle(Delivery delivery) throws Exception {
        HandlerMethod method = byWorkload.getOrDefault(delivery.workload(), byWorkload.get(""));
        return method == null
                ? Outcome.retry("No method with @SpillwayHandler handles the workload '" + delivery.workload() + "'")
                : method.call(delivery);
    }
}
