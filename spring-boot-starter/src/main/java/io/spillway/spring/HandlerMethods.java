package io.spillway.spring;

import io.spillway.handler.BatchHandler;
import io.spillway.handler.Delivery;
import io.spillway.handler.Outcome;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import tools.jackson.databind.json.JsonMapper;

/** Handler of a worker that calls the method of an item's workload. */
final class HandlerMethods implements BatchHandler {
    private final Map<String, HandlerMethod> byWorkload = new TreeMap<>();
    private final HandlerSelector selector;
    private final boolean hasSelector;

    private HandlerMethods(Optional<HandlerSelector> selector) {
        this.hasSelector = selector.isPresent();
        this.selector = selector.orElse(Delivery::workload);
    }

    /** Finds the methods of all singletons. Throws {@link IllegalStateException} if two have the same workload. */
    static HandlerMethods of(ListableBeanFactory beans, JsonMapper json) {
        HandlerMethods found = new HandlerMethods(
                Optional.ofNullable(beans.getBeanProvider(HandlerSelector.class).getIfAvailable()));
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
                                    bean, AopUtils.selectInvocableMethod(method, bean.getClass()),
                                    resolved(handler.destination(), beans), handler.maxItems(), converters, json);
                            if (found.byWorkload.put(handler.workload(), added) != null) {
                                throw new IllegalStateException("Two methods with @SpillwayHandler have the workload '"
                                        + handler.workload() + "'. Give each a workload of its own.");
                            }
                        });
            }
        }
        if (found.hasSelector && found.byWorkload.values().stream().anyMatch(HandlerMethod::isForMany)) {
            throw new IllegalStateException("There is a HandlerSelector, and a method with @SpillwayHandler has a"
                    + " maxItems above 1. Use one of them: the items of a call are those of one workload.");
        }
        return found;
    }

    private static String resolved(String text, ListableBeanFactory beans) {
        String value = beans instanceof ConfigurableBeanFactory factory ? factory.resolveEmbeddedValue(text) : text;
        return value == null ? "" : value;
    }

    boolean isEmpty() {
        return byWorkload.isEmpty();
    }

    @Override
    public String destination(Delivery delivery) {
        return of(delivery).map(HandlerMethod::destination).orElse("");
    }

    private Optional<HandlerMethod> of(Delivery delivery) {
        return Optional.ofNullable(byWorkload.getOrDefault(selector.select(delivery), byWorkload.get("")));
    }

    @Override
    public Outcome handle(Delivery delivery) throws Exception {
        Optional<HandlerMethod> method = of(delivery);
        return method.isEmpty()
                ? Outcome.retry("No method with @SpillwayHandler handles the workload '" + selector.select(delivery)
                        + "'")
                : method.get().isForMany() ? BatchHandler.super.handle(delivery) : method.get().call(delivery);
    }

    @Override
    public int maxItems(String workload) {
        HandlerMethod method = byWorkload.getOrDefault(workload, byWorkload.get(""));
        return method == null ? 1 : method.maxItems();
    }

    /** All have one workload, and its method takes lists. */
    @Override
    public List<Outcome> handleAll(List<Delivery> deliveries) throws Exception {
        return of(deliveries.getFirst()).orElseThrow().callAll(deliveries);
    }
}
