import assert from 'node:assert/strict';
import { it } from 'node:test';
import { declarations } from '../../../src/app/catalog.gen.ts';
import { Registry } from '../../../src/kernel/declare/registry.ts';
import { fieldGroups } from '../../../src/surfaces/pages/records/field-groups.ts';
import { snippetOf } from '../../../src/surfaces/pages/search/snippet.ts';
import { onceEach } from '../../../src/surfaces/pages/table.ts';

const registry = new Registry(declarations);

it('WEB-01 fields are grouped by what they are, every field once, for every record type', () => {
  for (const record of registry.records()) {
    const groups = fieldGroups(record, record.shown);
    const names = groups.flatMap(({ columns }) => columns.map(({ name }) => name));
    assert.deepEqual(names.toSorted(), record.shown.map(({ name }) => name).toSorted(), record.name);
  }
  const loan = registry.requireRecord('Loan', 'record');
  const groupOf = (name: string) =>
    fieldGroups(loan, loan.shown).find(({ columns }) => columns.some((column) => column.name === name))?.id;
  assert.deepEqual(['Agency', 'PropertyID', 'UPBAmount', 'CreatedDate', 'LoanID'].map(groupOf), [
    'details',
    'related',
    'amounts',
    'record',
    'record',
  ]);
});

it('WEB-01 a field that a derived type names anew is shown once', () => {
  const names = onceEach(registry.requireRecord('Foreclosure', 'record').shown).map(({ name }) => name);
  assert.equal(names.filter((name) => name === 'ProcessType' || name === 'ForeclosureType').length, 1);
});

it('WEB-01 a snippet is the field with the most of the searched words, cut around the first of them', () => {
  const contact = registry.requireRecord('Contact', 'record');
  const row = { Contact: 'Elm, Ann', Address: '7 Elm Row', City: 'Elmwood', LastName: 'Elm' };
  assert.deepEqual(snippetOf(contact, row, 'elm row'), { label: 'Address', text: '7 Elm Row' });
  assert.equal(snippetOf(contact, row, 'oak'), undefined);
  assert.equal(snippetOf(contact, row, '* ,'), undefined);
  const message = registry.requireRecord('Message', 'record');
  const long = { Message: 'x', BodyText: `${'word '.repeat(60)}needle (*\n${'end '.repeat(60)}` };
  const { text = '' } = snippetOf(message, long, 'needle') ?? {};
  assert.match(text, /^….*needle \(\* end.*…$/);
  assert.ok(text.length <= 122, text);
});
