/** Modules whose operations import types call. */
export const uses = ['importfile'] as const;
