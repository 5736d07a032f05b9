import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pdfOf } from '../../support/documents.ts';
import { eventually } from '../../support/eventually.ts';
import { startMailHouse } from '../../support/peers/mail-house.ts';
import { killRounds, type KillRound, type KillSql } from '../../support/processes/kill.ts';
import { ADMINISTRATOR_KEY } from '../../support/processes/server-process.ts';

const ROUNDS = Number(process.env['CASEWRIGHT_TEST_KILL_ROUNDS'] ?? 2);
const SEED = Number(process.env['CASEWRIGHT_TEST_SEED'] ?? 20_261_124);
/** Letters of the mailing that is submitted in each round. */
const LETTERS = 12;

type Row = Record<string, unknown>;

async function post(url: string, path: string, body: object, signal?: AbortSignal): Promise<Row> {
  const answer = await fetch(`${url}/api/${path}?Output=Json`, {
    method: 'POST',
    headers: { 'X-ApiKey': ADMINISTRATOR_KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
  const text = await answer.text();
  assert.equal(answer.status, 200, `${path}: ${text}`);
  return JSON.parse(text) as Row;
}

test(
  'DOC-12 KRN-23 a server killed while it submits letters mails none of them twice and loses none',
  { timeout: ROUNDS * 60_000 + 120_000 },
  async (t) => {
    // It recognizes no repeated letter: one that is posted twice is mailed twice.
    const house = await startMailHouse(t, { isForgetful: true });
    const mailings = new Set<unknown>();
    const documents: unknown[] = [];
    let contact: unknown;
    await killRounds(t, {
      rounds: ROUNDS,
      seed: SEED,
      millisecondsMax: 2_500,
      answersMin: 1,
      async workload({ url, signal, countAnswer }: KillRound) {
        try {
          contact ??= await configure(url, house);
          while (documents.length < LETTERS)
            documents.push(
              (
                await post(url, 'attachment/save', {
                  FileName: `letter ${documents.length}.pdf`,
                  Content: (await pdfOf(`letter ${documents.length}`)).toString('base64'),
                })
              )['AttachmentID'],
            );
          while (!signal.aborted) {
            const prepared = await post(
              url,
              'delivery/prepare',
              { AttachmentID: documents, ContactID: contact },
              signal,
            );
            const [collection] = Object.values(prepared) as { LetterItem: Row[] }[];
            const DeliveryBatchID = collection?.LetterItem[0]?.['DeliveryBatchID'];
            mailings.add(DeliveryBatchID);
            countAnswer();
            await post(url, 'delivery/submit', { DeliveryBatchID }, signal);
          }
        } catch (error) {
          if (!signal.aborted) throw error;
        }
      },
      async verify(_url, sql) {
        await assertOnce(sql);
        // As if the time had passed after which the killed process is presumed dead.
        await sql`update deliverybatch set leaseduntil = now() - interval '1 second' where leaseduntil is not null`;
      },
      async finish(url) {
        // Calls that several killed processes had begun: an operator returns them to the queue.
        await post(url, 'queue/requeue', { Operation: 'DeliverySend' });
        for (const DeliveryBatchID of mailings) {
          await post(url, 'delivery/submit', { DeliveryBatchID });
          await eventually(
            `mailing ${String(DeliveryBatchID)} is submitted`,
            async () => (await post(url, 'delivery/send', { DeliveryBatchID }))['Status'] === 'Submitted',
            60_000,
          );
        }
        await post(url, 'queue/requeue', { Operation: 'DeliverySend' });
      },
    });
    const keys = house.printed.map(({ key }) => key);
    assert.ok(mailings.size > 0);
    assert.equal(new Set(keys).size, keys.length, 'no letter is mailed twice');
    assert.ok(keys.length >= mailings.size * LETTERS, `${keys.length} letters of ${mailings.size} mailings`);
    t.diagnostic(`${keys.length} letters of ${mailings.size} mailings in ${ROUNDS} rounds, seed ${SEED}`);
  },
);

/** Adds the mail house and a recipient; returns the recipient. */
async function configure(url: string, house: Awaited<ReturnType<typeof startMailHouse>>): Promise<unknown> {
  await post(url, 'setting/save', { Setting: 'OutboundAllowedNetworks', Value: '127.0.0.0/8' });
  await post(url, 'setting/save', { Setting: 'OutboundHttpLoopback', Value: 'true' });
  await post(url, 'mailhouse/save', {
    MailHouse: 'Springfield',
    MailHouseType: 'http',
    Options: `Endpoint=${encodeURIComponent(house.url)}&LetterCents=120`,
    Secrets: `ApiKey=${encodeURIComponent(house.key)}`,
  });
  const contact = await post(url, 'contact/save', {
    LastName: 'Miller',
    FirstName: 'Ann',
    Address: '12 Main St',
    City: 'Springfield',
    State: 'IL',
    PostalCode: '62701',
  });
  return contact['ContactID'];
}

/** What is recorded as submitted has been begun, and nothing is leased twice. */
async function assertOnce(sql: KillSql): Promise<void> {
  const wrong = await sql`select deliveryid from delivery where status = 'Submitted' and begundate is null`;
  assert.deepEqual([...wrong], []);
}
