import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { eicar, startClamd } from '../../support/peers/clamd.ts';
import { killRounds, type KillRound, type KillSql } from '../../support/processes/kill.ts';
import { ADMINISTRATOR_KEY } from '../../support/processes/server-process.ts';

const ROUNDS = Number(process.env['CASEWRIGHT_TEST_KILL_ROUNDS'] ?? 1);
const SEED = Number(process.env['CASEWRIGHT_TEST_SEED'] ?? 20_261_124);
/** Documents of a round; every second one is infected. */
const DOCUMENTS = 6;
/** Refuses connections. */
const NOBODY = '127.0.0.1:1';

async function post(url: string, path: string, body: object, signal?: AbortSignal): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/api/${path}?Output=Json`, {
    method: 'POST',
    headers: { 'X-ApiKey': ADMINISTRATOR_KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
  return (await response.json()) as Record<string, unknown>;
}

test(
  'DOC-03 a server killed in mid-scan serves nothing unscanned, and gives each content its verdict afterwards',
  { timeout: ROUNDS * 60_000 + 120_000 },
  async (t) => {
    const clamd = await startClamd(t);
    const isInfected = new Map<number, boolean>();
    let open = (): void => undefined;
    await killRounds(t, {
      rounds: ROUNDS,
      seed: SEED,
      answersMin: 1,
      async workload({ url, signal, countAnswer }: KillRound) {
        try {
          await post(url, 'setting/save', { Setting: 'MalwareScanner', Value: NOBODY }, signal);
          for (let at = 0; at < DOCUMENTS; at++) {
            const Content = (at % 2 === 1 ? eicar() : Buffer.from(`harmless ${at}`)).toString('base64');
            const saved = await post(url, 'attachment/save', { FileName: `${at}.txt`, Content }, signal);
            isInfected.set(Number(saved['AttachmentID']), at % 2 === 1);
          }
          // Two files get their verdicts; the scan of the next one does not end before the kill.
          clamd.gate = undefined;
          const begun = clamd.begun;
          await post(url, 'setting/save', { Setting: 'MalwareScanner', Value: clamd.address }, signal);
          const scanning = Promise.all([1, 2].map(() => post(url, 'attachment/scan', {}, signal)));
          await eventually('two scans have begun', () => clamd.begun >= begun + 2);
          clamd.gate = new Promise((resolve) => (open = resolve));
          countAnswer();
          await scanning;
        } catch (error) {
          if (!signal.aborted) throw error;
        }
      },
      async verify(_url, sql) {
        open();
        clamd.gate = undefined;
        await verify(sql, isInfected);
      },
      async finish(url) {
        await eventually(
          'all files have a verdict',
          async () => {
            await post(url, 'attachment/scan', {});
            const left = await post(url, 'attachment/search', { ScanState: 'Waiting' });
            return !JSON.stringify(left).includes('"AttachmentID"');
          },
          60_000,
        );
        for (const [id, infected] of isInfected) {
          const { ScanState } = await post(url, 'attachment/select', { ID: id });
          assert.equal(ScanState, infected ? 'Infected' : 'Clean', `document ${id}`);
        }
      },
    });
    t.diagnostic(`${isInfected.size} documents in ${ROUNDS} rounds, seed ${SEED}`);
  },
);

/** Whatever has no verdict is still noted, and no verdict is wrong. */
async function verify(sql: KillSql, isInfected: ReadonlyMap<number, boolean>): Promise<void> {
  const rows = await sql<{ id: number; state: string | null; noted: boolean }[]>`
    select a.attachmentid::integer as id, a.scanstate as state, s.attachmentid is not null as noted
    from attachment a left join documentscan s on s.attachmentid = a.attachmentid
    where a.scanstate is not null`;
  for (const { id, state, noted } of rows) {
    assert.equal(noted, state === 'Waiting', `document ${id} is ${state}`);
    const infected = isInfected.get(id);
    if (infected !== undefined && state !== 'Waiting')
      assert.equal(state, infected ? 'Infected' : 'Clean', `document ${id}`);
  }
  // As if the time had passed after which the killed process is presumed dead.
  await sql`update documentscan set leaseduntil = null, duedate = null`;
}
