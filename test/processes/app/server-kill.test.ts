import assert from 'node:assert/strict';
import { test } from 'node:test';
import { killRounds, type KillRound, type KillSql } from '../../support/processes/kill.ts';
import { call } from '../../support/processes/server-process.ts';

/** `npm run soak -- kill` runs more rounds. */
const ROUNDS = Number(process.env['CASEWRIGHT_TEST_KILL_ROUNDS'] ?? 2);
const SEED = Number(process.env['CASEWRIGHT_TEST_SEED'] ?? 20_261_121);
const CLIENTS = 4;

/** One thing that a client sends: the key is its name too. */
interface Item {
  readonly key: string;
  readonly kind: 'contact' | 'organization' | 'queued';
  answered: boolean;
}

const bodies: Readonly<Record<Item['kind'], (key: string) => { path: string; body: string }>> = {
  contact: (key) => ({
    path: '/api/contact/save',
    body:
      `LastName=${key}&FirstName=Kill&Contacts_0_LastName=child%20of%20${key}&Methods_0_MethodType=Email` +
      `&Methods_0_ContactValue=${key}@example.test`,
  }),
  organization: (key) => ({
    path: '/api/organization/save',
    body:
      `Organization=${key}&ProviderCode=${key}&Contacts_0_LastName=child%20of%20${key}&Methods_0_MethodType=Email` +
      `&Methods_0_ContactValue=${key}@example.test`,
  }),
  queued: (key) => ({
    path: '/api/contact/queue/save',
    body:
      `LastName=${key}&FirstName=Kill&Contacts_0_LastName=child%20of%20${key}&Methods_0_MethodType=Email` +
      `&Methods_0_ContactValue=${key}@example.test`,
  }),
};

async function send(url: string, item: Item): Promise<void> {
  const { path, body } = bodies[item.kind](item.key);
  const answer = await call(url, path, body, { 'Idempotency-Key': item.key });
  const text = await answer.text();
  // 503: the database went away first; the call was undone, or its answer is kept under the key.
  if (answer.status === 503) return;
  assert.ok(answer.status === 200 || answer.status === 202, `${path}: ${answer.status} ${text}`);
  item.answered = true;
}

test(
  'KRN-24 KRN-23 a server killed at any moment loses nothing that it answered, ' +
    'makes nothing twice and leaves nothing half done',
  { timeout: ROUNDS * 60_000 + 120_000 },
  async (t) => {
    const items: Item[] = [];
    await killRounds(t, {
      rounds: ROUNDS,
      seed: SEED,
      answersMin: 2 * CLIENTS,
      async workload({ round, url, signal, random, countAnswer }: KillRound) {
        const open = items.filter((item) => !item.answered);
        await Promise.all(
          Array.from({ length: CLIENTS }, async (_, client) => {
            for (let n = 0; !signal.aborted; n++) {
              // What the last kill cut off is sent again under its key before anything new.
              let item = open.pop();
              if (!item)
                items.push(
                  (item = {
                    key: `K${round}x${client}x${n}`,
                    kind: (['contact', 'queued', 'organization'] as const)[Math.floor(random() * 3)] ?? 'contact',
                    answered: false,
                  }),
                );
              try {
                await send(url, item);
                countAnswer();
              } catch (error) {
                if (error instanceof assert.AssertionError) throw error;
                return;
              }
            }
          }),
        );
      },
      verify: (_url, sql, round) => verify(sql, items, round === ROUNDS),
      async finish(url) {
        for (const item of items.filter((i) => !i.answered)) await send(url, item);
      },
    });
    assert.ok(items.length > ROUNDS * CLIENTS, `only ${items.length} calls were made`);
    assert.ok(items.every((item) => item.answered));
    t.diagnostic(`${items.length} calls in ${ROUNDS} rounds, seed ${SEED}`);
  },
);

async function verify(sql: KillSql, items: readonly Item[], isEnd: boolean): Promise<void> {
  const rows = await sql<{ key: string; n: number; whole: boolean }[]>`
    select coalesce(nullif(c.lastname, ''), c.contact) as key, count(*)::integer as n,
      bool_and(c.contact is not null
        and (c.recordclass <> 'Organization'
          or exists (select from organization o where o.organizationid = c.contactid))
        and (select count(*) from contact child where child.object = c.recordclass and child.objectid = c.contactid
          and child.lastname = 'child of ' || coalesce(c.lastname, c.contact)) = 1
        and (select count(*) from contactmethod m where m.contactid = c.contactid) = 1) as whole
    from contact c where coalesce(c.lastname, c.contact) like 'K%x%' collate "C" group by 1`;
  const found = new Map(rows.map((row) => [row.key, row]));
  for (const { key, n, whole } of rows) {
    assert.equal(n, 1, `${key} is there ${n} times`);
    assert.ok(whole, `${key} is half-written`);
  }
  // A queued call that was answered is done by the end; before, its job is there.
  for (const item of items.filter((i) => i.answered && (isEnd || i.kind !== 'queued')))
    assert.ok(found.has(item.key), `${item.key} (${item.kind}) was answered and is lost`);
  const orphans = await sql`select contactid
      from contact c
      where object in ('Contact', 'Organization')
      and not exists (select from contact p where p.contactid = c.objectid)`;
  assert.equal(orphans.length, 0, 'children without a parent');
}
