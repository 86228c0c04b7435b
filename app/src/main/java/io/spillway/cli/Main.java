package io.spillway.cli;

/** The entry point of {@code ./spillway}. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.out.println(Runtime.version());
    }
}
