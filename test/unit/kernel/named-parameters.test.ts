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
    [{ names: 'Count' }, /Count is not a parameter with an ID/],
    [{ names: { object: 'Count', id: 'ObjectID' } }, /Count is not a parameter with the name of a record type/],
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
 * Parameters with ids that the door does not reach, and why; those of configuration aside, which all may read. Any
 * other id must be among the `names` of its operation.
 */
const unnamed: Readonly<Record<string, string>> = {
  'any/listbyobject ObjectID': 'the list is empty below a record that is not visible',
  'bulkrun/preview ID': 'a filter of the list, whose type is RecordType',
  'bulkrun/start ID': 'a filter of the list, whose type is RecordType',
  'businessrule/try RecordID': 'its type is in the rule, and the error names the parameter',
  'collection/memberlist CollectionID': 'the list is empty for a collection that is not visible',
  'decision/advance CompleteStepID': 'a step of the workflow that ID names',
  'decision/advance FailStepID': 'a step of the workflow that ID names',
  'decision/advance StartStepID': 'a step of the workflow that ID names',
  'decision/backfill AfterID': 'a position in the list of workflows',
  'decision/begin DecisionTemplateID': 'a value, checked by the save',
  'decision/begin ObjectID': 'a value, checked by the save',
  'decision/preview DecisionStepID': 'a step of the workflow that ID names, or of its template',
  'decision/reprocess DecisionStepTemplateID': 'a step of the template that the workflow follows',
  'decision/restart DecisionStepID': 'a step of the workflow that ID names',
  'decision/skipforward DecisionStepID': 'a step of the template that the workflow follows',
  'decision/startstep DecisionStepID': 'a step of the workflow that ID names',
  'decisionstep/errorrequeue DecisionStepTemplateID': 'a filter of steps that are visible',
  'follow/remove ObjectID': 'what the caller follows, also where access to the record was lost',
  'handover/deactivate CasePersonID': 'a value: it must be an active user',
  'handover/deactivate WorkPersonID': 'a value: it must be an active user',
  'importfile/correct Line': 'lines of the file that ID names',
  'importfile/failedrows Line': 'lines of the file that ID names',
  'importfilequeue/process From': 'a position in the rows of the batch',
  'importfilequeue/process To': 'a position in the rows of the batch',
  'importfiletemplate/detecttemplate AttachmentID': 'importfile/detect reaches it, which it calls',
  'importform/pause ObjectID': 'importform/save checks it, which it calls',
  'inbox/threads TeamID': 'a filter of the list',
  'ledgeritem/timeentries ObjectID': 'a filter of the list',
  'ledgeritem/timeentries PersonID': 'a filter of the list',
  'ledgeritem/timetotals ObjectID': 'a filter of the list',
  'ledgeritem/timetotals PersonID': 'a filter of the list',
  'loan/waiting OrganizationID': 'a filter of cases, for staff alone',
  'maildelivery/post AttachmentID': 'they are read when the mail is composed',
  'maildelivery/post ObjectID': 'a value, which may be of a record that is deleted',
  'matrix/lookupbyobject ObjectID': 'the summary reaches it, which it calls',
  'message/generate ParentMessageID': 'a value, read as the caller',
  'message/listbyobject ObjectID': 'the list is empty below a record that is not visible',
  'message/preview ParentMessageID': 'a value, read as the caller',
  'message/send ParentMessageID': 'a value, read as the caller',
  'matrix/restoreversion MatrixVersionID': 'a version of the decision table that ID names',
  'notification/markallread UpTo': "a position in the caller's notifications",
  'notification/mine Before': "a position in the caller's notifications",
  'organization/schedule/listen OrganizationScheduleID': 'one of the schedules of the organization that ID names',
  'organization/schedule/listen PersonID': 'a value: it must be a user of the organization',
  'queue/discard PersonID': 'a filter of queued calls',
  'queue/requeue PersonID': 'a filter of queued calls',
  'queue/schedules PersonID': 'a filter of the list',
  'queue/search PersonID': 'a filter of the list',
  'role/granted ID': 'a filter of the list',
  'casesummary/stagedays ID': 'a filter of the summaries',
  'score/analyzebyobject ObjectID': 'a filter of the list',
  'score/save ObjectID': 'a value, checked by the save',
  'score/savecalculate ObjectID': 'a value, checked by the save',
  'scoretemplate/create RenderID': 'a value, checked by the save',
  'securelink/file AttachmentID': 'a document of the message of the link',
  'securelink/revoke ID': 'links of the message that MessageID names',
  'smartworklist/counts ID': 'a filter of the list',
  'smartworklist/counts PersonID': 'a filter of the list',
  'smartworklist/counts TeamID': 'a filter of the list',
  'smartworklist/teamqueues TeamID': 'a filter of the list',
  'smartworklistmember/audit AuditWorklistID': 'locked as an open queue, whose error names the parameter',
  'smartworklistmember/audit SmartWorklistID': 'locked as an open queue, whose error names the parameter',
  'smartworklistmember/cancelobject ObjectID': 'a filter of work items: the record may be deleted',
  'smartworklistmember/explain PersonID': 'a value: it must be an active user',
  'smartworklistmember/handover PersonID': "a value: it must be an active user of the item's team",
  'smartworklistmember/place SmartWorklistID': 'locked as an open queue, whose error names the parameter',
  'smartworklistmember/place SourceObjectID': 'reached with the items that saves and forms place',
  'smartworklistmember/reassign PersonID': 'a value: it must be an active user',
  'smartworklistmember/reassign TeamID': 'a value: it must be a collection of users',
  'smartworklisttemplate/assignteam TeamID': 'a value, checked by the save',
  'system/deleteindex SearchIndexID': 'an index of the database',
  'view/counts ID': "a filter of the caller's views",
  'view/pin ViewID': 'one of the views that the caller sees in lists',
  'webhook/create OrganizationID': 'a value, stored in the webhook',
  'webhookdelivery/deliver WebhookDeliveryID': 'claimed by one statement; one that is missing is not due',
  'webhookdelivery/deliver WebhookID': 'a missing webhook has no events to send',
};

