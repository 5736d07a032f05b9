import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Answer } from '../../../src/kernel/door/answer.ts';
import type { Context } from '../../../src/kernel/door/context.ts';
import { PlatformError } from '../../../src/kernel/door/errors.ts';
import { insertMany } from '../../../src/kernel/records/save/insert-many.ts';
import { insertRow } from '../../../src/kernel/records/save/insert-row.ts';
import { signatureHeaders } from '../../../src/modules/integrations/webhookdelivery/lib/signature.ts';
import { fixture, work } from '../../support/kernel/fixture.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform, type Caller } from '../../support/platform.ts';
import { isSigned, startReceiver, type Received, type Receiver } from '../../support/peers/receiver.ts';
import { foreclosure, referralFirm, sendReferral } from '../../support/imports/referrals.ts';

const on = await testPlatform({ after }, { worker: true, fixture });
const nothing: Answer = { kind: 'nothing' };

before(async () => {
  assert.equal(
    (await on.admin.post('/api/setting/save', { Setting: 'OutboundHttpLoopback', Value: 'true' })).status,
    200,
  );
});

/**
 * Creates a webhook and its receiver. Deactivates the webhook after the test, so that other tests' events are not sent.
 */
async function webhook(
  t: { after(fn: () => unknown): void },
  events: string,
  more: Record<string, unknown> = {},
): Promise<{ id: number; secret: string; receiver: Receiver }> {
  const receiver = await startReceiver(t);
  const made = await on.admin.post('/api/webhook/create?Output=Json', {
    URL: `${receiver.url}/events?of=casewright`,
    Events: events,
    ...more,
  });
  assert.equal(made.status, 200, made.text);
  const id = Number(made.json()['WebhookID']);
  t.after(() => on.admin.post('/api/webhook/save', { ID: id, IsActive: false }));
  return { id, secret: String(made.json()['Secret']), receiver };
}

async function save(
  module: string,
  values: Record<string, unknown>,
  caller: Caller = on.admin,
): Promise<Record<string, unknown>> {
  const answer = await caller.post(`/api/${module}/save?Output=Json`, values);
  assert.equal(answer.status, 200, answer.text);
  return answer.json();
}

/** Runs in the transaction of one call, like a module's code. */
async function inCall(name: string, run: (ctx: Context) => Promise<unknown>): Promise<number> {
  work.set(name, async (ctx) => {
    await run(ctx);
    return nothing;
  });
  return (await on.admin.post(`/api/probe/run?Work=${encodeURIComponent(name)}`)).status;
}

const rows = async <R extends object>(text: string, params: unknown[] = []): Promise<R[]> => [
  ...(await on.platform.store.query<R>(text, params)),
];
const typesOf = (received: readonly Received[]): string[] => received.map((r) => r.json().type);
const refused = async (values: Record<string, unknown>, message: RegExp): Promise<void> => {
  const answer = await on.admin.post('/api/webhook/create?Output=Json', {
    URL: 'https://hooks.example.com/',
    Events: 'Loan.insert',
    ...values,
  });
  assert.equal(answer.status, 400, `${JSON.stringify(values)} ${answer.text}`);
  assert.match(answer.text, message);
};

