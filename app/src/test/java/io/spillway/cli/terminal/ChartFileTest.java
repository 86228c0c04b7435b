package io.spillway.cli.terminal;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.AbstractList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ChartFileTest {
    @TempDir
    Path directory;

    static Stream<Throwable> faultsOfAJavaWithoutFonts() {
        return Stream.of(
                new NoClassDefFoundError("Could not initialize class sun.awt.X11FontManager"),
                new UnsatisfiedLinkError("libfreetype.so: cannot open shared object file"),
                new InternalError("java.lang.reflect.InvocationTargetException"),
                new NullPointerException("Cannot load from short array because FontConfiguration.head is null"),
                new IllegalStateException("Fontconfig head is null, check your fonts or fonts configuration"));
    }

    @ParameterizedTest
    @MethodSource("faultsOfAJavaWithoutFonts")
    void a_java_runtime_that_cannot_draw_is_reported_in_one_line(Throwable fault) {
        List<ChartFile.Panel> panels = new AbstractList<>() {
            @Override
            public ChartFile.Panel get(int index) {
                return ChartFileTest.<RuntimeException, ChartFile.Panel>failWith(fault);
            }

            @Override
            public int size() {
                return 1;
            }
        };
        assertThatThrownBy(() -> ChartFile.draw(panels, directory.resolve("x.png")))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("no fonts")
                .hasMessageContaining(fault.getClass().getSimpleName());
    }

    @Test
    void a_file_that_cannot_be_written_is_named() throws IOException {
        Path taken = Files.createDirectory(directory.resolve("taken.png"));

        assertThatThrownBy(() -> ChartFile.draw(List.of(new ChartFile.Panel(
                        "t", "x", "y", false, List.of(), new double[0], 0)), taken))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("Cannot write " + taken);
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable, R> R failWith(Throwable fault) throws T {
        throw (T) fault;
    }
}
