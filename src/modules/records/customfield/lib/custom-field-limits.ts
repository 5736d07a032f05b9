/** The length of a text where its field does not say one, and at most. */
export const TEXT_DEFAULT = 255;
export const TEXT_MAX = 10_000;
/** A text that is indexed is at most this long: an entry of an index holds some 2,700 bytes. */
export const INDEXED_TEXT_MAX = 500;
/** The most words of a choice, and the longest. */
export const VALUES_MAX = 200;
export const VALUE_CHARACTERS_MAX = 100;
/** The most custom fields of one record type, inherited and inactive ones included: each answer carries them all. */
export const FIELDS_MAX = 200;
/** The most indexed custom fields of one table: each costs every save. */
export const INDEXES_MAX = 8;
