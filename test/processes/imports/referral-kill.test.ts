import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { INTERRUPTED_MESSAGE } from '../../../src/modules/imports/import/lib/interrupted-runs.ts';
import { eventually } from '../../support/eventually.ts';
import { killRounds, type KillSql } from '../../support/processes/kill.ts';
import {
  bankruptcyItem,
  borrower,
  collection,
  foreclosureItem,
  nextLoan,
  readAnswer,
  standAloneItem,
} from '../../support/imports/referrals.ts';
import { ADMINISTRATOR_KEY } from '../../support/processes/server-process.ts';

/** `npm run soak -- referrals` runs more rounds. */
const ROUNDS = Number(process.env['CASEWRIGHT_TEST_REFERRAL_KILL_ROUNDS'] ?? 2);
const SEED = Number(process.env['CASEWRIGHT_TEST_SEED'] ?? 20_261_122);
const CLIENTS = 3;
const ITEMS = 4;

/** One document of cases and one of standalone messages for them, each sent until it is answered. */
interface Submission {
  readonly kind: 'Foreclosure' | 'POC';
  readonly xml: string;
  readonly alone: string;
  readonly items: readonly { readonly subscriberId: string; readonly hash: string }[];
  answered: boolean;
  answeredAlone: boolean;
}

const object = { Foreclosure: 'Foreclosure', POC: 'Bankruptcy' } as const;
/** Return the ledger nested in a case, with amounts made from a number. */
const nested = {
  Foreclosure: (n: number): string =>
    '<TotalDebtLedger><Template>Total ' +
    `Debt</Template><Items><AccruedInterest>${n}</AccruedInterest>` +
    `<FCFeesCosts><Items><FilingFee>${n}.25</FilingFee><TitleCost>1</TitleCost></Items></FCFeesCosts></Items>` +
    '</TotalDebtLedger>',
  POC: (n: number): string =>
    '<PrePetitionArrearagesLedger><Template>Pre Petition ' +
    `Arrearages</Template><Items><MissedPayments>${n}</MissedPayments>` +
    `<FCFeesCosts><Items><FilingFee>${n}.25</FilingFee><TitleCost>1</TitleCost></Items></FCFeesCosts></Items>` +
    '</PrePetitionArrearagesLedger>',
} as const;

let made = 0;
function submission(): Submission {
  const items = Array.from({ length: ITEMS }, () => ({
    subscriberId: `kill-${++made}`,
    content: `content of ${made}`,
    n: made,
  }));
  const kind = made % (2 * ITEMS) === 0 ? 'POC' : 'Foreclosure';
  return {
    kind,
    xml: collection(
      items.map(({ subscriberId, content, n }) => {
        const parts = {
          loan: nextLoan(),
          subscriberId,
          caseNumber: `K-${n}`,
          property: `<Property_Address>${n} Elm Way</Property_Address>`,
          borrowers: [
            borrower(1, 'Kill', `A${n}`, `900${String(1_000_000 + n).slice(1)}`),
            borrower(2, 'Kill', `B${n}`),
          ],
          rest:
            `${nested[kind](n)}<Forms><ImportFormItem><Template>Complaint Filed</Template>` +
            '<ProjectedCompletion>2024-05-01</ProjectedCompletion></ImportFormItem></Forms>' +
            `<Messages><MessageItem><Template>Case Note</Template><Message>Note ${n}</Message>` +
            '<BodyText>B</BodyText></MessageItem></Messages>' +
            '<Attachments><AttachmentItem><FileName>a.txt</FileName><Template>Complaint</Template>' +
            `<Content>${Buffer.from(content).toString('base64')}</Content></AttachmentItem></Attachments>`,
        };
        return kind === 'POC' ? bankruptcyItem('POC', parts) : foreclosureItem(parts);
      }),
    ),
    alone: collection(
      items.map(({ subscriberId }) =>
        standAloneItem(
          'MessageItem',
          object[kind],
          subscriberId,
          '<Template>Case Note</Template><Message>Alone</Message>',
        ),
      ),
    ),
    items: items.map(({ subscriberId, content }) => ({
      subscriberId,
      hash: createHash('sha256').update(content).digest('hex'),
    })),
    answered: false,
    answeredAlone: false,
  };
}

const admin = (url: string, path: string, body: object): Promise<Response> =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'X-ApiKey': ADMINISTRATOR_KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
const basic = {
  Authorization: `Basic ${Buffer.from('kill.firm:a password of the firm').toString('base64')}`,
  SOAPAction: 'import',
  'Content-Type': 'text/xml; charset=utf-8',
};

