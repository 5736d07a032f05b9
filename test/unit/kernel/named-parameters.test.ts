import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { declarations } from '../../../src/app/catalog.gen.ts';
import { f, required } from '../../../src/kernel/declare/field.ts';
import { namedParameters } from '../../../src/kernel/declare/named-parameters.ts';
import { defineOperation, type OperationDeclaration } from '../../../src/kernel/declare/operation.ts';
import { defineRecord } from '../../../src/kernel/declare/record.ts';
import { Registry } from '../../../src/kernel/declare/registry.ts';

const chore = defineRecord({ name: 'Chore', doc: 'Something to be done.', reach: 'one', fields: {} });
const params = {
  ID: required(f.id({ doc: 'The chore.' })),
  IDs: f.idList({ doc: 'Chores.' }),
  HelperID: f.id({ doc: 'Another chore.', to: 'Chore' }),
  Object: f.text({ doc: 'A record type.' }),
  ObjectID: f.id({ doc: 'A record.' }),
  Count: f.integer({ doc: 'A number.' }),
};
const base = defineOperation({
  module: 'chore',
  name: 'Touch',
  method: 'POST',
  summary: 'Of tests.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params,
  returns: 'nothing',
  errors: [],
  source: 'tests',
});

/** Returns a registry with one operation, whose declaration is changed. */
function registryWith(changed: Partial<OperationDeclaration<typeof params>>): Registry {
  const operation = { ...base, ...changed } as OperationDeclaration;
  return new Registry({
    records: [chore],
    operations: [{ operation, run: () => Promise.resolve({ kind: 'nothing' }) }],
  });
}

describe('an operation declares how the records that it names are reached', () => {
  const accepted: readonly Partial<OperationDeclaration<typeof params>>[] = [
    {},
    { names: 'ID' },
    { names: 'ID', reach: 'row' },
    { names: 'IDs', reach: 'locked row' },
    { names: ['ID', 'HelperID', { object: 'Object', id: 'ObjectID' }] },
    { names: 'ID', reach: { own: 'It can be deleted already.' } },
  ];
  for (const changed of accepted)
    it(`${JSON.stringify(changed)} is accepted`, () => {
      assert.equal(registryWith(changed).operations().length, 1);
    });

  const refused: readonly [Partial<OperationDeclaration<typeof params>>, RegExp][] = [
    [{ names: 'ID', reach: { own: ' ' } }, /the reason/],
    [{ reach: 'row' }, /no parameter that names a record/],
    [{ reach: { own: 'It names none.' } }, /no parameter that names a record/],
    [{ names: 'Count' }, /Count is no parameter with an id/],
    [{ names: { object: 'Count', id: 'ObjectID' } }, /Count is no parameter with the name of a record type/],
    [{ names: 'ID', reach: 'locked row', effect: 'read' }, /only in the transaction/],
    [{ names: 'ID', reach: 'locked row', transactions: 'own' }, /only in the transaction/],
    [{ names: 'IDs', reach: 'row' }, /only if it locks them/],
    [{ module: 'probe', names: 'ID' }, /which records ID names/],
  ];
  for (const [changed, why] of refused)
    it(`${JSON.stringify(changed)} is refused when the platform starts`, () => {
      assert.throws(() => registryWith(changed), why);
    });

  it('a misspelled parameter does not compile', () => {
    defineOperation({
      ...base,
      // @ts-expect-error -- there is no parameter of this name
      names: 'Id',
    });
  });
});

/**
 * Parameters with ids of firms' records, or named ID, that the door does not reach, and why. Any other parameter of
 * this kind must be among the `names` of its operation.
 */