describe('published events', () => {
  it('an event is posted once to its webhook, signed so that a verifier written from the convention accepts it, and says what changed without values', async (t) => {
    const { id, secret, receiver } = await webhook(t, 'contact.INSERT', {
      Headers: 'Authorization: Bearer of the receiver\nX-Tenant: north',
    });
    const contact = await save('contact', {
      LastName: 'Quixotian',
      FirstName: 'Told',
      USSSN: '123-45-6780',
      State: 'OH',
    });
    const [one] = await receiver.until(1);
    assert.ok(one);
    assert.equal(one.method, 'POST');
    assert.equal(one.path, '/events?of=casewright');
    assert.equal(one.headers['content-type'], 'application/json; charset=utf-8');
    assert.equal(one.headers['authorization'], 'Bearer of the receiver');
    assert.equal(one.headers['x-tenant'], 'north');
    const body = one.json();
    assert.deepEqual(Object.keys(body), ['id', 'type', 'timestamp', 'sequence', 'data']);
    assert.equal(body.id, one.headers['webhook-id']);
    assert.equal(body.type, 'Contact.insert');
    assert.equal(new Date(body.timestamp).toISOString(), body.timestamp);
    const { Changed, ...facts } = body.data;
    assert.deepEqual(facts, {
      Record: 'Contact',
      Bases: [],
      RecordID: contact['ContactID'],
      Change: 'insert',
      Version: 1,
    });
    for (const name of ['LastName', 'State', 'USSSN']) assert.ok((Changed as string[]).includes(name), name);
    assert.ok(!(Changed as string[]).includes('City'));
    assert.doesNotMatch(JSON.stringify(one), /Quixotian|Told|6780|\bOH\b/);
    const now = Date.now() / 1000;
    assert.ok(isSigned(secret, one, now));
    assert.ok(!isSigned(secret, { ...one, body: one.body.replace('insert', 'delete') }, now), 'another body');
    assert.ok(!isSigned(secret, one, now + 3_600), 'an hour later');
    assert.ok(!isSigned(`whsec_${Buffer.alloc(32).toString('base64')}`, one, now), 'another secret');
    await eventually(
      'the delivery is recorded',
      async () =>
        (
          await rows(
            `select 1
             from webhookdelivery
             where webhookid = $1 and status = $2 and attempts = 1 and responsecode = 204`,
            [id, 'Delivered'],
          )
        ).length === 1,
    );
    assert.equal(receiver.received.length, 1);
  });

  it("signs as the convention's published example", () => {
    const headers = signatureHeaders(
      ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      1_614_265_330,
      '{"test": 2432232314}',
    );
    assert.equal(headers['webhook-signature'], 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it('KRN-23 changes that a call rolls back are not published, as a whole or behind a savepoint; committed ones are', async (t) => {
    const { receiver } = await webhook(t, 'Contact.*');
    const insert = (ctx: Context, name: string) =>
      insertRow(ctx, ctx.registry.recordType('Contact'), { LastName: name });
    assert.equal(
      await inCall('undone', async (ctx) => {
        await insert(ctx, 'undone');
        throw new PlatformError('RULE_EXCEPTION');
      }),
      422,
    );
    assert.equal(
      await inCall('partly undone', async (ctx) => {
        await assert.rejects(
          ctx.transaction().savepoint(async () => {
            await insert(ctx, 'behind a savepoint');
            throw new Error('on purpose');
          }),
          /on purpose/,
        );
        await insert(ctx, 'kept');
      }),
      204,
    );
    const [committed] = await rows<{ id: number }>(`select contactid as id from contact where lastname = 'kept'`);
    await receiver.until(1);
    assert.deepEqual(
      receiver.received.map((r) => r.json().data['RecordID']),
      [committed?.id],
    );
    assert.equal(
      (
        await rows(
          `select 1
           from webhookdelivery d
           where object = 'Contact' and not exists (select from contact c where c.contactid = d.objectid)`,
        )
      ).length,
      0,
    );
  });

  it('children, linked records and rows inserted in bulk are published, each under its own type', async (t) => {
    const { receiver } = await webhook(t, 'Contact.insert, ContactMethod.insert');
    await save('contact', {
      LastName: 'Parent',
      Contacts: [{ LastName: 'Child' }],
      Methods: [
        { MethodType: 'Email', ContactValue: 'a@example.test' },
        { MethodType: 'Phone', ContactValue: '1' },
      ],
    });
    await receiver.until(4);
    assert.deepEqual(typesOf(receiver.events()).sort(), [
      'Contact.insert',
      'Contact.insert',
      'ContactMethod.insert',
      'ContactMethod.insert',
    ]);
    const [contact] = await rows<{ contactid: number }>('select contactid from contact limit 1');
    assert.equal(
      await inCall('bulk', (ctx) =>
        insertMany(
          ctx,
          ctx.registry.recordType('ContactMethod'),
          Array.from({ length: 40 }, (_, n) => ({
            ContactID: contact?.contactid ?? 0,
            MethodType: 'Phone',
            ContactValue: String(n),
          })),
        ),
      ),
      204,
    );
    await receiver.until(44);
    assert.equal(receiver.events('ContactMethod.insert').length, 42);
  });

  it('an update is published with the columns whose values changed, of SSNs the name alone; an unchanged save is no event', async (t) => {
    const { receiver } = await webhook(t, 'Contact.update');
    const { ContactID: ID } = await save('contact', { LastName: 'Changing', State: 'OH', USSSN: '123456781' });
    await save('contact', { ID, LastName: 'Changing', State: 'OH', USSSN: '123-45-6781' });
    await save('contact', { ID, LastName: 'Changed', State: 'OH' });
    await save('contact', { ID, USSSN: '223456781' });
    await save('contact', { ID, State: '' });
    await receiver.until(3);
    assert.deepEqual(
      receiver.events().map((r) => r.json().data['Changed']),
      [['Contact', 'LastName'], ['USSSN'], ['State']],
    );
    assert.deepEqual(
      receiver.events().map((r) => r.json().data['Version']),
      [3, 4, 5],
    );
  });

  it('a webhook with Columns receives updates that change one of them, and every insert', async (t) => {
    const { receiver } = await webhook(t, 'Loan.*', { Columns: 'status, UPBAmount' });
    const { LoanID: ID } = await save('loan', { Loan: '810000001', UPBAmount: '100.00' });
    await save('loan', { ID, ServicerLoanID: 'not watched' });
    await save('loan', { ID, UPBAmount: '100.5000' });
    await save('loan', { ID, UPBAmount: '100.50' });
    await save('loan', { ID, Status: 'Watched' });
    await receiver.until(3);
    assert.deepEqual(
      receiver
        .events()
        .map((r) => [r.json().type, r.json().data['Change'] === 'insert' ? null : r.json().data['Changed']]),
      [
        ['Loan.insert', null],
        ['Loan.update', ['UPBAmount']],
        ['Loan.update', ['Status']],
      ],
    );
  });

  it('Fields sends public values in the format of the JSON output, money exactly', async (t) => {
    const { receiver } = await webhook(t, 'Loan.update', { Fields: 'Loan,upbamount,Status' });
    const { LoanID: ID } = await save('loan', { Loan: '810000002', UPBAmount: '1' });
    await save('loan', { ID, UPBAmount: '123456789012345.67' });
    const [one] = await receiver.until(1);
    assert.match(one?.body ?? '', /"Fields":\{[^}]*"UPBAmount":123456789012345\.67[^}]*\}/);
    assert.equal((one?.json().data['Fields'] as Record<string, unknown> | undefined)?.['Loan'], '810000002');
  });

  it('a base type includes its derived types; a delete and an undelete are published as such', async (t) => {
    const { receiver } = await webhook(t, 'Process.*');
    const { ForeclosureID: id } = await save('foreclosure', {
      Foreclosure: 'Of webhooks',
      LoanID: (await save('loan', { Loan: '810000003' }))['LoanID'],
    });
    assert.equal((await on.admin.post(`/api/process/update?ID=${String(id)}`, { Status: 'Under Review' })).status, 200);
    assert.equal((await on.admin.post(`/api/foreclosure/delete?ID=${String(id)}`)).status, 200);
    assert.equal((await on.admin.post(`/api/foreclosure/undelete?ID=${String(id)}`)).status, 200);
    await receiver.until(4);
    assert.deepEqual(typesOf(receiver.events()), [
      'Foreclosure.insert',
      'Foreclosure.update',
      'Foreclosure.delete',
      'Foreclosure.undelete',
    ]);
    for (const { data } of receiver.events().map((r) => r.json()))
      assert.deepEqual([data['Record'], data['Bases'], data['RecordID']], ['Foreclosure', ['Process'], id]);
  });

  it("an import publishes what it saves, and a webhook with an organization receives only that firm's records", async (t) => {
    const [mine, theirs] = [await referralFirm(on, 'Subscribed Firm'), await referralFirm(on, 'Other Firm')];
    const limited = await webhook(t, '*', { OrganizationID: mine.organizationId });
    const all = await webhook(t, 'Foreclosure.insert');
    const sent = await sendReferral(mine.caller, 'foreclosure', foreclosure({ loan: '820000001' }));
    const other = await sendReferral(theirs.caller, 'foreclosure', foreclosure({ loan: '820000002' }));
    await all.receiver.until(2);
    assert.deepEqual(
      new Set(all.receiver.events().map((r) => r.json().data['RecordID'])),
      new Set([sent.caseId, other.caseId]),
    );
    await eventually(
      'nothing is pending',
      async () =>
        (
          await rows(`select 1 from webhookdelivery where webhookid = $1 and status in ('Waiting', 'Sending')`, [
            limited.id,
          ])
        ).length === 0,
    );
    const received = limited.receiver.events().map((r) => r.json());
    for (const type of [
      'Foreclosure.insert',
      'Loan.insert',
      'Contact.insert',
      'ImportFile.insert',
      'ImportFile.update',
    ])
      assert.ok(
        received.some((e) => e.type === type),
        `${type} is missing in ${[...new Set(received.map((e) => e.type))].join()}`,
      );
    assert.ok(received.some((e) => e.type === 'Foreclosure.insert' && e.data['RecordID'] === sent.caseId));
    assert.ok(!received.some((e) => e.type === 'Foreclosure.insert' && e.data['RecordID'] === other.caseId));
    const loans = await rows<{ loanid: number }>(
      'select loanid from loan where $1::bigint = any(reachorganizationid)',
      [mine.organizationId],
    );
    for (const event of received.filter((e) => e.data['Record'] === 'Loan'))
      assert.ok(loans.some((l) => l.loanid === event.data['RecordID']));
    // For a delete the row is read before it is removed.
    for (const id of [sent.caseId, other.caseId])
      await on.admin.post(`/api/foreclosure/save`, { ID: id, Status: 'Closed' });
    const contact = received.find((e) => e.type === 'Contact.insert')?.data['RecordID'];
    assert.equal((await on.admin.post('/api/contact/save', { ID: contact, State: 'TX' })).status, 200);
    await eventually('the update is published', () =>
      limited.receiver.events('Contact.update').some((r) => r.json().data['RecordID'] === contact),
    );
  });

  it("the deletion of a firm's record is published to its webhook, that of another firm's record is not", async (t) => {
    const [mine, theirs] = [await on.firm('Deleting Firm'), await on.firm('Other Deleting Firm')];
    const { id, receiver } = await webhook(t, 'Contact.delete', { OrganizationID: mine.organizationId });
    for (const { organizationId } of [theirs, mine]) {
      const { ContactID } = await save('contact', {
        Object: 'Organization',
        ObjectID: organizationId,
        LastName: 'Going',
      });
      assert.equal((await on.admin.post(`/api/contact/delete?ID=${String(ContactID)}`)).status, 200);
    }
    await receiver.until(1);
    assert.equal((await rows('select 1 from webhookdelivery where webhookid = $1', [id])).length, 1);
  });

  it("changes by a firm's user are published, although the user cannot see the deliveries", async (t) => {
    const { caller, organizationId } = await on.firm('Changing Firm', 'Partner, Data Service');
    await save('role', { Role: 'Contact Keeper', Permissions: 'ContactSave' });
    const { key } = await on.user('keeper of webhooks', 'Contact Keeper');
    await rows(`update person set organizationid = $1::bigint where person = 'keeper of webhooks'`, [organizationId]);
    const { receiver } = await webhook(t, 'Contact.insert');
    await eventually(
      'the user is of the firm',
      async () =>
        (
          await on
            .byKey(key)
            .post('/api/contact/save', { Object: 'Organization', ObjectID: organizationId, LastName: 'Made by a firm' })
        ).status === 200,
    );
    await receiver.until(1);
    for (const path of [
      'webhook/search',
      'webhookdelivery/search',
      'webhook/create',
      'webhookdelivery/replay',
      'webhookdelivery/deliver',
    ])
      assert.equal((await caller.get(`/api/${path}`)).status, 403, path);
  });
});

describe('configuration', () => {
  it('an unknown record type, kind of change or column is refused with the nearest', async () => {
    await refused({ Events: 'Forclosure.insert' }, /Foreclosure/);
    await refused({ Events: 'Loan.instert' }, /did you mean insert/);
    await refused({ Events: 'Loan' }, /Events: expected a record type/);
    await refused({ Events: 'Loan.insert.update' }, /Events/);
    await refused({ Events: 'SecurityLog.insert' }, /Events: expected record types that have events/);
    await refused({ Events: 'Zz*.insert' }, /Events/);
    await refused({ Events: ' , ' }, /Events/);
    await refused({ Columns: 'UPBAmuont' }, /UPBAmount/);
    await refused({ Fields: 'Nothing' }, /Fields/);
    const made = await on.admin.post('/api/webhook/create?Output=Json', {
      URL: 'https://hooks.example.com/',
      Events: 'loan.Insert, LOAN.insert,import*.UPDATE *.delete',
      IsActive: false,
    });
    assert.equal(made.json()['Events'], 'Loan.insert, import*.update, *.delete');
  });

  it('KRN-21 personal and secret columns, labels derived from them, and digits of SSNs cannot be sent', async () => {
    for (const Fields of ['LastName', 'USSSN', 'USSSN4', 'Contact', 'BirthDate'])
      await refused({ Events: 'Contact.*', Fields }, /Fields: expected public columns/);
    await refused({ Events: '*', Fields: 'Password' }, /Fields/);
    // A column that is public in one record type and personal in another is sent for neither.
    await refused({ Events: 'Contact.*, Organization.*, Person.*', Fields: 'FirstName' }, /Fields/);
    await refused({ Events: 'Webhook.*', Fields: 'Secret' }, /Fields/);
    const made = await on.admin.post('/api/webhook/create?Output=Json', {
      URL: 'https://hooks.example.com/',
      Events: 'Loan.insert',
      Fields: 'Loan',
      IsActive: false,
    });
    const changed = await on.admin.post('/api/webhook/save', {
      ID: made.json()['WebhookID'],
      Events: 'Contact.insert',
    });
    assert.equal(changed.status, 400, 'fields are checked again when the events change');
  });

  it('addresses that are not public https are refused when they are saved', async () => {
    for (const URL of [
      'http://hooks.example.com/',
      'ftp://hooks.example.com/',
      'hooks.example.com',
      'https://user:word@hooks.example.com/',
      'https://hooks.example.com/#part',
      'file:///etc/passwd',
      '',
    ])
      await refused({ URL }, /URL/);
    for (const host of [
      '127.0.0.1',
      '10.1.2.3',
      '192.168.0.1',
      '172.31.0.1',
      '169.254.169.254',
      '100.64.0.1',
      '0.0.0.0',
      '224.0.0.1',
      '255.255.255.255',
      '[::1]',
      '[::ffff:10.0.0.1]',
      '[fe80::1]',
      '[fd00::1]',
      '[ff02::1]',
      '[64:ff9b::a00:1]',
      '[2002:a00:1::]',
      '0x7f.1',
      '2130706433',
      '0177.0.0.1',
    ])
      await refused({ URL: `https://${host}/` }, /public internet/);
    for (const host of ['8.8.8.8', '[2606:4700:4700::1111]', 'hooks.example.com:8443']) {
      const made = await on.admin.post('/api/webhook/create', {
        URL: `https://${host}/`,
        Events: 'Loan.insert',
        IsActive: false,
      });
      assert.equal(made.status, 200, `${host} ${made.text}`);
    }
  });

  it("headers cannot contain line breaks, replace the platform's own, or be read back", async () => {
    for (const Headers of [
      'X-A: b\rX-B: c',
      'no colon',
      'X-Ä: b',
      'X-A: ü',
      'X-A: b\u0000',
      'Host: elsewhere',
      'Content-Length: 1',
      'Transfer-Encoding: chunked',
      'webhook-id: x',
      'X-A: 1\nx-a: 2',
      ': b',
      'X A: b',
      Array.from({ length: 21 }, (_, n) => `X-${n}: 1`).join('\n'),
    ])
      await refused({ Headers }, /Headers/);
    const answer = await on.admin.post('/api/webhook/create', {
      URL: 'https://hooks.example.com/',
      Events: 'Loan.insert',
      Headers: 'X-Bad: secret-value-of-header\nHost: x',
    });
    assert.doesNotMatch(answer.text, /secret-value-of-header/);
  });

  it('secret and headers are shown once or never: in no answer, search, history or clear-text column', async (t) => {
    const { id, secret } = await webhook(t, 'Loan.insert', { Headers: 'X-Api-Key: header-canary-17' });
    await save('webhook', { ID: id, Headers: 'X-Api-Key: header-canary-18' });
    await on.admin.post('/api/webhook/rotatesecret', { ID: id });
    for (const path of [
      `webhook/select?ID=${id}`,
      'webhook/search?DisplaySize=1000',
      `webhook/summary?ID=${id}`,
      `webhook/history?ID=${id}`,
    ]) {
      const answer = await on.admin.get(`/api/${path}`);
      assert.equal(answer.status, 200, path);
      assert.doesNotMatch(answer.text, /header-canary|whsec_/, path);
      assert.ok(!answer.text.includes(secret));
    }
    assert.match((await on.admin.get(`/api/webhook/select?ID=${id}`)).text, /<HeaderNames>X-Api-Key<\/HeaderNames>/);
    const [stored] = await rows<{ text: string }>(
      `select string_agg(w::text, '')
         || (select string_agg(h::text, '') from history h)
         || (select coalesce(string_agg(s::text, ''), '') from securitylog s) as text
       from webhook w`,
    );
    assert.doesNotMatch(stored?.text ?? 'nothing', /header-canary|whsec_|^nothing$/);
    assert.equal((await on.admin.get('/api/webhook/search?Secret=*')).status, 400);
  });

  it('a webhook is created only by create; its status follows from whether it is active', async (t) => {
    assert.equal(
      (await on.admin.post('/api/webhook/save', { URL: 'https://hooks.example.com/', Events: 'Loan.insert' })).status,
      422,
    );
    const { id } = await webhook(t, 'Loan.insert');
    assert.equal((await save('webhook', { ID: id, IsActive: false }))['Status'], 'Inactive');
    assert.equal(
      (await on.admin.post('/api/webhook/save', { ID: id, IsActive: true, Status: 'Whatever' })).status,
      400,
    );
  });

  it('after a rotation both secrets sign; with Immediately, only the new one does', async (t) => {
    const { id, secret, receiver } = await webhook(t, 'Loan.insert');
    const rotate = async (more: object): Promise<string> =>
      String((await on.admin.post('/api/webhook/rotatesecret?Output=Json', { ID: id, ...more })).json()['Secret']);
    const second = await rotate({});
    await save('loan', { Loan: '830000001' });
    const [one] = await receiver.until(1);
    const now = Date.now() / 1000;
    assert.ok(one && isSigned(secret, one, now) && isSigned(second, one, now));
    const third = await rotate({ Immediately: true });
    await save('loan', { Loan: '830000002' });
    const [, two] = await receiver.until(2);
    assert.ok(two && isSigned(third, two, now) && !isSigned(second, two, now) && !isSigned(secret, two, now));
  });

  it('KRN-17 the built-in staff, read-only and partner roles cannot see webhooks; administrators can', async () => {
    for (const role of ['Staff', 'Read Only', 'Partner']) {
      const { caller } = await on.user(`webhook ${role}`, role);
      for (const path of ['webhook/search', 'webhookdelivery/search'])
        assert.equal((await caller.get(`/api/${path}`)).status, 403, `${role} ${path}`);
    }
    assert.equal((await on.admin.get('/api/webhookdelivery/search')).status, 200);
  });

  it('KRN-20 a restored webhook has no secret: it sends nothing until one is created', async (t) => {
    const { id, receiver } = await webhook(t, 'Loan.insert');
    assert.equal((await on.admin.post(`/api/webhook/delete?ID=${id}`)).status, 200);
    await save('loan', { Loan: '830000003' });
    assert.equal((await rows('select 1 from webhookdelivery where webhookid = $1', [id])).length, 0);
    assert.equal((await on.admin.post(`/api/webhook/undelete?ID=${id}`)).status, 200);
    const refusedTest = await on.admin.post('/api/webhook/test', { ID: id });
    assert.equal(refusedTest.status, 422);
    await save('loan', { Loan: '830000004' });
    await on.admin.post('/api/webhook/rotatesecret', { ID: id });
    assert.equal((await on.admin.post('/api/webhookdelivery/deliver', { WebhookID: id })).status, 200);
    await receiver.until(1);
    assert.deepEqual(typesOf(receiver.received), ['Loan.insert']);
  });
});

describe('test and replay', () => {
  it('a ping is sent at once, to an inactive webhook too, and returns the result', async (t) => {
    const { id, secret, receiver } = await webhook(t, 'Loan.insert', { IsActive: false });
    receiver.answer = (_received, response) =>
      void response.writeHead(202).end(`taken by 123-45-6789\u0007${'x'.repeat(2_000)}`);
    const answer = (await on.admin.post('/api/webhook/test?Output=Json', { ID: id })).json();
    assert.equal(answer['Status'], 'Delivered');
    assert.equal(answer['ResponseCode'], 202);
    assert.match(String(answer['ResponseStart']), /^taken by XXX-XX-6789 x+$/);
    assert.equal(String(answer['ResponseStart']).length, 500);
    const [one] = receiver.received;
    assert.ok(one && isSigned(secret, one, Date.now() / 1000));
    assert.equal(one.json().type, 'ping');
    receiver.answer = (_received, response) => void response.writeHead(500).end();
    const failed = (await on.admin.post('/api/webhook/test?Output=Json', { ID: id })).json();
    assert.deepEqual([failed['Status'], failed['LastError'], failed['ResponseCode']], ['Failed', 'HTTP 500', 500]);
    assert.equal((await on.admin.post('/api/webhook/test', { ID: 99_999_999 })).status, 404);
  });

  it('deliveries are searched like any record and replayed by ID or by time, each under its ID', async (t) => {
    const { id, receiver } = await webhook(t, 'Loan.insert');
    const from = new Date(Date.now() - 1_000).toISOString();
    for (const n of [1, 2, 3]) await save('loan', { Loan: `84000000${n}` });
    await receiver.until(3);
    const delivered = async (n: number): Promise<unknown> =>
      eventually(
        'all are delivered',
        async () =>
          (await rows(`select 1 from webhookdelivery where webhookid = $1 and status = 'Delivered'`, [id])).length ===
          n,
      );
    await delivered(3);
    const found = (
      await on.admin.get(
        `/api/webhookdelivery/search?Output=Json&WebhookID=${id}&Status=Delivered&OrderBy=WebhookDeliveryID` +
          '&DisplaySize=2',
      )
    ).json() as unknown as {
      WebhookDeliveryCollection: {
        WebhookDeliveryItem: { WebhookDeliveryID: number; EventID: string; RecordCount: number }[];
      };
    };
    const [first] = found.WebhookDeliveryCollection.WebhookDeliveryItem;
    assert.equal(found.WebhookDeliveryCollection.WebhookDeliveryItem.length, 2);
    assert.equal(first?.RecordCount, 3);
    assert.equal(
      (await on.admin.post('/api/webhookdelivery/replay?Output=Json', { ID: [first.WebhookDeliveryID] })).json()[
        'Replayed'
      ],
      1,
    );
    await receiver.until(4);
    assert.equal(receiver.received[3]?.json().id, first.EventID);
    assert.equal(receiver.received[3]?.body, receiver.received.find((r) => r.json().id === first.EventID)?.body);
    await delivered(3);
    assert.equal(
      (await on.admin.post('/api/webhook/replay?Output=Json', { ID: id, From: from, Failed: true })).json()['Replayed'],
      0,
    );
    assert.equal(
      (await on.admin.post('/api/webhook/replay?Output=Json', { ID: id, From: from })).json()['Replayed'],
      3,
    );
    await receiver.until(7);
    await delivered(3);
    assert.equal(receiver.events().length, 3);
    assert.equal(
      (await on.admin.post('/api/webhook/replay?Output=Json', { ID: id, From: from, To: from })).json()['Replayed'],
      0,
    );
    assert.equal(
      (await on.admin.post('/api/webhookdelivery/replay', { ID: [first.WebhookDeliveryID, 99_999_999] })).status,
      404,
    );
  });

  it('a pending delivery is not replayed: a warning for one of several, an error if all are pending', async (t) => {
    const { id } = await webhook(t, 'Loan.insert');
    const insert = (status: string): Promise<{ id: number }[]> =>
      rows(
        `insert into webhookdelivery (webhookdelivery, status, webhookdeliverytype, webhookid, eventid, data,
         attempts)
         values ('Loan.insert', $2, 'Event', $1, gen_random_uuid()::text, '{}', 0)
         returning webhookdeliveryid as id`,
        [id, status],
      );
    const [[waiting], [failed]] = [await insert('Waiting'), await insert('Failed')];
    const one = await on.admin.post('/api/webhookdelivery/replay?Output=Json', { ID: [waiting?.id, failed?.id] });
    assert.equal(one.json()['Replayed'], 1);
    assert.equal(one.headers.get('x-alerts'), '1');
    assert.equal((await on.admin.post('/api/webhookdelivery/replay', { ID: [waiting?.id] })).status, 422);
  });
});
