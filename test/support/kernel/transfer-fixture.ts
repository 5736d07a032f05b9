import { computed, f, required } from '../../../src/kernel/declare/field.ts';
import { defineCheck } from '../../../src/kernel/declare/reaction.ts';
import { bad } from '../../../src/kernel/parameters/parse-value.ts';
import { defineRecord, type RecordType } from '../../../src/kernel/declare/record.ts';
import { storedColumns } from '../../../src/kernel/database/sql.ts';
import { defineSetting } from '../../../src/kernel/declare/setting.ts';

/** Test-only configuration: a column of every kind; circular, self and non-configuration references. */
const gear = defineRecord({
  name: 'Gear',
  doc: 'A machine.',
  reach: 'configuration',
  triggers: { gear_configuration: 'Tells every process.' },
  fields: {
    AppliesTo: f.text({ doc: 'Where it is used.', max: 60 }),
    Note: f.text({ doc: 'Text.', default: 'by default' }),
    Code: f.text({ doc: 'Exact text.', max: 50, exact: true }),
    Mode: f.choice(['Slow', 'Fast'], { doc: 'How.' }),
    Count: f.integer({ doc: 'A whole number.' }),
    Amount: f.money({ doc: 'Money.' }),
    Ratio: f.decimal({ doc: 'A decimal.' }),
    Due: f.date({ doc: 'A day.' }),
    At: f.timestamp({ doc: 'An instant.' }),
    Flag: f.boolean({ doc: 'Yes or no.' }),
    Drawing: f.xml({ doc: 'A document.' }),
    Data: f.json({ doc: 'Anything.' }),
    Sum: computed(f.money({ doc: 'Computed.' })),
    Lock: f.secret({ doc: 'A secret.', max: 100 }),
    MainWheelID: f.id({ doc: 'Its first wheel.', to: 'Wheel' }),
    KeeperContactID: f.id({ doc: 'Who keeps it.', to: 'Contact' }),
    NowhereID: f.id({ doc: 'Of a type that nobody has.', to: 'Nowhere' }),
  },
});

const wheel = defineRecord({
  name: 'Wheel',
  doc: 'A part of a machine.',
  reach: 'configuration',
  collections: { GearID: 'Wheels' },
  childKey: 'Wheel',
  triggers: { wheel_configuration: 'Tells every process.' },
  fields: {
    GearID: required(f.id({ doc: 'The machine.', to: 'Gear' })),
    TurnsWheelID: f.id({ doc: 'The wheel that it turns.', to: 'Wheel' }),
    Teeth: f.integer({ doc: 'How many.' }),
  },
});

function columnSql(record: RecordType, { column, type }: { readonly column: string; readonly type: string }): string {
  const field = record.columns.get(column)?.field;
  const required = field?.required ? ' not null' : '';
  if (type !== 'text') return `${column} ${type}${required}`;
  return `${column} text collate ${field?.exact ? '"C"' : 'casewright_text'}${required}`;
}

function tableSql(record: RecordType): string {
  const columns = (storedColumns(record).get(record.table) ?? []).map((c) => columnSql(record, c));
  return `create table ${record.table} (${record.table}id bigint generated always as identity primary key,
    ${columns.join(', ')});
    create trigger ${record.table}_history after update or delete on ${record.table}
      for each row execute function casewright_history('lock');
    create trigger ${record.table}_configuration after insert or update or delete on ${record.table}
      for each statement execute function casewright_configuration();
    select casewright_open('${record.table}', '${record.reach}');`;
}

const checks = [
  defineCheck({
    on: wheel,
    doc: 'A wheel has teeth.',
    run(_ctx, { values }) {
      if ((values.Teeth ?? 1) < 1) throw bad('Teeth', 'at least one tooth');
    },
  }),
];

/** Options of `testPlatform` for the types above. */
export const fixture = {
  declarations: {
    records: [gear, wheel],
    checks,
    settings: [defineSetting('VaultCombination', f.secret({ doc: 'A setting that is a secret.', max: 100 }), '')],
  },
  schema: `${tableSql(gear)} ${tableSql(wheel)}
    alter table gear add foreign key (mainwheelid) references wheel;
    alter table wheel add foreign key (gearid) references gear, add foreign key (turnswheelid) references wheel;`,
};
