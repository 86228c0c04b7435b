package io.spillway.runtime;

import java.nio.file.Path;
import java.util.Set;

/**
 * Options of one start.
 *
 * @param data               data directory, locked while the process runs
 * @param unsafeTransactions whether to run on a cluster whose transactions have known anomalies
 * @param given              command-line options that a suggested command needs too, each after a blank; may be empty
 */
public record StartOptions(Path data, Set<Role> roles, boolean unsafeTransactions, String given) {}
