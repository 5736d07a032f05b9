/**
 * The tables of other areas that an area reads in its own SQL: by area and table, each with the reason why it is read
 * by SQL and not through an operation of its owner. An area declares them in its `reads.ts`; the architecture check
 * refuses any other read, and entries that nothing uses.
 */
export type TableReads = Readonly<Record<string, Readonly<Record<string, string>>>>;
