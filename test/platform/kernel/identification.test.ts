import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { typeAndBases } from '../../../src/kernel/parameters/identification.ts';
import type { Operation } from '../../../src/kernel/declare/operation.ts';
import { client, type Row } from '../../support/client.ts';
import { testPlatform, type TestAnswer } from '../../support/platform.ts';

const p = await testPlatform({ after });
const admin = client(p);
const { registry, store } = p.platform;

/** Ids that no record has: contradictions are refused before anything is looked up. */
const [FIRST, SECOND] = [9_000_001, 9_000_002];
const EXTERNAL = 'external id of the second';

/** Every record type has the external ID of its second id. */
for (const record of registry.records())
  await store.query(
    `insert into objectsubscription (object, objectid, organizationid, subscriberid, objectsubscription)
     values ($1::text, $2::bigint, 0, $3::text, $3::text)`,
    [record.name, SECOND, `${EXTERNAL} ${record.root.name}`],
  );

/** Whether the operation works on a record of its own type that a call names by `ID`. */
function isIdentified({ params, free, body, record, route }: Operation): boolean {
  // A watch has the fields of documents that it will create, and names none.
  if (!record || body === 'raw' || route.includes('{') || route === 'attachment/watch') return false;
  return free === 'fields' ? true : params['ID'] !== undefined && free !== 'filters';
}

const identified = registry.operations().filter(isIdentified);
/** Those of one record type, and those that only one type has: the others are declared once for all types. */
const varied = identified.filter(
  ({ record, name }) =>
    record?.name === 'Organization' || identified.filter((other) => other.name === name).length === 1,
);

/** Whether the record is named among the fields to save; an external ID is then looked up when it is saved. */
const isSaved = ({ params, free }: Operation): boolean => free === 'fields' && params['ID'] === undefined;

/** The message of a refusal as a contradiction; undefined for any other answer. */
function contradictionIn(answer: TestAnswer): string | undefined {
  if (answer.status !== 400) return undefined;
  const message = String((answer.json()['Error'] as unknown as Row)['Message']);
  return message.includes(' name different records; send one of them') ? message : undefined;
}

async function assertContradiction(
  answer: Promise<TestAnswer>,
  names: readonly [string, string],
  what: string,
): Promise<void> {
  const got = await answer;
  const message = contradictionIn(got);
  assert.ok(message !== undefined, `${what}: ${got.status} ${got.text.slice(0, 300)}`);
  for (const name of names)
    assert.match(message, new RegExp(`(?:^| and )${name}(?: in the \\w+)?(?: and | name )`), what);
}

