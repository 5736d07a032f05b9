import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { client, type Client } from '../../support/client.ts';
import { receivedMail } from '../../support/messages/stored-mail.ts';
import { testPlatform } from '../../support/platform.ts';

/** Enough that the inboxes of the team and of the firm's user are read by date, and that of the reader is not. */
const MESSAGES = 6_000;
const SEED = 0.42;

const p = await testPlatform({ after });
const admin = client(p);
const reader = await p.user('reader', 'Staff');
const member = await p.user('member', 'Staff');
const firm = await p.firm('Finch', 'Partner');
const { store } = p.platform;

interface StoredMessage {
  readonly id: number;
  readonly thread: number;
  readonly at: number;
  readonly isReceived: boolean;
  readonly isSent: boolean;
  readonly isMail: boolean;
  readonly creator: number | null;
  readonly responsible: number | null;
  readonly firm: number | null;
  readonly persons: readonly number[];
  readonly addresses: readonly string[];
  readonly readers: readonly number[];
}

interface Whose {
  readonly caller: number;
  readonly persons: readonly number[];
  readonly addresses: readonly string[];
  /** The firm whose records alone are seen. */
  readonly firm?: number;
}

/** Returns the threads of an inbox in their order, computed plainly from all messages. */
function expected(all: readonly StoredMessage[], whose: Whose, view: string): readonly number[] {
  const seen = all.filter((one) => whose.firm === undefined || one.firm === whose.firm);
  const isOwn = (one: StoredMessage): boolean =>
    (one.isMail && one.responsible !== null && whose.persons.includes(one.responsible)) ||
    isSentBy(one) ||
    one.persons.some((id) => whose.persons.includes(id)) ||
    (one.isReceived && one.addresses.some((address) => whose.addresses.includes(address)));
  const isSentBy = (one: StoredMessage): boolean => one.isSent && whose.persons.includes(one.creator ?? 0);
  const isToCaller = (one: StoredMessage): boolean => one.isReceived || one.persons.includes(whose.caller);
  const threads = [...Map.groupBy(seen, ({ thread }) => thread)]
    .filter(([, messages]) => messages.some(isOwn))
    .map(([thread, messages]) => ({
      thread,
      latest: Math.max(...messages.map(({ at }) => at)),
      isReceived: messages.some(isToCaller),
      isUnread: messages.some((one) => isToCaller(one) && !one.readers.includes(whose.caller)),
      isSent: messages.some(isSentBy),
    }));
  const shown = threads.filter(({ isReceived, isUnread, isSent }) =>
    view === 'All' ? true : { Received: isReceived, Unread: isUnread, Sent: isSent }[view],
  );
  const isUnreadFirst = view === 'Received' || view === 'Unread';
  return shown
    .toSorted(
      (a, b) =>
        (isUnreadFirst ? Number(b.isUnread) - Number(a.isUnread) : 0) || b.latest - a.latest || b.thread - a.thread,
    )
    .map(({ thread }) => thread);
}

async function everything(): Promise<readonly StoredMessage[]> {
  return store.query<StoredMessage>(
    `select m.messageid as id, coalesce(m.threadid, m.messageid) as thread,
       (extract(epoch from coalesce(m.receiveddate, m.sentdate, m.createddate)) * 1000000)::bigint as at,
       m.mailinboundid is not null as "isReceived", m.sentdate is not null and m.mailinboundid is null as "isSent",
       m.mailinboundid is not null or m.sentdate is not null as "isMail", m.createdpersonid as creator,
       p.assignedpersonid as responsible, m.reachorganizationid as firm,
       to_jsonb(array(
         select personid from messagerecipient r where r.messageid = m.messageid and personid is not null)) as persons,
       to_jsonb(array(
         select messagerecipient::text from messagerecipient r where r.messageid = m.messageid)) as addresses,
       to_jsonb(array(
         select personid from messageread e where e.messageid = m.messageid)) as readers
     from message m left join process p on p.processid = m.objectid and p.recordclass = m.object`,
  );
}

/** Returns the threads of all pages. */
async function paged(of: Client, parameters: object, size: number): Promise<readonly number[]> {
  const threads: number[] = [];
  for (let before = ''; ;) {
    const rows = await of.expectRows('inbox/threads', {
      ...parameters,
      DisplaySize: size,
      ...(before !== '' && { Before: before }),
    });
    threads.push(...rows.map((row) => Number(row['ThreadID'])));
    if (rows.length < size) return threads;
    before = String(rows.at(-1)?.['Cursor']);
  }
}

