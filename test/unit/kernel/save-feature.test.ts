import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { PlatformError } from '../../../src/kernel/door/errors.ts';
import { f } from '../../../src/kernel/declare/field.ts';
import { defineRecord, type RecordType } from '../../../src/kernel/declare/record.ts';
import { Registry } from '../../../src/kernel/declare/registry.ts';
import { defineSaveFeature, requireState, stateOf } from '../../../src/kernel/declare/save-feature.ts';
import { planSave, type SavePlan } from '../../../src/kernel/records/save/plan.ts';

const gadget = defineRecord({
  name: 'Gadget',
  doc: 'A record type with a feature.',
  reach: 'none',
  fields: { Size: f.integer({ doc: 'Its size.' }) },
});
const widget = defineRecord({ name: 'Widget', doc: 'One without.', reach: 'none', fields: {} });

/** Notes a colour. */
const colour = defineSaveFeature({
  doc: 'A gadget has a colour.',
  appliesTo: ({ name }) => name === 'Gadget',
  initial: () => ({ names: [] as string[] }),
  parameterNames: () => ['Colour'],
  parse({ plan }, { name, raw }) {
    if (name.toLowerCase() !== 'colour') return false;
    requireState(plan, colour).names.push(String(raw));
    return true;
  },
  assertParsed(plan) {
    if (stateOf(plan, colour)?.names.includes('none')) throw new PlatformError('BAD_PARAMETER', { field: 'Colour' });
  },
});

/** Notes any other name that starts with x. */
const rest = defineSaveFeature({
  doc: 'A gadget accepts names with x.',
  appliesTo: ({ name }) => name === 'Gadget',
  initial: () => new Set<string>(),
  parseRest({ plan }, { name }) {
    if (!name.startsWith('x')) return false;
    requireState(plan, rest).add(name);
    return true;
  },
});

const registry = new Registry({ records: [gadget, widget], operations: [], saveFeatures: [colour, rest] });
const plan = (parameters: Record<string, string>, record: RecordType = gadget): SavePlan =>
  planSave(registry, record, parameters, { timeZone: 'UTC' });

describe('features of saves', () => {
  it('parse their parameters into their own state, after columns and before any other name', () => {
    const parsed = plan({ Size: '1', Gadget_Colour: 'red', colour: 'blue', xtra: '1' });
    assert.deepEqual(parsed.values, { Size: 1 });
    assert.deepEqual(stateOf(parsed, colour), { names: ['red', 'blue'] });
    assert.deepEqual(stateOf(parsed, rest), new Set(['xtra']));
  });

  it('note nothing where nothing was sent', () => {
    assert.equal(plan({ Size: '1' }).features.size, 0);
  });

  it('refuse incomplete parameters when all of a record are parsed', () => {
    assert.throws(() => plan({ Colour: 'none' }), { code: 'BAD_PARAMETER', field: 'Colour' });
  });

  it('are named among the known parameters of an unknown one', () => {
    assert.throws(() => plan({ Colou: 'red' }), /Did you mean Colour/);
  });

  it('apply only to the record types that they are declared for', () => {
    assert.throws(() => plan({ Colour: 'red' }, widget), { code: 'UNKNOWN_PARAMETER' });
    assert.deepEqual(registry.saveFeatures(widget), []);
  });
});

describe('the save of the kernel', () => {
  it('knows none of the modules that add features to it', () => {
    // Rule sets apply themselves through a port, as business rules do.
    const names = /importform|contactmethod|oneOfKind|updatefromrule|RuleSetMatrix|objectlink/i;
    const found = globSync('src/kernel/records/{save,history}/*.ts').filter((path) =>
      names.test(readFileSync(path, 'utf8')),
    );
    assert.deepEqual(found, []);
  });
});