/** Files of modules that check reach by hand, and the records that the door cannot know. */
const byHand: Readonly<Record<string, string>> = {
  'src/modules/contacts/records/collectionmember.reactions.ts': 'a member, of the type of its stored collection',
  'src/modules/records/objectlink/lib/link-sides.ts': 'the sides of a link, which a save can name by external ID',
  'src/modules/rules/score/lib/score-rows.ts': "the parent of a list's route, before the scorecard is looked up",
  'src/modules/work/smartworklistmember/lib/place-item.ts': 'the record of a work item, which saves and forms name too',
};

/** Returns the parameters with ids, those of configuration aside, that no operation `names`, as `route Parameter`. */
function unnamedParameters(registry: Registry): string[] {
  const found = registry.operations().flatMap((operation) => {
    const { params, record, route } = operation;
    const named = new Set(namedParameters(operation).map(({ id }) => id));
    const [, ...path] = route.split('/');
    const shown = record && registry.isGeneric(record, path.join('/')) ? `any/${path.join('/')}` : route;
    return Object.entries(params)
      .filter(([name, { kind, to }]) => {
        const isConfiguration = to !== undefined && registry.record(to)?.reach === 'configuration';
        return (kind === 'id' || kind === 'idList') && !isConfiguration && !named.has(name);
      })
      .map(([name]) => `${shown} ${name}`);
  });
  return [...new Set(found)].sort();
}

describe('the door reaches the records that operations name', () => {
  const registry = new Registry(declarations);

  it('every parameter with ids is named, or is listed here with the reason', () => {
    assert.deepEqual(unnamedParameters(registry), Object.keys(unnamed).sort());
  });

  it('an operation that names records, and is neither reached by the door nor reaches them with a reason, is found', () => {
    assert.deepEqual(
      unnamedParameters(registryWith({})),
      ['HelperID', 'ID', 'IDs', 'ObjectID'].map((name) => `chore/touch ${name}`),
    );
    const names = ['ID', 'IDs', 'HelperID', { object: 'Object', id: 'ObjectID' }] as const;
    assert.deepEqual(unnamedParameters(registryWith({ names })), []);
    assert.deepEqual(unnamedParameters(registryWith({ names, reach: { own: 'It can be deleted already.' } })), []);
  });

  it('modules check reach by hand only where an operation finds the record itself', () => {
    const files = globSync('src/modules/**/*.ts').filter((path) =>
      readFileSync(path, 'utf8').includes('assertReachable('),
    );
    assert.deepEqual(files.sort(), Object.keys(byHand).sort());
  });

  it('few operations reach their records themselves', () => {
    const own = registry.operations().filter(({ reach }) => typeof reach === 'object');
    // Each is an exception that its reason explains: at most one of thirty operations.
    assert.ok(new Set(own.map(({ run }) => run)).size <= registry.operations().length / 30);
  });
});