/** Stores random conversations: of several cases, undated, answered, read by some, with equal dates. */
async function fill(cases: readonly number[]): Promise<void> {
  await receivedMail(p, { subject: 'First' });
  await store.query(
    `with seed as materialized (select setseed(${SEED})), made as (
       insert into message (message, messagetype, status, object, objectid, threadid, receiveddate, sentdate,
         mailinboundid, createdpersonid, createddate)
       select 'Mail ' || n, 'Email', 'Sent', case when c.id is not null then 'Foreclosure' end, c.id,
         case when r.thread < 0.7 then (select min(messageid) from message) + floor(r.known * 900)::bigint end,
         case when r.kind < 0.6 then d.at end, case when r.kind < 0.95 and r.dated < 0.9 then d.at end,
         case when r.kind < 0.6 then (select min(mailinboundid) from mailinbound) end,
         case when r.creator < 0.4 then $2::bigint when r.creator < 0.5 then $3::bigint end, d.at
       from generate_series(1, ${MESSAGES}) n, seed
       cross join lateral (select random() as thread, random() as known, random() as kind, random() as dated,
         random() as creator, random() as day, random() as place, n as row) r
       cross join lateral (select timestamptz '2026-01-01' + floor(r.day * 2000) * interval '1 hour' as at) d
       cross join lateral (select ($1::bigint[])[1 + floor(r.place * 50)::integer] as id) c
       returning messageid, mailinboundid)
     insert into messagerecipient (messageid, messagerecipient, personid, category)
     select messageid, case messageid % 7 when 0 then 'member@office.example' when 1 then 'Reader@office.example'
         else 'someone@elsewhere.example' end,
       case messageid % 53 when 0 then $2::bigint when 1 then $4::bigint end, 0
     from made`,
    [`{${cases.join(',')}}`, member.personId, firm.personId, reader.personId],
  );
  await store.query(
    `insert into messageread (messageid, personid, readdate)
     select messageid, id, now() from message, unnest(array[$1::bigint, $2::bigint]) id where messageid % 3 = 0`,
    [reader.personId, firm.personId],
  );
  await store.query('analyze message, messagerecipient, messageread, process');
}

describe('inboxes of random conversations', () => {
  let team: unknown;
  before(async () => {
    await admin.save('person', { ID: reader.personId, Email: 'reader@office.example' });
    await admin.save('person', { ID: member.personId, Email: 'member@office.example' });
    team = (await admin.save('collection', { Collection: 'Title', SourceObject: 'Person' }))['CollectionID'];
    await admin.save('collectionmember', { CollectionID: team, SourceObjectID: member.personId });
    const cases: number[] = [];
    for (let n = 0; n < 40; n++) {
      const ofFirm = n < 20 ? { OrganizationID: firm.organizationId } : {};
      const made = await admin.save('foreclosure', { Foreclosure: `R-${n}`, ...ofFirm });
      cases.push(Number(made['ForeclosureID']));
    }
    await store.query(
      `update process set assignedpersonid = case
         when processid = any($1::bigint[]) then $3::bigint when processid = any($2::bigint[]) then $4::bigint end`,
      [`{${cases.slice(0, 18).join(',')}}`, `{${cases.slice(18, 35).join(',')}}`, firm.personId, member.personId],
    );
    await fill(cases);
  });

  const inboxes = (): readonly (readonly [string, Client, object, Whose])[] => [
    [
      'a team',
      client(p, reader.caller),
      { TeamID: team },
      { caller: reader.personId, persons: [member.personId], addresses: ['member@office.example'] },
    ],
    [
      'a user',
      client(p, reader.caller),
      {},
      { caller: reader.personId, persons: [reader.personId], addresses: ['Reader@office.example'] },
    ],
    [
      "a firm's user",
      client(p, firm.caller),
      {},
      { caller: firm.personId, persons: [firm.personId], addresses: [], firm: firm.organizationId },
    ],
  ];
  const assertEqual = async (): Promise<void> => {
    const all = await everything();
    for (const [name, of, parameters, whose] of inboxes())
      for (const view of ['Received', 'Unread', 'Sent', 'All']) {
        const threads = expected(all, whose, view);
        assert.deepEqual(await paged(of, { ...parameters, Show: view }, 200), threads, `${name}, ${view}`);
      }
  };

  it('MSG-11 have the same conversations in the same order as a plain computation from all messages', assertEqual);

  it('MSG-11 have them too where nearly all is read', async () => {
    await store.query(
      `insert into messageread (messageid, personid, readdate)
       select messageid, id, now() from message, unnest(array[$1::bigint, $2::bigint]) id
       where messageid % 40 <> 1
       on conflict do nothing`,
      [reader.personId, firm.personId],
    );
    await assertEqual();
    const count = expected(
      await everything(),
      { caller: reader.personId, persons: [reader.personId], addresses: ['Reader@office.example'] },
      'Unread',
    ).length;
    const counted = await client(p, reader.caller).expectOk('inbox/unread');
    assert.equal(counted['Unread'], Math.min(count, 100));
  });
});
