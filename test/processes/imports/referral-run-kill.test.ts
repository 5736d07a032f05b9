import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { killRounds, type KillSql } from '../../support/processes/kill.ts';
import { bankruptcyItem, borrower, collection, nextLoan } from '../../support/imports/referrals.ts';
import { ADMINISTRATOR_KEY } from '../../support/processes/server-process.ts';

/** `npm run soak -- referral-runs` runs more rounds. */
const ROUNDS = Number(process.env['CASEWRIGHT_TEST_REFERRAL_RUN_KILL_ROUNDS'] ?? 1);
const SEED = Number(process.env['CASEWRIGHT_TEST_SEED'] ?? 20_261_123);
const ITEMS = ROUNDS > 1 ? 60 : 40;
/** Documents of one round: more would only wait behind one another. */
const DOCUMENTS = ROUNDS > 1 ? 4 : 2;

/** One document, sent until its import file is answered. */
interface Submission {
  readonly xml: string;
  readonly items: readonly { readonly subscriberId: string; readonly hash: string }[];
  importFileId: number | undefined;
}

let made = 0;
function submission(): Submission {
  const items = Array.from({ length: ITEMS }, () => ({
    subscriberId: `run-${++made}`,
    content: `content of ${made}`,
    n: made,
  }));
  return {
    xml: collection(
      items.map(({ subscriberId, content, n }) =>
        bankruptcyItem('POC', {
          loan: nextLoan(),
          subscriberId,
          caseNumber: `R-${n}`,
          borrowers: [borrower(1, 'Run', `A${n}`)],
          rest:
            `<Messages><MessageItem><Template>Case Note</Template><Message>Note ${n}</Message></MessageItem>` +
            '</Messages><Attachments><AttachmentItem><FileName>a.txt</FileName><Template>Complaint</Template>' +
            `<Content>${Buffer.from(content).toString('base64')}</Content></AttachmentItem></Attachments>`,
        }),
      ),
      `job of ${made}`,
    ),
    items: items.map(({ subscriberId, content }) => ({
      subscriberId,
      hash: createHash('sha256').update(content).digest('hex'),
    })),
    importFileId: undefined,
  };
}

const headers = { 'X-ApiKey': ADMINISTRATOR_KEY, 'Content-Type': 'application/json' };
const admin = async (url: string, path: string, body: object): Promise<string> =>
  (await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })).text();

/** Skips what an earlier round already created. */
async function prepare(url: string): Promise<void> {
  for (const [className, name] of [
    ['MessageTemplate', 'Case Note'],
    ['AttachmentTemplate', 'Complaint'],
  ] as const)
    await admin(url, `/api/${className.toLowerCase()}/save`, {
      [className]: name,
      AppliesTo: 'Process',
      Repeatable: 'Many',
    });
  const found = await (
    await fetch(`${url}/api/importfiletemplate/search?ImportFileTemplate=POC&Output=Json`, { headers })
  ).text();
  await admin(url, '/api/importfiletemplate/save', {
    ID: Number(/"ImportFileTemplateID":(\d+)/.exec(found)?.[1]),
    Async: true,
  });
}

async function send(url: string, of: Submission, signal?: AbortSignal): Promise<void> {
  const response = await fetch(`${url}/api/import/poc`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'text/xml' },
    body: of.xml,
    ...(signal ? { signal } : {}),
  });
  const text = await response.text();
  if (response.status !== 200) return;
  const id = /<ImportFileID>(\d+)/.exec(text)?.[1];
  assert.ok(id !== undefined, text);
  of.importFileId = Number(id);
}

test(
  'IMP-15 REF-11 REF-22 KRN-23 a killed run of referrals continues at its first unfinished item: every item once, ' +
    'whole, and logged once',
  { timeout: ROUNDS * 60_000 + 180_000 },
  async (t) => {
    const all: Submission[] = [];
    let ready = false;
    await killRounds(t, {
      rounds: ROUNDS,
      seed: SEED,
      // Less time than the items take, so that most kills interrupt a run.
      millisecondsMax: ITEMS * DOCUMENTS * 25,
      async workload({ url, signal }) {
        try {
          if (!ready) await prepare(url);
          ready = true;
          for (let n = 0; n < DOCUMENTS && !signal.aborted; n++) {
            let next = all.find((s) => s.importFileId === undefined);
            if (!next) all.push((next = submission()));
            await send(url, next, signal);
          }
        } catch (error) {
          // The kill interrupted it.
          if (error instanceof assert.AssertionError) throw error;
        }
      },
      verify: (_url, sql, round) => verify(sql, all, round === ROUNDS),
      async finish(url) {
        if (!ready) await prepare(url);
        if (all.length === 0) all.push(submission());
        for (const of of all.filter((s) => s.importFileId === undefined)) await send(url, of);
      },
    });
    assert.ok(all.length > 0 && all.every((s) => s.importFileId !== undefined));
    t.diagnostic(`${all.length} documents of ${ITEMS} referrals in ${ROUNDS} rounds, seed ${SEED}`);
  },
);

interface ItemRow {
  readonly subscriberid: string;
  readonly cases: number;
  readonly inserts: number;
  readonly messages: number;
  readonly hashes: string;
}

async function verify(sql: KillSql, all: readonly Submission[], isOver: boolean): Promise<void> {
  const rows = await sql<ItemRow[]>`
    select s.subscriberid, count(p.processid) over (partition by s.subscriberid)::integer as cases,
      (select count(*)::integer from importlog l where l.object = 'Bankruptcy' and l.objectid = s.objectid
        and l.operation = 'Insert') as inserts,
      (select count(*)::integer from message m where m.object = 'Bankruptcy' and m.objectid = s.objectid) as messages,
      (select coalesce(string_agg(filehash, ' '), '') from attachment a where a.object = 'Bankruptcy'
        and a.objectid = s.objectid) as hashes
    from objectsubscription s left join process p on p.processid = s.objectid where s.subscriberid like 'run-%'`;
  const hashes = new Map(all.flatMap((s) => s.items.map((item) => [item.subscriberId, item.hash])));
  for (const row of rows)
    assert.deepEqual(
      { ...row },
      { subscriberid: row.subscriberid, cases: 1, inserts: 1, messages: 1, hashes: hashes.get(row.subscriberid) },
    );
  if (!isOver) return;
  const found = new Set(rows.map((row) => row.subscriberid));
  for (const of of all)
    for (const { subscriberId } of of.items)
      assert.ok(found.has(subscriberId), `${subscriberId} was taken and is lost`);
  const files = await sql<
    { status: string; reference: string; success: number; errors: number; logged: number; lines: number }[]
  >`
    select status, reference, successcount::integer as success, errorcount::integer as errors,
      (select count(*)::integer from importlog l where l.importfileid = f.importfileid
        and l.operation <> 'None') as logged,
      (select count(distinct sourceline)::integer from importlog l where l.importfileid = f.importfileid) as lines
    from importfile f where importfileid = any(${all.map((s) => s.importFileId ?? 0)})`;
  assert.equal(files.length, all.length);
  for (const file of files)
    assert.deepEqual(
      [file.status, file.errors, file.success, file.lines, file.reference.startsWith('job of ')],
      ['Complete', 0, file.logged, ITEMS, true],
    );
  assert.equal((await sql`select 1 from importfile where status = 'Importing'`).length, 0);
}
