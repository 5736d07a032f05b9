/** Default and maximum length of a text, in characters. */
export const TEXT_DEFAULT = 255;
export const TEXT_MAX = 10_000;
/** Longest indexed text, in characters: an index entry holds about 2,700 bytes. */
export const INDEXED_TEXT_MAX = 500;
/** Most words of a choice, and the longest word. */
export const VALUES_MAX = 200;
export const VALUE_CHARACTERS_MAX = 100;
/** Most custom fields of one record type, including inherited and inactive ones: each answer carries all of them. */
export const FIELDS_MAX = 200;
/** Most indexed custom fields of one table: each slows down every save. */
export const INDEXES_MAX = 8;