const unnamed: Readonly<Record<string, string>> = {
  'collection/memberlist CollectionID': 'the list is empty for a collection that is not visible',
  'importfiletemplate/detecttemplate AttachmentID': 'importfile/detect reaches it, which it calls',
  'matrix/analyze ID': 'or a name: configuration, found in the cache',
  'matrix/columns ID': 'or a name: configuration, found in the cache',
  'matrix/explain ID': 'or a name: configuration, found in the cache',
  'matrix/exporttable ID': 'or a name: configuration, found in the cache',
  'matrix/lookup ID': 'or a name: configuration, found in the cache',
  'matrix/lookupbyobject ID': 'or a name: configuration, found in the cache',
  'organization/schedule/listen PersonID': 'a value: it must be a user of the organization',
  'smartworklist/counts ID': 'a filter of the list',
  'smartworklist/counts PersonID': 'a filter of the list',
  'smartworklist/counts TeamID': 'a filter of the list',
  'smartworklistmember/audit AuditWorklistID': 'locked as an open queue, whose error names the parameter',
  'smartworklistmember/audit SmartWorklistID': 'locked as an open queue, whose error names the parameter',
  'smartworklistmember/explain PersonID': 'a value: it must be an active user',
  'smartworklistmember/place SmartWorklistID': 'locked as an open queue, whose error names the parameter',
  'smartworklistmember/reassign PersonID': 'a value: it must be an active user',
  'smartworklistmember/reassign TeamID': 'a value: it must be a collection of users',
  'smartworklisttemplate/assignteam TeamID': 'a value, checked by the save',
  'webhook/create OrganizationID': 'a value, stored in the webhook',
  'webhookdelivery/deliver WebhookID': 'a missing webhook has no events to send',
};

/** Files of modules that check reach by hand, and the records that the door cannot know. */
const byHand: Readonly<Record<string, string>> = {
  'src/modules/contacts/records/collectionmember.reactions.ts': 'a member, of the type of its stored collection',
  'src/modules/records/objectlink/lib/link-sides.ts': 'the sides of a link, which a save can name by external ID',
  'src/modules/rules/score/lib/score-rows.ts': "the parent of a list's route, before the scorecard is looked up",
  'src/modules/work/smartworklistmember/lib/place-item.ts': 'the record of a work item, which saves and forms name too',
};

/** Returns the parameters with ids of firms' records, or named ID, that no operation `names`, as `route Parameter`. */
function unnamedParameters(registry: Registry): string[] {
  return registry.operations().flatMap((operation) => {
    const named = new Set(namedParameters(operation).map(({ id }) => id));
    return Object.entries(operation.params)
      .filter(([name, { kind, to }]) => {
        const target = to === undefined ? undefined : registry.record(to);
        const isOfFirms = target !== undefined && target.reach !== 'configuration';
        return (kind === 'id' || kind === 'idList') && (name === 'ID' || isOfFirms) && !named.has(name);
      })
      .map(([name]) => `${operation.route} ${name}`);
  });
}

describe('the door reaches the records that operations name', () => {
  const registry = new Registry(declarations);

  it("every parameter with ids of firms' records is named, or is listed here with the reason", () => {
    assert.deepEqual(unnamedParameters(registry).sort(), Object.keys(unnamed).sort());
  });

  it('an operation that names records, and is neither reached by the door nor reaches them with a reason, is found', () => {
    assert.deepEqual(unnamedParameters(registryWith({})), ['chore/touch ID', 'chore/touch HelperID']);
    assert.deepEqual(unnamedParameters(registryWith({ names: ['ID', 'HelperID'] })), []);
    const own = { own: 'It can be deleted already.' };
    assert.deepEqual(unnamedParameters(registryWith({ names: ['ID', 'HelperID'], reach: own })), []);
  });

  it('modules check reach by hand only where an operation finds the record itself', () => {
    const files = globSync('src/modules/**/*.ts').filter((path) =>
      readFileSync(path, 'utf8').includes('assertReachable('),
    );
    assert.deepEqual(files.sort(), Object.keys(byHand).sort());
  });

  it('few operations reach their records themselves', () => {
    const own = registry.operations().filter(({ reach }) => typeof reach === 'object');
    assert.ok(new Set(own.map(({ run }) => run)).size < 15);
  });
});
