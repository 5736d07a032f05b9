import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { f, required } from '../../../src/kernel/declare/field.ts';
import { defineReaction } from '../../../src/kernel/declare/reaction.ts';
import { defineRecord } from '../../../src/kernel/declare/record.ts';
import { columnsAfter, valueAfter, valueNames, type Values } from '../../../src/kernel/declare/values.ts';
import { Registry } from '../../../src/kernel/declare/registry.ts';
import { planSave } from '../../../src/kernel/records/save/plan.ts';
import type { Row } from '../../../src/kernel/door/answer.ts';

const boat = defineRecord({
  name: 'Boat',
  doc: 'Something that floats.',
  reach: 'none',
  parent: 'Boats',
  template: 'BoatTemplate',
  synonyms: { Measure: 'Length' },
  fields: {
    OwnerID: required(f.id({ doc: 'Who owns it.', to: 'Person' })),
    Rig: f.choice(['Sloop', 'Ketch'], { doc: 'Its rig.' }),
    Length: f.decimal({ doc: 'Meters.' }),
  },
});
const dinghy = defineRecord({
  name: 'Dinghy',
  doc: 'A small one.',
  base: boat,
  reach: 'none',
  fields: { Oars: f.integer({ doc: 'How many.' }) },
});

const registry = new Registry({ records: [boat, dinghy], operations: [] });

describe('columns by their declared names', () => {
  it('types rows from the declaration: own, standard, parent, template, derived and tracking columns', () => {
    const read = (row: Row<typeof dinghy>): readonly unknown[] => {
      const id: number = row.DinghyID;
      const type: string | null = row.BoatType;
      // @ts-expect-error -- the id of its base is shown under its own name
      const baseId: unknown = row.BoatID;
      // @ts-expect-error -- and so is its label
      const baseLabel: unknown = row.Boat;
      const owner: number = row.OwnerID;
      const rig: 'Sloop' | 'Ketch' | null = row.Rig;
      const length: string | null = row.Length;
      const oars: number | null = row.Oars;
      const template: number | null = row.BoatTemplateID;
      const parent: string | null = row.Object;
      const version: number = row.Version;
      // @ts-expect-error -- a misspelled column
      const misspelled: unknown = row.Oar;
      // @ts-expect-error -- a column that may be null
      const notNull: string = row.Length;
      return [id, type, owner, rig, length, oars, template, parent, version, misspelled, notNull, baseId, baseLabel];
    };
    const row = { DinghyID: 1, BoatType: 'Small', OwnerID: 2, Rig: 'Sloop', Oars: 2, Version: 3 };
    assert.deepEqual(read(row as never).slice(0, 4), [1, 'Small', 2, 'Sloop']);
    const shown = new Set(dinghy.shown.map(({ name }) => name));
    assert.deepEqual(
      ['DinghyID', 'Dinghy', 'BoatType', 'BoatID', 'Boat'].map((name) => shown.has(name)),
      [true, true, true, false, false],
    );
    assert.equal(dinghy.columns.get('oars')?.name, 'Oars');
    const any: Row = row;
    assert.equal(any['Anything'], undefined, 'a row of a type known only at run time has any column');
  });

  it('types the values of a save, by the one name of each column', () => {
    const values: Values<typeof boat> = { Rig: 'Sloop', Length: null };
    assert.equal(values.OwnerID, undefined);
    values.OwnerID = 7;
    delete values.Length;
    assert.deepEqual(valueNames(values), ['Rig', 'OwnerID']);
    assert.deepEqual(columnsAfter(values, { Rig: 'Ketch', Length: '5' }), { Rig: 'Sloop', Length: '5', OwnerID: 7 });
    assert.equal(valueAfter(values, { Length: '5' }, 'Length'), '5');
    assert.equal(valueAfter(values, { Rig: 'Ketch' }, 'Rig'), 'Sloop');
    assert.equal(valueAfter({ Length: null }, { Length: '5' }, 'Length'), null);
  });

  it('gives a derived type the value names of its base, also under its own names and synonyms', () => {
    const values = (sent: Record<string, string>): unknown =>
      planSave(registry, dinghy, sent, { timeZone: 'UTC' }).values;
    assert.deepEqual(values({ Dinghy: 'Swallow', OARS: '2', measure: '3.5' }), {
      Boat: 'Swallow',
      Oars: 2,
      Length: '3.5',
    });
    assert.deepEqual(values({ Boat: 'Swallow', BoatType: 'Old' }), { Boat: 'Swallow', BoatType: 'Old' });
    assert.deepEqual(
      [...dinghy.valueColumns.keys()].filter((name) => /Boat|Dinghy|Length|Measure|Oars/.test(name)),
      ['BoatID', 'Boat', 'BoatType', 'BoatTemplateID', 'Length', 'Oars'],
    );
  });

  it('types the row and the changed columns of a reaction', async () => {
    const reaction = defineReaction({
      on: boat,
      after: ['update'],
      doc: 'Measures.',
      async run(_ctx, row, _change, changed) {
        assert.equal(changed.has('Length'), true);
        assert.equal(row.Length, '5');
        // @ts-expect-error -- a misspelled column
        assert.equal(changed.has('Lenght'), false);
        // @ts-expect-error -- a misspelled column
        assert.equal(row.Lenght, undefined);
        return Promise.resolve();
      },
    });
    await reaction.run(undefined as never, { Length: '5' }, 'update', new Set(['Length', 'Rig']));
  });

  it('refuses a label from a column that is not declared', () => {
    const label = { from: ['Lenght'], by: () => null };
    const declaration = { name: 'Raft', doc: '', reach: 'none', fields: {}, label } as const;
    assert.throws(() => defineRecord(declaration), /Raft has no column Lenght for its label/);
  });

  it('refuses to combine inserts of a record type in two tables', () => {
    const declaration = { name: 'Raft', doc: '', base: boat, reach: 'none', fields: {}, combinedBy: 'Length' } as const;
    assert.throws(() => defineRecord(declaration), /Raft is based on Boat, so combinedBy is not possible/);
  });
});