/** Skips what an earlier round already created. */
async function prepare(url: string): Promise<void> {
  for (const [className, name] of [
    ['ImportFormTemplate', 'Complaint Filed'],
    ['MessageTemplate', 'Case Note'],
    ['AttachmentTemplate', 'Complaint'],
  ] as const)
    await (
      await admin(url, `/api/${className.toLowerCase()}/save`, {
        [className]: name,
        AppliesTo: 'Process',
        Repeatable: 'Many',
      })
    ).text();
  const found = await fetch(`${url}/api/organization/search?ProviderCode=KILL&Output=Json`, {
    headers: { 'X-ApiKey': ADMINISTRATOR_KEY },
  });
  const known = /"OrganizationID":(\d+)/.exec(await found.text())?.[1];
  const organization =
    known ??
    /"OrganizationID":(\d+)/.exec(
      await (
        await admin(url, '/api/organization/save?Output=Json', { Organization: 'Kill Law', ProviderCode: 'KILL' })
      ).text(),
    )?.[1];
  await (await admin(url, '/api/setting/save', { Setting: 'InitialPasswordDays', Value: '0' })).text();
  await (
    await admin(url, '/api/person/save', {
      Person: 'kill.firm',
      Password: 'a password of the firm',
      OrganizationID: Number(organization),
      Roles: 'Partner',
    })
  ).text();
}

/**
 * Sends the cases and, once they are answered, their standalone messages. Repeats both if they were answered before.
 */
async function send(url: string, of: Submission, signal?: AbortSignal): Promise<void> {
  if (await isAnswered(url, of.kind, of.xml, signal)) of.answered = true;
  if (of.answered && (await isAnswered(url, 'message', of.alone, signal))) of.answeredAlone = true;
}

async function isAnswered(
  url: string,
  operation: string,
  xml: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const response = await fetch(`${url}/api/import/${operation}`, {
    method: 'POST',
    headers: basic,
    body: xml,
    ...(signal ? { signal } : {}),
  });
  const text = await response.text();
  // The database was killed first: no answer, so the sender repeats the request.
  if (response.status === 503 || (response.status === 500 && !text.includes('<ImportResults'))) return false;
  const answer = readAnswer(response.status, text);
  // Items that ran when the database was killed are reported as failed, and are sent again like the others.
  if (answer.status !== 'Complete') return false;
  assert.equal(response.status, 200, text);
  return true;
}

test(
  'REF-09 REF-11 REF-12 REF-22 KRN-23 a server killed in the middle of imports keeps every referral ' +
    'and every standalone message that it answered, once and whole',
  { timeout: ROUNDS * 60_000 + 120_000 },
  async (t) => {
    const all: Submission[] = [];
    let ready = false;
    await killRounds(t, {
      rounds: ROUNDS,
      seed: SEED,
      millisecondsMax: 4_000,
      answersMin: 1,
      async workload({ url, signal, countAnswer }) {
        if (!ready) await prepare(url);
        ready = true;
        const open = all.filter((s) => !s.answeredAlone);
        await Promise.all(
          Array.from({ length: CLIENTS }, async () => {
            while (!signal.aborted) {
              let next = open.pop();
              if (!next) all.push((next = submission()));
              try {
                await send(url, next);
                countAnswer();
              } catch (error) {
                if (error instanceof assert.AssertionError) throw error;
                return;
              }
            }
          }),
        );
      },
      async verify(url, sql, round) {
        await verify(url, sql, all);
        // After the last round nothing is started again that could end them.
        if (round < ROUNDS) await cutOffRuns(sql);
      },
      async finish(url) {
        // Twice: repeating the submissions changes nothing.
        for (const of of [...all.filter((s) => !s.answeredAlone), ...all.slice(0, 5)])
          for (let tries = 0; tries === 0 || (!of.answeredAlone && tries < 10); tries++) await send(url, of);
      },
    });
    assert.ok(all.length > 0);
    assert.deepEqual(
      all.filter((s) => !s.answeredAlone),
      [],
    );
    t.diagnostic(`${all.length} documents of ${ITEMS} referrals in ${ROUNDS} rounds, seed ${SEED}`);
  },
);

interface CaseRow {
  readonly subscriberid: string;
  readonly n: number;
  readonly whole: boolean;
  readonly alone: number;
  readonly hash: string | null;
  readonly attachmentid: number | null;
}

let cutOff: number[] = [];