describe('KRN-03 KRN-04 two identifications of a record', () => {
  it('KRN-03 KRN-07 that contradict each other are refused by every operation, which names both, in any order', async () => {
    assert.ok(identified.length > 400, String(identified.length));
    for (const { route, record } of identified) {
      if (!record) continue;
      for (const { idField } of typeAndBases(record))
        await assertContradiction(admin.send(route, { ID: FIRST, [idField]: SECOND }), ['ID', idField], route);
    }
    for (const { route, record } of varied) {
      const idField = String(record?.idField).toLowerCase();
      await assertContradiction(admin.send(route, { [idField]: SECOND, ID: FIRST }), [idField, 'ID'], route);
      await assertContradiction(admin.send(`${route}/${FIRST}`, { [idField]: SECOND }), [idField, 'ID'], route);
      await assertContradiction(admin.send(`${route}/${FIRST}`, { ID: SECOND }), ['The path', 'ID'], route);
      await assertContradiction(
        p.admin.post(`/api/${route}?Output=Json&ID=${FIRST}`, { ID: SECOND }),
        ['ID in the query', 'ID in the body'],
        route,
      );
    }
  });

  it('KRN-12 KRN-03 an external ID of another record than the ID is refused by every operation', async () => {
    for (const operation of identified) {
      const { route, record } = operation;
      if (!record || isSaved(operation) || record.columns.has('subscriberid')) continue;
      const SubscriberID = `${EXTERNAL} ${record.root.name}`;
      const answer = await admin.send(route, { ...missing(operation), ID: FIRST, SubscriberID });
      assert.ok(
        contradictionIn(answer)?.includes('SubscriberID'),
        `${route}: ${answer.status} ${answer.text.slice(0, 300)}`,
      );
      if (!varied.includes(operation)) continue;
      const byPath = await admin.send(`${route}/${FIRST}`, { ...missing(operation), SubscriberID });
      assert.ok(contradictionIn(byPath)?.includes('SubscriberID'), `${route}: ${byPath.text.slice(0, 300)}`);
    }
  });

  it('KRN-03 that name the same record are accepted: the answer is the same as for one of them', async () => {
    for (const { route, record } of varied.filter(({ effect }) => effect === 'read')) {
      if (!record) continue;
      const plain = await admin.send(route, { ID: SECOND });
      for (const { idField } of typeAndBases(record)) {
        const both = await admin.send(route, { ID: SECOND, [idField]: String(SECOND) });
        assert.deepEqual([both.status, withoutCall(both)], [plain.status, withoutCall(plain)], route);
      }
    }
  });

  it('KRN-03 KRN-04 change or delete nothing when they differ', async () => {
    const [one, two] = [await newLoan('930000001'), await newLoan('930000002')];
    const versions = (): Promise<Row[]> =>
      store.query('select loanid, version from loan where loanid = any($1::bigint[]) order by 1', [`{${one},${two}}`]);
    const before = await versions();
    for (const [route, parameters] of [
      ['loan/delete', { ID: one, LoanID: two }],
      ['loan/save', { ID: one, LoanID: two, UPBAmount: 777 }],
      ['loan/update', { ID: one, SubscriberID: '930000002', UPBAmount: 777 }],
      [`loan/${one}`, { LoanID: two, UPBAmount: 777 }],
      [`loan/delete/${one}`, { SubscriberID: '930000002' }],
    ] as const) {
      const answer = await admin.send(route, parameters);
      assert.ok(contradictionIn(answer), `${route}: ${answer.text}`);
    }
    assert.deepEqual(await versions(), before);
    const loan = await admin.expectOk('loan/save', { ID: one, LoanID: one, SubscriberID: '930000001', UPBAmount: 5 });
    assert.equal(loan['LoanID'], one);
  });

  it('KRN-09 KRN-12 are refused for nested, linked and referred records, and on links', async () => {
    const [one, two] = [await newLoan('930000003'), await newLoan('930000004')];
    const third = Number((await admin.save('contact', { LastName: 'Third' }))['ContactID']);
    for (const [route, parameters, names] of [
      [
        'loan/save',
        { ID: one, Contacts: [{ ID: third, ContactID: SECOND }] },
        'Contacts_0_ID and Contacts_0_ContactID',
      ],
      [
        'contact/save',
        { LastName: 'x', ParentContactID: third, ParentContact: { ID: SECOND } },
        'ParentContactID and ParentContact_ID',
      ],
      [
        'contact/save',
        { LastName: 'x', Object: 'Loan', ObjectID: one, ObjectSubscriberID: '930000004' },
        'ObjectID and ObjectSubscriberID',
      ],
      [
        `loan/${one}/contact/save`,
        { LastName: 'x', ObjectSubscriberID: '930000004' },
        'ObjectID and ObjectSubscriberID',
      ],
      [
        'contact/save',
        { LastName: 'x', TemplateID: FIRST, ContactTemplateID: SECOND },
        'TemplateID and ContactTemplateID',
      ],
      [
        'objectlink/save',
        {
          PrimaryObject: 'Loan',
          PrimaryObjectID: one,
          PrimaryObjectSubscriberID: '930000004',
          LinkedObject: 'Contact',
          LinkedObjectID: third,
        },
        'PrimaryObjectID and PrimaryObjectSubscriberID',
      ],
      [
        'objectlink/save',
        {
          PrimaryObject: 'Contact',
          PrimaryObjectID: third,
          LinkedObject: 'Loan',
          LinkedObjectID: two,
          LinkedObjectSubscriberID: '930000003',
        },
        'LinkedObjectID and LinkedObjectSubscriberID',
      ],
      [
        'message/listbyobject',
        { Object: 'Loan', ObjectID: one, ObjectSubscriberID: '930000004' },
        'ObjectID and ObjectSubscriberID',
      ],
    ] as const) {
      const answer = await admin.send(route, parameters);
      assert.equal(contradictionIn(answer)?.split(' name different')[0], names, `${route}: ${answer.text}`);
    }
    const link = await admin.expectOk('objectlink/save', {
      PrimaryObject: 'Loan',
      PrimaryObjectID: one,
      PrimaryObjectSubscriberID: '930000003',
      LinkedObject: 'Contact',
      LinkedObjectID: third,
    });
    assert.equal(link['PrimaryObjectID'], one);
  });
});

async function newLoan(number: string): Promise<number> {
  return Number((await admin.save('loan', { Loan: number, SubscriberID: number }))['LoanID']);
}

/** Plausible values for required parameters besides the ID: they are checked before external IDs are looked up. */
function missing({ params }: Operation): Row {
  const values: Row = {
    id: 1,
    idList: [1],
    text: 'x',
    textList: ['x'],
    integer: 1,
    boolean: true,
    date: '2026-01-01',
    money: '1.00',
    decimal: '1',
    json: '[]',
  };
  return Object.fromEntries(
    Object.entries(params)
      .filter(([name, field]) => name !== 'ID' && field.required)
      .map(([name, field]) => [name, field.values?.[0] ?? values[field.kind] ?? '2026-01-01T00:00:00Z']),
  );
}

function withoutCall({ text }: TestAnswer): string {
  return text.replace(/"CorrelationID":"[^"]*"/, '');
}
