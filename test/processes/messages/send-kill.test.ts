import assert from 'node:assert/strict';
import { test } from 'node:test';
import { certificate } from '../../support/peers/certificate.ts';
import { startMailServer } from '../../support/peers/mail-server.ts';
import { eventually } from '../../support/eventually.ts';
import { killRounds, type KillRound, type KillSql } from '../../support/processes/kill.ts';
import { ADMINISTRATOR_KEY } from '../../support/processes/server-process.ts';

const ROUNDS = Number(process.env['CASEWRIGHT_TEST_KILL_ROUNDS'] ?? 2);
const SEED = Number(process.env['CASEWRIGHT_TEST_SEED'] ?? 20_261_123);

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
  'MSG-15 KRN-23 a server killed while it sends mails sends none twice, and loses none without saying so',
  { timeout: ROUNDS * 60_000 + 120_000 },
  async (t) => {
    const server = await startMailServer(t);
    const decided = new Map<number, string>();
    let isConfigured = false;
    await killRounds(t, {
      rounds: ROUNDS,
      seed: SEED,
      millisecondsMax: 2_500,
      answersMin: 1,
      unknowable: 'maildelivery/deliver',
      async workload({ url, signal, countAnswer }: KillRound) {
        try {
          if (!isConfigured) await configure(url, server.port);
          isConfigured = true;
          for (let n = decided.size; !signal.aborted; n++) {
            const body = { To: `a${n}@receiver.example`, Subject: `mail ${n}`, BodyText: 'x', Key: `mail ${n}` };
            const { MailDeliveryID, InternetMessageID } = await post(url, 'maildelivery/post', body, signal);
            decided.set(Number(MailDeliveryID), String(InternetMessageID));
            countAnswer();
          }
        } catch (error) {
          if (!signal.aborted) throw error;
        }
      },
      async verify(_url, sql) {
        await assertOnce(
          sql,
          server.mails.map((mail) => mail.header('Message-ID') ?? ''),
        );
        // As if the time had passed after which the killed process is presumed dead.
        await sql`update maildelivery set leaseduntil = now() - interval '1 second' where status = 'Sending'`;
      },
      async finish(url, sql) {
        await eventually(
          'all mails have ended',
          async () => {
            const open = [...(await search(url, 'Waiting')), ...(await search(url, 'Sending'))];
            const ID = open.map(({ MailDeliveryID }) => Number(MailDeliveryID)).join(',');
            // A call fails if it finds a mail whose outcome nobody knows.
            if (ID !== '') await post(url, 'maildelivery/deliver', { ID }).catch(() => undefined);
            return open.length === 0;
          },
          60_000,
        );
        for (const { InternetMessageID } of await search(url, 'Sent'))
          assert.ok(server.mails.some((mail) => mail.header('Message-ID') === `<${String(InternetMessageID)}>`));
        // A queued call that met one of the calls above waits until that is presumed dead, and then has nothing to do.
        await sql`update pgboss.job set start_after = now() where name = 'Mail' and state = 'created'`;
      },
    });
    const arrived = server.mails.map((mail) => mail.header('Message-ID') ?? '');
    assert.equal(new Set(arrived).size, arrived.length, 'no mail is sent twice');
    t.diagnostic(`${arrived.length} of ${decided.size} mails in ${ROUNDS} rounds, seed ${SEED}`);
    assert.ok(arrived.length > 0);
  },
);

/** Returns up to 200 mails of a status. */
async function search(url: string, Status: string): Promise<readonly Row[]> {
  const answer = await post(url, 'maildelivery/search', { Status, DisplaySize: 200 });
  return (answer['MailDeliveryCollection'] as { MailDeliveryItem?: Row[] } | undefined)?.MailDeliveryItem ?? [];
}

/** Adds the mail server, without the certificates of public authorities. */
async function configure(url: string, port: number): Promise<void> {
  await post(url, 'setting/save', { Setting: 'OutboundAllowedNetworks', Value: '127.0.0.0/8' });
  await post(url, 'mailoutbound/save', {
    MailOutbound: 'Main',
    Host: '127.0.0.1',
    Port: port,
    FromAddress: 'cases@cases.example',
    Authorities: certificate.cert,
  });
}

/** No mail arrived twice; what is recorded as sent has arrived; what did not arrive is waiting or unknown. */
async function assertOnce(sql: KillSql, arrived: readonly string[]): Promise<void> {
  assert.equal(new Set(arrived).size, arrived.length, 'no mail is sent twice');
  const known = new Set(arrived);
  const rows = await sql<{ id: string; status: string }[]>`
    select internetmessageid as id, status from maildelivery`;
  for (const { id, status } of rows) {
    assert.ok(['Waiting', 'Sending', 'Sent', 'Unknown'].includes(status), status);
    if (status === 'Sent') assert.ok(known.has(`<${id}>`), `mail ${id} is recorded as sent and did not arrive`);
    if (status === 'Waiting') assert.ok(!known.has(`<${id}>`), `mail ${id} arrived and would be sent again`);
  }
}
