import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { killRounds, seeded, type KillRound, type KillSql } from '../../support/processes/kill.ts';
import { ADMINISTRATOR_KEY, call } from '../../support/processes/server-process.ts';

const ROUNDS = Number(process.env['CASEWRIGHT_TEST_KILL_ROUNDS'] ?? 2);
const SEED = Number(process.env['CASEWRIGHT_TEST_SEED'] ?? 20_261_121);
const CLIENTS = 3;
const CHUNK = 60_000;

/** One file that a client uploads, with the responses received so far. */
interface Item {
  readonly name: string;
  readonly content: Buffer;
  readonly hash: string;
  guid?: string;
  /** Acknowledged bytes. */
  acknowledged: number;
  attachmentId?: number;
}

function newItem(name: string, random: () => number): Item {
  const content = Buffer.alloc(Math.floor(random() * 5 * CHUNK), `${name} `);
  return { name, content, hash: createHash('sha256').update(content).digest('hex'), acknowledged: 0 };
}

/** Sends the chunk after the acknowledged bytes. A chunk whose answer was lost in the kill is sent again unchanged. */
async function sendNext(url: string, item: Item): Promise<void> {
  const chunk = item.content.subarray(item.acknowledged, item.acknowledged + CHUNK);
  const answer = await fetch(`${url}/api/attachment/uploadchunk?Output=Json`, {
    method: 'POST',
    headers: {
      'X-ApiKey': ADMINISTRATOR_KEY,
      'Content-Type': 'application/octet-stream',
      'X-File-Name': item.name,
      'X-File-Size': String(item.content.length),
      'X-File-Hash': item.hash,
      'X-File-Offset': String(item.acknowledged),
      ...(item.guid === undefined ? { 'Idempotency-Key': item.name } : { 'X-File-GUID': item.guid }),
    },
    body: new Uint8Array(chunk),
  });
  const text = await answer.text();
  // 503: the database went away first. 409 CONCURRENT_CHANGE: the kill interrupted the first chunk's claim, whose bytes
  // are purged later.
  if (answer.status === 503) return;
  if (answer.status === 409 && item.guid === undefined)
    return void Object.assign(
      item,
      newItem(`${item.name}r`, () => item.content.length / (5 * CHUNK)),
    );
  assert.equal(answer.status, 200, `${item.name} at ${item.acknowledged}: ${text}`);
  const response = JSON.parse(text) as { finish: boolean; upload_name: string; AttachmentID?: number };
  item.guid = response.upload_name;
  item.acknowledged += chunk.length;
  if (response.finish) item.attachmentId = response.AttachmentID ?? 0;
  else assert.ok(item.acknowledged < item.content.length, `${item.name} is complete and not finished`);
}

test(
  'DOC-03 KRN-23 a server killed at any moment loses no acknowledged chunk, ' +
    'and creates no document twice or from half a file',
  { timeout: ROUNDS * 60_000 + 120_000 },
  async (t) => {
    const items: Item[] = [];
    await killRounds(t, {
      rounds: ROUNDS,
      seed: SEED + 3,
      answersMin: 2 * CLIENTS,
      async workload({ round, url, signal, random, countAnswer }: KillRound) {
        const open = items.filter((item) => item.attachmentId === undefined);
        await Promise.all(
          Array.from({ length: CLIENTS }, async (_, client) => {
            for (let n = 0; !signal.aborted; n++) {
              let item = open.pop();
              if (!item) items.push((item = newItem(`K${round}x${client}x${n}.bin`, random)));
              try {
                while (item.attachmentId === undefined && !signal.aborted) await sendNext(url, item);
                countAnswer();
              } catch (error) {
                if (error instanceof assert.AssertionError) throw error;
                return;
              }
            }
          }),
        );
      },
      verify: (url, sql) => verify(url, sql, items),
      async finish(url) {
        const random = seeded(SEED);
        for (const item of items)
          for (let tries = 0; item.attachmentId === undefined && tries < 50; tries++) await sendNext(url, item);
        // A sample of the documents is compared byte for byte.
        for (const item of items.filter(() => random() < 30 / items.length)) {
          const bytes = Buffer.from(
            await (await call(url, `/api/attachment/download?ID=${item.attachmentId}`)).arrayBuffer(),
          );
          assert.ok(bytes.equals(item.content), `${item.name} came back as something else`);
        }
      },
    });
    assert.ok(items.length > ROUNDS * CLIENTS, `only ${items.length} files were uploaded`);
    assert.ok(items.every((item) => item.attachmentId !== undefined));
    t.diagnostic(`${items.length} files in ${ROUNDS} rounds, seed ${SEED}`);
  },
);

async function verify(url: string, sql: KillSql, items: readonly Item[]): Promise<void> {
  const rows = await sql<
    { name: string; n: number; hash: string; size: number }[]
  >`select filename as name, count(*)::integer as n, min(filehash) as hash, min(filesize)::integer as size
    from attachment
    where filename like 'K%' collate "C"
    group by 1`;
  const found = new Map(rows.map((row) => [row.name, row]));
  for (const item of items) {
    const row = found.get(item.name);
    if (row)
      assert.deepEqual(
        [row.n, row.hash, row.size],
        [1, item.hash, item.content.length],
        `${item.name} exists twice, or differs from what was sent`,
      );
    if (item.attachmentId !== undefined) assert.ok(row, `${item.name} was answered as finished and is lost`);
    if (item.guid === undefined) continue;
    const status = (await (await call(url, `/api/attachment/uploadstatus?Upload=${item.guid}&Output=Json`)).json()) as {
      Received?: number;
    };
    assert.ok(
      (status.Received ?? -1) >= item.acknowledged,
      `${item.name}: ${item.acknowledged} bytes were acknowledged, ${String(status.Received)} are stored`,
    );
  }
}