async function verify(url: string, sql: KillSql, all: readonly Submission[]): Promise<void> {
  const rows = await sql<CaseRow[]>`
    select s.subscriberid, count(*) over (partition by s.subscriberid)::integer as n, a.filehash as hash,
      a.attachmentid::integer as attachmentid,
      (select count(*)::integer from message m where m.object = p.recordclass and m.objectid = p.processid
        and m.message = 'Alone') as alone,
      ((exists (select from foreclosure f where f.foreclosureid = p.processid)
          or exists (select from bankruptcy b where b.bankruptcyid = p.processid and p.processtype = 'POC'))
        and (select count(*) from contact c where c.object = 'Loan' and c.objectid = p.loanid) = 2
        and (select count(*) from importform i where i.object = p.recordclass and i.objectid = p.processid
          and i.decisionstepid is null) = 1
        and (select count(*) from decision d where d.object = p.recordclass and d.objectid = p.processid
          and d.parentdecisionstepid is null) = 1
        and (select count(*) from message m where m.object = p.recordclass and m.objectid = p.processid
          and m.message <> 'Alone') = 1
        and (select count(*) from attachment x where x.object = p.recordclass and x.objectid = p.processid) = 1
        and (select count(*) from ledger l where l.object = p.recordclass and l.objectid = p.processid
          and l.balance = 2 * substr(p.process, 3)::numeric + 1.25) = 1
        and exists (select from loan l join property y on y.propertyid = l.propertyid where l.loanid = p.loanid)
        and exists (select from importlog g where g.object = p.recordclass and g.objectid = p.processid
          and g.operation = 'Insert')) as whole
    from objectsubscription s
    left join process p on p.processid = s.objectid
    left join attachment a on a.object = p.recordclass and a.objectid = p.processid
    where s.subscriberid like 'kill-%'`;
  const found = new Map(rows.map((row) => [row.subscriberid, row]));
  for (const { subscriberid, n, whole, alone } of rows) {
    assert.equal(n, 1, `${subscriberid} exists ${n} times`);
    assert.ok(alone <= 1, `the standalone message of ${subscriberid} exists ${alone} times`);
    assert.ok(whole, `${subscriberid} is half-written`);
  }
  const hashes = new Map(all.flatMap((s) => s.items.map((item) => [item.subscriberId, item.hash])));
  for (const row of rows) assert.equal(row.hash, hashes.get(row.subscriberid), row.subscriberid);
  for (const of of all.filter((s) => s.answered))
    for (const { subscriberId } of of.items)
      assert.ok(found.has(subscriberId), `${subscriberId} was answered and is lost`);
  for (const of of all.filter((s) => s.answeredAlone))
    for (const { subscriberId } of of.items)
      assert.equal(found.get(subscriberId)?.alone, 1, `the message alone on ${subscriberId} was answered and is lost`);
  const counts = await sql<
    { processes: number; subscriptions: number; loans: number }[]
  >`select (select count(*)::integer from process) as processes,
    (select count(*)::integer from objectsubscription
      where object in ('Foreclosure', 'Bankruptcy')) as subscriptions,
    (select count(*)::integer from loan) as loans`;
  assert.deepEqual(counts[0], { processes: rows.length, subscriptions: rows.length, loans: rows.length });
  for (const row of rows.slice(-4)) {
    const file = await fetch(`${url}/api/attachment/download?ID=${String(row.attachmentid)}`, {
      headers: { 'X-ApiKey': ADMINISTRATOR_KEY },
    });
    assert.equal(
      createHash('sha256')
        .update(Buffer.from(await file.arrayBuffer()))
        .digest('hex'),
      row.hash,
      "the document's file is complete",
    );
  }
}

/**
 * Ages the runs that the last kill interrupted, so that the next start finds them. Checks that the previous round's
 * were ended by this start.
 */
async function cutOffRuns(sql: KillSql): Promise<void> {
  await eventually(
    'the runs interrupted before have ended',
    async () =>
      (
        await sql`select 1
          from importfile
          where importfileid = any(${cutOff})
          and (status = 'Importing' or message is distinct from ${INTERRUPTED_MESSAGE})`
      ).length === 0,
  );
  const rows = await sql<{ id: number }[]>`update importfile
    set createddate = createddate - interval '1 hour', updateddate = updateddate - interval '1 hour'
    where status = 'Importing'
    returning importfileid::integer as id`;
  cutOff = rows.map((row) => row.id);
  await sql`update importlog set createddate = createddate - interval '1 hour' where importfileid = any(${cutOff})`;
}
