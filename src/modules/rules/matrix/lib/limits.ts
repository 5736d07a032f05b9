/** The most inputs, and the most outputs, of one matrix. */
export const COLUMNS_MAX = 100;
/** The most filled cells of one matrix. */
export const FACTS_MAX = 1_000_000;
/** The most values, ranges and bounds that one cell lists. */
export const CELL_ITEMS_MAX = 500;
/** The most digits that count of a number: more could not be told apart by the arithmetic of machines. */
export const DIGITS_MAX = 15;
/** The greatest weight of an input, so that sums of weights are exact. */
export const WEIGHT_MAX = 1_000_000;
/** The filled cells that one process keeps indexes of, all matrices and versions together; those unused for longest are dropped. */
export const CACHED_CELLS_MAX = 2_000_000;
/** The most names of inputs and outputs that a refusal lists. */
export const NAMES_LISTED_MAX = 20;
/** The largest table that is imported, in bytes. */
export const TABLE_BYTES_MAX = 128 * 1024 * 1024;
/** The most cells of a table that is imported, empty ones too: what is held in memory of it grows with them. */
export const TABLE_CELLS_MAX = 4_000_000;
/** The most faults of a table that its refusal names. */
export const FAULTS_REPORTED_MAX = 10;
