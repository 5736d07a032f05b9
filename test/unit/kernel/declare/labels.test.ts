import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { declarations } from '../../../../src/app/catalog.gen.ts';
import { fieldLabel, pluralOf, valueLabel, wordsOf } from '../../../../src/kernel/declare/labels.ts';
import type { Column, RecordType } from '../../../../src/kernel/declare/record.ts';

/** Words that labels write in capitals. `ID` only where people in the trade say it. */
const CAPITALS = new Set(
  'ANSI API FICO HTML HTTP ISO MD5 MI SCRA SFTP sFTP SHA-1 SHA-256 SQL SSN STARTTLS TLS URL XML XSLT ZIP'.split(' '),
);
const LABELS_WITH_ID = new Set(['External ID', 'External IDs', 'Correlation ID', 'Mail message ID']);

/** Stored names of record types that people call something else. */
const STORED_NAMES = new RegExp(
  '\\b(?:decision(?! table)|import (?:form|file|log)|smart|worklist|attachment|agency|person|object|guid)s?\\b' +
    '|^process(?:es)?$',
  'i',
);

/** Returns what is wrong with a label, or undefined. */
function fault(label: string): string | undefined {
  if (LABELS_WITH_ID.has(label)) return undefined;
  if (STORED_NAMES.test(label)) return 'a stored name';
  const words = label.split(/[ ,()/]+/).map((word, at) => ({ word, at }));
  const plain = words.filter(({ word }) => word !== '' && !CAPITALS.has(word) && !/^\d+$/.test(word));
  const odd = plain.find(({ word, at }) => !(at === 0 ? /^[A-Z][a-z-]*$/ : /^[a-z'-]+$/).test(word));
  if (odd) return `“${odd.word}” is not in sentence case`;
  const abbreviation = plain.find(({ word }) => /^[^aeiou]+$/i.test(word) && !/^(?:by|why)$/i.test(word))?.word;
  return abbreviation === undefined ? undefined : `“${abbreviation}” is an abbreviation`;
}

function faultsOf(record: RecordType): readonly string[] {
  const labels = [
    [record.name, record.title],
    [`${record.name}, plural`, record.titlePlural],
    ...record.shown.map(({ name, field }) => [`${record.name}.${name}`, fieldLabel(name, field)]),
    ...record.shown.flatMap(({ name, field }) =>
      (field.values ?? [])
        .filter((value) => !/^\d+$/.test(value) && /[a-z][A-Z]/.test(valueLabel(field, value)))
        .map((value) => [`${record.name}.${name} = ${value}`, valueLabel(field, value)]),
    ),
  ];
  return labels.flatMap(([of = '', label = '']) => {
    const found = fault(label);
    return found === undefined ? [] : [`${of}: ${label}: ${found}`];
  });
}

/** Returns the columns of a record that have the same label as another. */
function sharedLabels(record: RecordType): readonly string[] {
  const byLabel = Map.groupBy(record.shown, ({ name, field }: Column) => fieldLabel(name, field));
  return [...byLabel]
    .filter(([, columns]) => new Set(columns.map(({ valueName }) => valueName)).size > 1)
    .map(([label, columns]) => `${record.name}: ${label}: ${columns.map(({ name }) => name).join(', ')}`);
}

describe('WEB-01 labels', () => {
  it('WEB-01 no label looks like the name of a table or a column', () => {
    assert.deepEqual(declarations.records.flatMap(faultsOf), []);
  });

  it('WEB-01 no two fields of a record have the same label', () => {
    assert.deepEqual(declarations.records.flatMap(sharedLabels), []);
  });

  it('WEB-01 the test finds names of columns, initials, abbreviations and stored names', () => {
    for (const label of ['ServicerLoanID', 'Error GUID', 'BK case no', 'Qty', 'Case Type', 'Decision', 'Import form'])
      assert.notEqual(fault(label), undefined, label);
    for (const label of ['Loan number', 'SSN, last four', 'Decision table', 'XML schema'])
      assert.equal(fault(label), undefined, label);
  });

  it('WEB-01 a name without a declared label is shown in words', () => {
    assert.equal(wordsOf('ActualCompletion'), 'Actual completion');
    assert.equal(wordsOf('TeamID'), 'Team');
    assert.equal(wordsOf('IsActive'), 'Active');
    assert.equal(wordsOf('SCRAStatus'), 'SCRA status');
    assert.equal(wordsOf('NoticeXml'), 'Notice XML');
    assert.equal(pluralOf('Property'), 'Properties');
    assert.equal(pluralOf('Batch'), 'Batches');
  });
});
