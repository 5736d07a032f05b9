import type { Field } from './field-types.ts';
import type { RecordType } from './record.ts';

/** Words of declared names that are written in capitals. */
const INITIALISMS: ReadonlyMap<string, string> = new Map(
  ['API', 'HTML', 'MIME', 'SCRA', 'SFTP', 'SQL', 'SSN', 'URL', 'XML', 'XPath', 'XSLT'].map((word) => [
    word.toLowerCase(),
    word,
  ]),
);

/**
 * Returns a field's label: the declared one, else {@link wordsOf} its name. A label is declared where people call the
 * field something that its name does not say.
 */
export function fieldLabel(name: string, field: Pick<Field, 'label'>): string {
  return field.label ?? wordsOf(name);
}

/** Returns the label of a column known by its name, as in a history; of an unknown name, its words. */
export function columnLabel(record: Pick<RecordType, 'columns'>, name: string): string {
  return fieldLabel(name, record.columns.get(name.toLowerCase())?.field ?? {});
}

/** Returns the text that people read instead of a stored value: the declared one, else the value. */
export function valueLabel(field: Pick<Field, 'valueLabels'>, value: string): string {
  return field.valueLabels?.[value] ?? value;
}

/**
 * Returns a declared name in words: `ActualCompletion` is "Actual completion". The `ID` of a reference and the `Is` of
 * a yes/no field are left out: `TeamID` is "Team", `IsActive` is "Active".
 */
export function wordsOf(name: string): string {
  const words = name
    .replace(/^Is(?=[A-Z])/, '')
    .replace(/(?<=[a-z])ID$/, '')
    .replace(/XPath/g, 'Xpath')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[ _]+/)
    .map((word) => INITIALISMS.get(word.toLowerCase()) ?? word.toLowerCase())
    .join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns the plural of an English noun. */
export function pluralOf(noun: string): string {
  if (/[^aeiou]y$/i.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(?:s|x|ch|sh)$/i.test(noun) ? `${noun}es` : `${noun}s`;
}
