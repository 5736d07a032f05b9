/** Most inputs, and most outputs, of one matrix. */
export const COLUMNS_MAX = 100;
/** Most filled cells of one matrix. */
export const FACTS_MAX = 1_000_000;
/** Largest weight of an input, so that sums of weights are exact. */
export const WEIGHT_MAX = 1_000_000;
/**
 * Filled cells that one process keeps indexed, over all matrices and versions. The least recently used index is
 * dropped.
 */
export const CACHED_CELLS_MAX = 2_000_000;
/** Most inputs and outputs that an error lists. */
export const NAMES_LISTED_MAX = 20;
/** Largest table that can be imported, in bytes. */
export const TABLE_BYTES_MAX = 128 * 1024 * 1024;
/** Most cells of an imported table, empty ones included: memory use grows with them. */
export const TABLE_CELLS_MAX = 4_000_000;
/** Most faults of a table that an error lists. */
export const FAULTS_REPORTED_MAX = 10;
